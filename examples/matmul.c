// SPDX-License-Identifier: MIT
// A matrix product whose inner loop walks down a column of b. Each step touches
// a different cache line, which is reused only a full column later or, for the
// next row of a, after all of b.
#include <stdio.h>

enum { N = 64 };

static double a[N][N], b[N][N], c[N][N];

int main(void)
{
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            a[i][j] = i + j;
            b[i][j] = i - j;
        }
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            double sum = 0;
            for (int k = 0; k < N; k++)
                sum += a[i][k] * b[k][j];
            c[i][j] = sum;
        }
    printf("%g\n", c[N / 2][N / 3]);
    return 0;
}
