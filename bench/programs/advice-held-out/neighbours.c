// SPDX-License-Identifier: MIT
// Forces between atoms and their neighbours. The atoms are close in space to their neighbours, but stored in
// random order. Stored in spatial order, neighbours share blocks or are in the cache.
//
// object: position x
// level: L2
// accept: reorder partition
// carrier: atoms steps
// also: prefetch@position
#include <stdio.h>
#include <stdlib.h>

enum { ATOMS = 16384, NEAR = 6, STEPS = 3 };

typedef struct {
    double x, y, z;
} Vector;

static int neighbour[ATOMS][NEAR];
static Vector position[ATOMS];
static double force[ATOMS];

// Where an atom is stored: a permutation without order, or the identity.
static int stored(int atom)
{
#ifndef FIXED
    return (int)((unsigned)atom * 9301u % ATOMS ^ 0x15a5);
#else
    return atom;
#endif
}

int main(void)
{
    for (int a = 0; a < ATOMS; a++) {
        Vector *p = &position[stored(a)];
        p->x = a % 32;
        p->y = a / 32 % 32;
        p->z = (double)a / 1024;
        for (int n = 0; n < NEAR; n++)
            neighbour[stored(a)][n] = stored((a + (n + 1) * (n % 2 ? 3 : 32) + ATOMS - 40) % ATOMS);
    }
    for (int step = 0; step < STEPS; step++) { // [steps]
        for (int a = 0; a < ATOMS; a++) {      // [atoms]
            const Vector *mine = &position[a];
            double sum = 0;
            for (int n = 0; n < NEAR; n++) {
                const Vector *other = &position[neighbour[a][n]];
                sum += (other->x - mine->x) + (other->y - mine->y) * 2 + (other->z - mine->z) * 4;
            }
            force[a] += sum;
        }
    }
    double sum = 0;
    for (int a = 0; a < ATOMS; a++)
        sum += force[stored(a)] * (a % 10);
    printf("%.6f\n", sum);
    return 0;
}
