// SPDX-License-Identifier: MIT
// Not predictable from small inputs: above 3000 elements it works in tiles.
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 1000;
    double *a = malloc(sizeof *a * n), s = 0;
    for (int i = 0; i < n; i++)
        a[i] = i;
    if (n < 3000) {
        for (int r = 0; r < 10; r++)
            for (int i = 0; i < n; i++)
                s += a[i];
    } else {
        for (int i = 0; i < n; i += 10)
            for (int r = 0; r < 10; r++)
                for (int k = 0; k < 10 && i + k < n; k++)
                    s += a[i + k];
    }
    printf("%g\n", s);
}
