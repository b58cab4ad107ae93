// SPDX-License-Identifier: MIT
// Three phases: a large array several times, a small one very often, and the large one again.
#include <stdio.h>

enum { LARGE = 40000, SMALL = 500, PASSES = 10, TIMES = PASSES * LARGE / SMALL };

static int large[LARGE], small[SMALL];

__attribute__((noinline)) static long sweep(const int *data, int count, int times)
{
    long sum = 0;
    for (int pass = 0; pass < times; pass++)
        for (int i = 0; i < count; i++)
            sum += ((const volatile int *)data)[i];
    return sum;
}

int main(void)
{
    long sum = sweep(large, LARGE, PASSES);
    sum += sweep(small, SMALL, TIMES);
    sum += sweep(large, LARGE, PASSES);
    printf("%ld\n", sum);
    return 0;
}
