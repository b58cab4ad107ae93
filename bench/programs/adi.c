// SPDX-License-Identifier: MIT
// Alternating-direction implicit integration: sweeps along the rows, then
// along the columns, of three matrices that no cache holds.
#include <stdio.h>
#include <stdlib.h>

enum { SIDE = 1000 };

static double x[SIDE][SIDE], a[SIDE][SIDE], b[SIDE][SIDE];

static void along_rows(void)
{
    for (int i = 0; i < SIDE; i++)
        for (int j = 1; j < SIDE; j++) {
            x[i][j] -= x[i][j - 1] * a[i][j] / b[i][j - 1];
            b[i][j] -= a[i][j] * a[i][j] / b[i][j - 1];
        }
}

static void along_columns(void)
{
    for (int j = 0; j < SIDE; j++)
        for (int i = 1; i < SIDE; i++) {
            x[i][j] -= x[i - 1][j] * a[i][j] / b[i - 1][j];
            b[i][j] -= a[i][j] * a[i][j] / b[i - 1][j];
        }
}

int main(int argc, char **argv)
{
    int rounds = argc > 1 ? atoi(argv[1]) : 1;
    for (int i = 0; i < SIDE; i++)
        for (int j = 0; j < SIDE; j++) {
            x[i][j] = (i + j) * 1e-3;
            a[i][j] = 0.1;
            b[i][j] = 2 + (i ^ j) % 7;
        }
    for (int r = 0; r < rounds; r++) {
        along_rows();
        along_columns();
    }
    printf("%g\n", x[SIDE - 1][SIDE - 1]);
    return 0;
}
