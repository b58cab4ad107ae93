// SPDX-License-Identifier: MIT
// Namespaces, class statics, inheritance, templates and new in C++.
#include "facts.h"

#include <cstdlib>
#include <new>
#include <vector>

namespace space
{
namespace inner
{
double field[4][6];
}
static int hidden[5];
struct base {
    int id;
    double weight[2];
};
struct empty {
};
struct derived : empty, base {
    char letter;
    float v[3];
    static long total[3];
    inline static short shared[7] = {1};
    int method(int step);
};
long derived::total[3];
derived items[9];

class virtual_one
{
  public:
    virtual ~virtual_one() = default;
    virtual int f() const
    {
        return member;
    }
    int member = 1;

  private:
    double secret[3] = {};
    friend void virtuals();
};
virtual_one object;

void virtuals()
{
    fact_global(&object.member, 4, "space::object", ".member");
    for (int i = 0; i < 3; i++)
        fact_global(&object.secret[i], 8, "space::object", ".secret[%d]", i);
}
} // namespace space

namespace
{
int nameless[3];
template <typename T> struct box {
    T value[4];
};
box<double> boxes[2];
box<int> *held;
} // namespace

double *array_of;
space::derived *made;
int &reference = nameless[1];

__attribute__((noinline)) int space::derived::method(int step)
{
    static int remembered[4];
    remembered[step & 3] += step;
    for (int i = 0; i < 4; i++)
        fact_global(&remembered[i], 4, "remembered", "[%d]", i);
    return remembered[0];
}

__attribute__((noinline)) void *operator new(size_t bytes)
{
    fact_asked_from = __builtin_return_address(0);
    return std::calloc(1, bytes);
}

__attribute__((noinline)) void *operator new[](size_t bytes)
{
    fact_asked_from = __builtin_return_address(0);
    return std::calloc(1, bytes);
}

void operator delete(void *block) noexcept
{
    std::free(block);
}

void operator delete[](void *block) noexcept
{
    std::free(block);
}

void operator delete(void *block, size_t) noexcept
{
    std::free(block);
}

void operator delete[](void *block, size_t) noexcept
{
    std::free(block);
}

// An array of these is preceded by their number.
struct destroyed {
    int a, b;
    ~destroyed()
    {
        if (b != 0)
            std::abort();
    }
};
destroyed *cookies;

class matrix
{
  public:
    __attribute__((noinline)) explicit matrix(int n) : size(n), cells(new float[size_t(n)])
    {
        fact_pointer(fact_asked_from, 12, 4, "this->cells", "[3]");
        rows = new double *[2];
        fact_pointer(fact_asked_from, 8, 8, "this->rows", "[1]");
        for (int i = 0; i < n / 5; i++) {
            rows[i] = new double[size_t(n)];
            fact_pointer(fact_asked_from, 8, 8, "this->rows[*]", "[1]");
        }
    }
    int size;
    float *cells;
    double **rows;
};

static void members()
{
    for (int i = 0; i < 9; i++) {
        fact_global(&space::items[i].id, 4, "space::items", "[%d].id", i);
        for (int j = 0; j < 2; j++)
            fact_global(&space::items[i].weight[j], 8, "space::items", "[%d].weight[%d]", i, j);
        fact_global(&space::items[i].letter, 1, "space::items", "[%d].letter", i);
        for (int j = 0; j < 3; j++)
            fact_global(&space::items[i].v[j], 4, "space::items", "[%d].v[%d]", i, j);
    }
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 6; j++)
            fact_global(&space::inner::field[i][j], 8, "space::inner::field", "[%d][%d]", i, j);
    for (int i = 0; i < 3; i++)
        fact_global(&space::derived::total[i], 8, "space::derived::total", "[%d]", i);
    for (int i = 0; i < 7; i++)
        fact_global(&space::derived::shared[i], 2, "space::derived::shared", "[%d]", i);
    for (int i = 0; i < 5; i++)
        fact_global(&space::hidden[i], 4, "space::hidden", "[%d]", i);
    for (int i = 0; i < 3; i++)
        fact_global(&nameless[i], 4, "(anonymous namespace)::nameless", "[%d]", i);
    for (int i = 0; i < 4; i++)
        fact_global(&boxes[1].value[i], 8, "(anonymous namespace)::boxes", "[1].value[%d]", i);
    fact_whole(&space::items, sizeof space::items, "space::items", "derived [9]");
    fact_whole(&boxes, sizeof boxes, "(anonymous namespace)::boxes", "box<double> [2]");
}

__attribute__((noinline)) static void allocations()
{
    array_of = new double[50];
    for (int i = 0; i < 50; i++)
        fact_pointer(fact_asked_from, size_t(i) * 8, 8, "array_of", "[%d]", i);
    made = new space::derived;
    fact_pointer(fact_asked_from, size_t((char *)&made->letter - (char *)made), 1, "made", "[0].letter");
    cookies = new destroyed[4];
    fact_pointer(fact_asked_from, 8 + 2 * sizeof(destroyed) + 4, 4, "cookies", "[2].b");
    fact_pointer(fact_asked_from, 0, 8, "cookies", "%s", "");
    held = static_cast<box<int> *>(fact_allocate(2 * sizeof *held));
    fact_pointer(fact_asked_from, sizeof *held + 4, 4, "(anonymous namespace)::held", "[1].value[1]");
}

// Without optimization the store is deep in the library, and the library's names are reported.
__attribute__((noinline)) static double contained(size_t n)
{
    std::vector<double> values(n);
    asm volatile("" : : "r"(&values) : "memory"); // so that it is in memory
#ifdef __OPTIMIZE__
    fact_pointer(fact_asked_from, 24, 8, "values", "[3]");
#endif
    return values[n / 2];
}

int main()
{
    fact_module();
    members();
    space::virtuals();
    allocations();
    matrix square(int(sizeof(int)) * 2 + (fact_asked_from != nullptr) * 2);
    if (contained(size_t(square.size)) > 1 || square.cells[1] > 1 || square.rows[1][1] > 1 || cookies[1].a)
        return 1;
    space::derived one{};
    if (fact_asked_from == nullptr)
        return held->value[0];
    return one.method(1) + reference + space::hidden[0] + space::object.f() == 12345;
}
