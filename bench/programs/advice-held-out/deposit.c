// SPDX-License-Identifier: MIT
// Particles in random order add their charge to the cell of a mesh that they are in. Sorted by coarse cell
// first, neighbours on the mesh are used soon after each other.
//
// object: charge
// level: L2
// accept: partition reorder
// carrier: particles rounds
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SIDE 256
#define PARTICLES 120000
#define ROUNDS 3

typedef struct {
    float x, y;
} Particle;

static float charge[SIDE + 1][SIDE + 1];

static void deposit(const Particle *p, int count)
{
    for (int n = 0; n < count; n++) { // [particles]
        int row = (int)p[n].y, column = (int)p[n].x;
        charge[row][column] += 1.0f;
        charge[row][column + 1] += 2.0f;
        charge[row + 1][column] += 3.0f;
    }
}

#ifdef FIXED
static void sort_by_row(Particle *p, Particle *sorted, int count)
{
    int start[SIDE / 16 + 1] = {0};
    for (int n = 0; n < count; n++)
        start[(int)p[n].y / 16 + 1]++;
    for (int band = 0; band < SIDE / 16; band++)
        start[band + 1] += start[band];
    for (int n = 0; n < count; n++)
        sorted[start[(int)p[n].y / 16]++] = p[n];
    memcpy(p, sorted, (size_t)count * sizeof *p);
}
#endif

int main(void)
{
    Particle *p = malloc(PARTICLES * sizeof *p);
    unsigned seed = 99;
    for (int n = 0; n < PARTICLES; n++) {
        seed = seed * 1664525u + 1013904223u;
        p[n].x = (float)(seed >> 24);
        p[n].y = (float)(seed >> 16 & 255);
    }
#ifdef FIXED
    Particle *sorted = malloc(PARTICLES * sizeof *sorted);
    sort_by_row(p, sorted, PARTICLES);
    free(sorted);
#endif
    for (int round = 0; round < ROUNDS; round++) // [rounds]
        deposit(p, PARTICLES);
    double sum = 0;
    for (int row = 0; row <= SIDE; row++)
        for (int column = 0; column <= SIDE; column++)
            sum += charge[row][column] * (row + 1);
    printf("%.10g\n", sum);
    free(p);
    return 0;
}
