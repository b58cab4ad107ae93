// SPDX-License-Identifier: MIT
// A matrix product in blocks that fit in the cache: nothing is left to do.
//
// object:
// level: L2
// accept: none
#include <stdio.h>

#define N 128
#define B 32

static double a[N][N], b[N][N], c[N][N];

static void multiply_block(int i0, int j0, int k0)
{
    for (int i = i0; i < i0 + B; i++)
        for (int k = k0; k < k0 + B; k++) {
            double factor = a[i][k];
            for (int j = j0; j < j0 + B; j++)
                c[i][j] += factor * b[k][j];
        }
}

int main(void)
{
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            a[i][j] = i - j;
            b[i][j] = i + j;
        }
    for (int i = 0; i < N; i += B)
        for (int j = 0; j < N; j += B)
            for (int k = 0; k < N; k += B)
                multiply_block(i, j, k);
    double sum = 0;
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            sum += c[i][j] * (i % 5);
    printf("%.10g\n", sum);
    return 0;
}
