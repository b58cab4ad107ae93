// SPDX-License-Identifier: MIT
// The product of matrices of SIZE x SIZE doubles, in tiles of 32 x 32.
#include "kernel.h"

enum { TILE = 32 };

static double *a, *b, *c;

static void prepare(void)
{
    a = need(size * size * sizeof *a);
    b = need(size * size * sizeof *b);
    c = need(size * size * sizeof *c);
}

static void multiply(size_t i0, size_t k0, size_t j0)
{
    for (size_t i = i0; i < i0 + TILE && i < size; i++)
        for (size_t k = k0; k < k0 + TILE && k < size; k++)
            for (size_t j = j0; j < j0 + TILE && j < size; j++)
                c[i * size + j] += a[i * size + k] * b[k * size + j];
}

static double work(void)
{
    for (long r = 0; r < rounds; r++)
        for (size_t i = 0; i < size; i += TILE)
            for (size_t k = 0; k < size; k += TILE)
                for (size_t j = 0; j < size; j += TILE)
                    multiply(i, k, j);
    return c[size];
}
