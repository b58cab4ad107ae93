// SPDX-License-Identifier: MIT
// Repeats the same work on elements in random order in each round. -DFIXED sorts
// the work once, so that each round walks along memory.
#include <stdio.h>
#include <stdlib.h>

#include "example.h"

enum { COUNT = 200000 };

static long elements[COUNT];
static uint32_t work[COUNT];

#ifdef FIXED
static int compare(const void *a, const void *b)
{
    uint32_t first = *(const uint32_t *)a, second = *(const uint32_t *)b;
    return (first > second) - (first < second);
}
#endif

static long refer(void)
{
    long sum = 0;
    for (int i = 0; i < COUNT; i++)
        sum += elements[work[i]]++;
    return sum;
}

int main(int argc, char **argv)
{
    int rounds = rounds_of(argc, argv, 8);
    long sum = 0;
    shuffle(work, COUNT);
#ifdef FIXED
    qsort(work, COUNT, sizeof *work, compare);
#endif
    for (int round = 0; round < rounds; round++)
        sum += refer();
    printf("%ld\n", sum);
    return 0;
}
