// SPDX-License-Identifier: MIT
// Exceptions that pass several functions with destructors and are rethrown on the way;
// afterwards calling contexts are right again.
#include <cstdio>
#include <new>
#include <stdexcept>
#include <string>

static volatile long after_cell, guard_cell;
static char *volatile all;

struct guard {
    ~guard()
    {
        guard_cell = guard_cell + 1;
    }
};

static __attribute__((noinline)) void deep(int left)
{
    guard local;
    if (left == 0)
        throw std::runtime_error("deep enough");
    deep(left - 1);
}

static __attribute__((noinline)) void between(int depth)
{
    try {
        deep(depth);
    } catch (const std::exception &) {
        guard local;
        throw;
    }
}

static __attribute__((noinline)) void after()
{
    after_cell = after_cell + 1;
}

static __attribute__((noinline)) int round_trip(int depth)
{
    int caught = 0;
    try {
        between(depth);
    } catch (const std::runtime_error &error) {
        caught = std::string(error.what()) == "deep enough";
    }
    after();
    return caught;
}

// Likewise for exceptions thrown by the library's operators.
static __attribute__((noinline)) bool exhausts()
{
    try {
        volatile std::size_t much = static_cast<std::size_t>(-1) / 2;
        all = new char[much];
        return false;
    } catch (const std::bad_alloc &) {
        return true;
    }
}

int main()
{
    int caught = 0, guards = 0;
    for (int i = 0; i < 50; i++) {
        caught += round_trip(i % 7);
        guards += i % 7 + 2;
    }
    bool exhausted = exhausts();
    after();
    std::printf("%d %ld %d\n", caught, after_cell, exhausted);
    return !(caught == 50 && after_cell == 51 && guard_cell == guards && exhausted);
}
