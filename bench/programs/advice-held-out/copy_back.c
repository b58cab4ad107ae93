// SPDX-License-Identifier: MIT
// Heat flow with a second grid that is copied back after each step. Its rows are needed for a moment only:
// two rows at a time suffice.
//
// object: next grid
// level: L2
// accept: shrink fuse "call together" tile wavefront
// also: tile@old fuse@old "call together@old" wavefront@old
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WIDTH 160
#define HEIGHT 150
#define TIMES 8

static double old[HEIGHT][WIDTH];

#ifndef FIXED
static double next[HEIGHT][WIDTH];

static void diffuse(void)
{
    for (int y = 1; y < HEIGHT - 1; y++)
        for (int x = 1; x < WIDTH - 1; x++)
            next[y][x] = (old[y][x - 1] + old[y][x + 1] + old[y - 1][x] + old[y + 1][x]) * 0.25;
}

static void copy(void)
{
    for (int y = 1; y < HEIGHT - 1; y++)
        for (int x = 1; x < WIDTH - 1; x++)
            old[y][x] = next[y][x];
}
#else
static double next[2][WIDTH];
#endif

int main(void)
{
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++)
            old[y][x] = x * 4 + y;
    for (int time = 0; time < TIMES; time++) {
#ifndef FIXED
        diffuse();
        copy();
#else
        for (int y = 1; y < HEIGHT; y++) {
            if (y < HEIGHT - 1)
                for (int x = 1; x < WIDTH - 1; x++)
                    next[y & 1][x] = (old[y][x - 1] + old[y][x + 1] + old[y - 1][x] + old[y + 1][x]) * 0.25;
            if (y > 1)
                for (int x = 1; x < WIDTH - 1; x++)
                    old[y - 1][x] = next[(y - 1) & 1][x];
        }
#endif
    }
    double sum = 0;
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++)
            sum += old[y][x] * (x + 1);
    printf("%.10g\n", sum);
    return 0;
}
