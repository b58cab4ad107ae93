// SPDX-License-Identifier: MIT
// The product of a sparse matrix of SIZE rows, with eight entries at random columns in each, and a vector.
#include "kernel.h"

enum { EACH = 8 };

static double *entries, *x, *y;
static uint32_t *columns;

static void prepare(void)
{
    uint64_t state = 11;
    entries = need(size * EACH * sizeof *entries);
    columns = need(size * EACH * sizeof *columns);
    x = need(size * sizeof *x);
    y = need(size * sizeof *y);
    for (size_t i = 0; i < size * EACH; i++)
        columns[i] = (uint32_t)(next_random(&state) % size);
}

static double work(void)
{
    for (long r = 0; r < rounds; r++)
        for (size_t i = 0; i < size; i++) {
            double sum = 0;
            for (size_t k = i * EACH; k < (i + 1) * EACH; k++)
                sum += entries[k] * x[columns[k]];
            y[i] = sum;
        }
    return y[size / 2];
}
