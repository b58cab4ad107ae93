// SPDX-License-Identifier: MIT
// Gauss-Seidel in two colours: all red points, then all black ones. Black rows can follow red rows at a
// distance of one row, and the next iteration can follow at a distance of two.
//
// object: u
// level: L2
// accept: fuse wavefront tile
// carrier: iterations
#include <stdio.h>
#include <stdlib.h>

enum { SIDE = 130, ITERATIONS = 6 };

static void relax_row(double *u, int row, int colour)
{
    double *here = u + (size_t)row * SIDE;
    for (int column = 1 + (row + colour) % 2; column < SIDE - 1; column += 2)
        here[column] =
            0.25 * (here[column - 1] + here[column + 1] + here[column - SIDE] + here[column + SIDE]);
}

static void relax(double *u)
{
#ifndef FIXED
    for (int colour = 0; colour < 2; colour++)
        for (int row = 1; row < SIDE - 1; row++)
            relax_row(u, row, colour);
#else
    for (int row = 1; row < SIDE; row++) {
        if (row < SIDE - 1)
            relax_row(u, row, 0);
        if (row > 1)
            relax_row(u, row - 1, 1);
    }
#endif
}

int main(void)
{
    double *u = calloc((size_t)SIDE * SIDE, sizeof *u);
    for (int i = 0; i < SIDE; i++)
        u[i] = u[(size_t)i * SIDE] = i;
    for (int iteration = 0; iteration < ITERATIONS; iteration++) // [iterations]
        relax(u);
    double sum = 0;
    for (int i = 0; i < SIDE * SIDE; i++)
        sum += u[i];
    printf("%.10g\n", sum);
    free(u);
    return 0;
}
