// SPDX-License-Identifier: MIT
// Sums a matrix column by column although it is stored by rows. -DFIXED
// interchanges the loops.
#include <stdio.h>

#include "example.h"

enum { SIDE = 1000 };

static int matrix[SIDE][SIDE];

static long sum_up(void)
{
    long sum = 0;
#ifdef FIXED
    for (int i = 0; i < SIDE; i++)
        for (int j = 0; j < SIDE; j++)
            sum += matrix[i][j];
#else
    for (int j = 0; j < SIDE; j++)
        for (int i = 0; i < SIDE; i++)
            sum += matrix[i][j];
#endif
    return sum;
}

int main(int argc, char **argv)
{
    int rounds = rounds_of(argc, argv, 4);
    long sum = 0;
    for (int i = 0; i < SIDE; i++)
        for (int j = 0; j < SIDE; j++)
            matrix[i][j] = i ^ j;
    for (int round = 0; round < rounds; round++)
        sum += sum_up();
    printf("%ld\n", sum);
    return 0;
}
