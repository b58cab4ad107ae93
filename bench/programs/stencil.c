// SPDX-License-Identifier: MIT
// Five-point stencil on a plane that a second-level cache holds.
#include <stdio.h>
#include <stdlib.h>

enum { SIDE = 256 };

static double now[SIDE][SIDE], next[SIDE][SIDE];

__attribute__((noinline)) static void step(double (*restrict to)[SIDE], double (*restrict from)[SIDE])
{
    for (int i = 1; i < SIDE - 1; i++)
        for (int j = 1; j < SIDE - 1; j++)
            to[i][j] = 0.2 * (from[i][j] + from[i - 1][j] + from[i + 1][j] + from[i][j - 1] + from[i][j + 1]);
}

int main(int argc, char **argv)
{
    int rounds = argc > 1 ? atoi(argv[1]) : 1;
    for (int i = 0; i < SIDE; i++)
        now[i][0] = next[i][0] = i;
    for (int r = 0; r < rounds; r++) {
        step(next, now);
        step(now, next);
    }
    printf("%g\n", now[SIDE / 2][1]);
    return 0;
}
