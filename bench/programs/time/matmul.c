// SPDX-License-Identifier: MIT
// The product of matrices of SIZE x SIZE doubles, as in a textbook.
#include "kernel.h"

static double *a, *b, *c;

static void prepare(void)
{
    a = need(size * size * sizeof *a);
    b = need(size * size * sizeof *b);
    c = need(size * size * sizeof *c);
}

static double work(void)
{
    for (long r = 0; r < rounds; r++)
        for (size_t i = 0; i < size; i++)
            for (size_t j = 0; j < size; j++) {
                double sum = 0;
                for (size_t k = 0; k < size; k++)
                    sum += a[i * size + k] * b[k * size + j];
                c[i * size + j] = sum;
            }
    return c[size];
}
