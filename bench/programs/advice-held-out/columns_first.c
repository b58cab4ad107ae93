// SPDX-License-Identifier: MIT
// A field stored with i fastest, as Fortran does, traversed with k fastest.
//
// object: field flux
// level: L1
// accept: interchange tile
// carrier: i j
#include <stdio.h>
#include <stdlib.h>

#define NI 48
#define NJ 24
#define NK 160
#define AT(i, j, k) ((i) + NI * ((j) + NJ * (size_t)(k)))

static void divide(double *restrict field, double scale)
{
#ifndef FIXED
    for (int j = 0; j < NJ; j++)     // [j]
        for (int i = 0; i < NI; i++) // [i]
            for (int k = 0; k < NK; k++)
                field[AT(i, j, k)] *= scale;
#else
    for (int k = 0; k < NK; k++)
        for (int j = 0; j < NJ; j++)
            for (int i = 0; i < NI; i++)
                field[AT(i, j, k)] *= scale;
#endif
}

int main(void)
{
    double *field = malloc(sizeof *field * NI * NJ * NK);
    for (int n = 0; n < NI * NJ * NK; n++)
        field[n] = n % 1000;
    divide(field, 0.5);
    divide(field, 4);
    double sum = 0;
    for (int n = 0; n < NI * NJ * NK; n++)
        sum += field[n] * (n % 7);
    printf("%.10g\n", sum);
    free(field);
    return 0;
}
