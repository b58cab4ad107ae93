// SPDX-License-Identifier: MIT
// The transpose of a matrix of SIZE x SIZE doubles.
#include "kernel.h"

static double *from, *to;

static void prepare(void)
{
    from = need(size * size * sizeof *from);
    to = need(size * size * sizeof *to);
}

static double work(void)
{
    for (long r = 0; r < rounds; r++)
        for (size_t i = 0; i < size; i++)
            for (size_t j = 0; j < size; j++)
                to[j * size + i] = from[i * size + j];
    return to[size];
}
