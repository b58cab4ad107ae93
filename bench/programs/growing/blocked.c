// SPDX-License-Identifier: MIT
// The product of two matrices, in tiles of 8 × 8.
#include <stdio.h>
#include <stdlib.h>
#define B 8
int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 32;
    double *a = malloc(n * n * sizeof *a), *b = malloc(n * n * sizeof *b), *c = malloc(n * n * sizeof *c);
    for (int i = 0; i < n * n; i++)
        a[i] = i, b[i] = 2, c[i] = 0;
    for (int jj = 0; jj < n; jj += B)
        for (int kk = 0; kk < n; kk += B)
            for (int i = 0; i < n; i++)
                for (int j = jj; j < jj + B && j < n; j++) {
                    double s = c[i * n + j];
                    for (int k = kk; k < kk + B && k < n; k++)
                        s += a[i * n + k] * b[k * n + j];
                    c[i * n + j] = s;
                }
    printf("%g\n", c[n]);
    return 0;
}
