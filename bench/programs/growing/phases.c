// SPDX-License-Identifier: MIT
// Not predictable from its size: how often it sweeps all data, or a small part, depends on a hash of the
// size.
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 1000;
    double *a = malloc(sizeof *a * n), s = 0;
    unsigned h = n * 2654435761u;
    int rounds = 1 + (h >> 16) % 13, local = (h >> 8) % 17;
    for (int i = 0; i < n; i++)
        a[i] = i;
    for (int r = 0; r < rounds; r++)
        for (int i = 0; i < n; i++)
            s += a[i];
    for (int r = 0; r < local; r++)
        for (int i = 0; i < n; i++)
            s += a[i % 100];
    printf("%g\n", s);
}
