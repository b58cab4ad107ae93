// SPDX-License-Identifier: MIT
// The sum of SIZE doubles in random order: a[b[i]].
#include "kernel.h"

static double *a;
static uint32_t *b;

static void prepare(void)
{
    a = need(size * sizeof *a);
    b = shuffled(size);
}

static double work(void)
{
    double sum = 0;
    for (long r = 0; r < rounds; r++)
        for (size_t i = 0; i < size; i++)
            sum += a[b[i]];
    return sum;
}
