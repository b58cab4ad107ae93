// SPDX-License-Identifier: MIT
// a = b + 3 c, of SIZE doubles: three sequences.
#include "kernel.h"

static double *a, *b, *c;

static void prepare(void)
{
    a = need(size * sizeof *a);
    b = need(size * sizeof *b);
    c = need(size * sizeof *c);
}

static double work(void)
{
    for (long r = 0; r < rounds; r++)
        for (size_t i = 0; i < size; i++)
            a[i] = b[i] + 3 * c[i];
    return a[size / 2];
}
