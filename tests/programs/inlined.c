// SPDX-License-Identifier: MIT
// Functions that are inlined everywhere. Accesses to `cells` are volatile, so each is made as it is written.
#include <stdio.h>
#include <string.h>

enum { CELLS = 1000, TWICE = 200 };

static volatile long cells[CELLS];

#define INLINE static inline __attribute__((always_inline))

INLINE long get(int i)
{
    return cells[i];
}

__attribute__((noinline)) static long callee(int count)
{
    long all = 0;
    for (int i = 0; i < count; i++)
        all += get(i);
    return all;
}

// Reads 300 cells, and callee the first 200.
INLINE long outer(void)
{
    long all = 0;
    for (int i = 0; i < 300; i++)
        all += get(i);
    return all + callee(TWICE);
}

__attribute__((noinline)) static long never(void)
{
    return cells[CELLS - 1];
}

int main(int argc, char **argv)
{
    for (int i = 0; i < CELLS; i++)
        cells[i] = i;
    long all = outer() + callee(50);
    if (argc > 1 && strcmp(argv[1], "never") == 0)
        all += never();
    printf("%ld\n", all);
    return 0;
}
