// SPDX-License-Identifier: MIT
// The mean of the four neighbours in a grid of SIZE x SIZE doubles.
#include "kernel.h"

static double *from, *to;

static void prepare(void)
{
    from = need(size * size * sizeof *from);
    to = need(size * size * sizeof *to);
}

static double work(void)
{
    for (long r = 0; r < rounds; r++) {
        for (size_t i = 1; i + 1 < size; i++)
            for (size_t j = 1; j + 1 < size; j++)
                to[i * size + j] = 0.25 * (from[(i - 1) * size + j] + from[(i + 1) * size + j] +
                                           from[i * size + j - 1] + from[i * size + j + 1]);
        double *other = from;
        from = to;
        to = other;
    }
    return from[size + 1];
}
