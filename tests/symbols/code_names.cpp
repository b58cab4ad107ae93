// SPDX-License-Identifier: MIT
// Namespaces, inlining, templates, exceptions, virtual calls.
#include <cstdio>
#include <stdexcept>
#include <vector>

volatile double scale = 2;

namespace geometry
{
struct shape {
    virtual ~shape() = default;
    virtual double area() const = 0;
};

static inline __attribute__((always_inline)) double twice(double x)
{
    return x * scale; // MARK twice
}

static inline __attribute__((always_inline)) double fourfold(double x)
{
    return twice(twice(x)) + scale; // MARK fourfold
}

struct square : shape {
    double side = 1;
    __attribute__((noinline)) double area() const override
    {
        return fourfold(side) * side; // MARK area
    }
};

template <typename T> __attribute__((noinline)) T largest(const std::vector<T> &all)
{
    T best = all[0];
    for (const T &one : all)
        best = one > best ? one : best;
    return best;
}
} // namespace geometry

namespace
{
__attribute__((noinline)) int hidden(int n)
{
    if (n > 100)
        throw std::runtime_error("too large"); // MARK thrown
    return n + 1;
}
} // namespace

__attribute__((noinline)) int guarded(int n)
{
    int caught = 0;
    for (int i = 0; i < n; i++) { // MARK guarded
        try {
            caught += hidden(i);
        } catch (const std::exception &) {
            caught++; // MARK guarded.catch
        }
        scale = i; // MARK guarded.end
    }
    return caught;
}

int main(int argc, char **argv)
{
    (void)argv;
    geometry::square square;
    const geometry::shape *shape = &square;
    std::vector<double> all(static_cast<size_t>(argc), 1.0);
    std::printf("%g %g %d\n", shape->area(), geometry::largest(all), guarded(argc));
}
