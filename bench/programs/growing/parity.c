// SPDX-License-Identifier: MIT
// Not predictable from its size: every other multiple of 8 makes other accesses.
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 32, m = (n / 8) % 2;
    double *a = malloc(sizeof *a * n * n), s = 0;
    for (int i = 0; i < n * n; i++)
        a[i] = i;
    for (int r = 0; r < 4; r++)
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++)
                s += m ? a[i * n + j] : a[i * n + j] + a[i * n + (j ? j - 1 : 0)] + a[i * n];
    printf("%g\n", s);
}
