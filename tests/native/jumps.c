// SPDX-License-Identifier: MIT
// longjmp leaves functions; afterwards calling contexts are right again.
#include <setjmp.h>
#include <stdio.h>

enum { ROUNDS = 50 };

static jmp_buf back;
static volatile long deep_cell, after_cell;

static __attribute__((noinline)) void deep(int left)
{
    deep_cell = left;
    if (left == 0)
        longjmp(back, 1);
    deep(left - 1);
    deep_cell = left;
}

static __attribute__((noinline)) void after(void)
{
    after_cell = after_cell + 1;
}

static __attribute__((noinline)) void round_trip(int depth)
{
    if (setjmp(back) == 0)
        deep(depth);
    after();
}

int main(void)
{
    for (int i = 0; i < ROUNDS; i++)
        round_trip(i % 7);
    after();
    printf("%ld\n", after_cell);
    return after_cell != ROUNDS + 1;
}
