// SPDX-License-Identifier: MIT
// A transform whose stages combine elements at distances that are powers of two, in a matrix of columns.
// Rows of 512 elements put one column into few sets of the cache.
//
// object: m matrix
// level: L1
// accept: pad
// ways: 8
#include <stdio.h>

#define ROWS 64
#ifdef FIXED
#define PITCH (512 + 8)
#else
#define PITCH 512
#endif
#define COLUMNS 64

static double m[ROWS][PITCH];

int main(void)
{
    for (int row = 0; row < ROWS; row++)
        for (int column = 0; column < COLUMNS; column++)
            m[row][column] = row * 3 + column;
    for (int column = 0; column < COLUMNS; column++)
        for (int repeat = 0; repeat < 4; repeat++)
            for (int half = 1; half < ROWS; half *= 2)
                for (int row = 0; row < ROWS; row++)
                    if (!(row & half)) {
                        double a = m[row][column], b = m[row + half][column];
                        m[row][column] = (a + b) * 0.5;
                        m[row + half][column] = (a - b) * 0.5;
                    }
    double sum = 0;
    for (int row = 0; row < ROWS; row++)
        for (int column = 0; column < COLUMNS; column++)
            sum += m[row][column] * (row + 1);
    printf("%.9g\n", sum);
    return 0;
}
