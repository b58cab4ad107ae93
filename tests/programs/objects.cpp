// SPDX-License-Identifier: MIT
// Virtual calls from one call site, and exceptions that unwind several frames
// at once.
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <vector>

namespace
{

enum { SHAPES = 300, THROWS = 200, LINES = 50 };

volatile long squares[SHAPES], circles[SHAPES], ledger[LINES];

struct Shape {
    virtual ~Shape() = default;
    virtual long area(int i) const = 0;
};

struct Square final : Shape {
    [[gnu::noinline]] long area(int i) const override
    {
        squares[i] = i; // [square]
        return squares[i];
    }
};

struct Circle final : Shape {
    [[gnu::noinline]] long area(int i) const override
    {
        circles[i] = i; // [circle]
        return 3;
    }
};

struct Guard {
    [[gnu::noinline]] ~Guard()
    {
        ledger[0] = ledger[0] + 1; // [guard]
    }
};

[[gnu::noinline]] void fail(int depth)
{
    Guard guard;
    if (depth == 0)
        throw std::runtime_error("as asked");
    fail(depth - 1);
}

[[gnu::noinline]] void after_catch()
{
    for (int i = 1; i < LINES; i++)
        ledger[i] = i; // [after]
}

[[gnu::noinline]] int throw_and_catch()
{
    int caught = 0;
    for (int i = 0; i < THROWS; i++) {
        try {
            fail(i % 8);
        } catch (const std::runtime_error &) {
            caught++;
        }
        after_catch(); // [call after]
    }
    return caught;
}

[[gnu::noinline]] long all_areas(const std::vector<std::unique_ptr<Shape>> &shapes)
{
    long sum = 0;
    for (int i = 0; i < SHAPES; i++)
        sum += shapes[static_cast<std::size_t>(i)]->area(i); // [virtual]
    return sum;
}

} // namespace

int main()
{
    std::vector<std::unique_ptr<Shape>> shapes;
    for (int i = 0; i < SHAPES; i++) {
        if (i % 3 == 0)
            shapes.push_back(std::make_unique<Circle>());
        else
            shapes.push_back(std::make_unique<Square>());
    }
    long sum = all_areas(shapes);
    int caught = throw_and_catch();
    std::printf("%ld %d %ld\n", sum, caught, ledger[0]);
    return 0;
}
