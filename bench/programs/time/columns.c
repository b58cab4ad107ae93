// SPDX-License-Identifier: MIT
// The sum of a matrix of SIZE x SIZE doubles, column by column: a constant stride of a row.
#include "kernel.h"

static double *m;

static void prepare(void)
{
    m = need(size * size * sizeof *m);
}

static double work(void)
{
    double sum = 0;
    for (long r = 0; r < rounds; r++)
        for (size_t j = 0; j < size; j++)
            for (size_t i = 0; i < size; i++)
                sum += m[i * size + j];
    return sum;
}
