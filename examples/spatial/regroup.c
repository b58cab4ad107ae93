// SPDX-License-Identifier: MIT
// Visits bodies in random order; eight arrays hold the fields of each, so that 64
// bytes need eight blocks. -DFIXED interleaves the arrays.
#include <stdio.h>

#include "example.h"

enum { COUNT = 20000 };

#ifdef FIXED
static _Alignas(64) struct {
    double x, y, z, u, v, w, mass, energy;
} bodies[COUNT];
#define BODY(field, i) bodies[i].field
#else
static double x[COUNT], y[COUNT], z[COUNT], u[COUNT], v[COUNT], w[COUNT], mass[COUNT], energy[COUNT];
#define BODY(field, i) field[i]
#endif

static uint32_t order[COUNT];

static void visit(void)
{
    for (int i = 0; i < COUNT; i++) {
        uint32_t k = order[i];
        BODY(x, k) += BODY(u, k);
        BODY(y, k) += BODY(v, k);
        BODY(z, k) += BODY(w, k);
        BODY(energy, k) += BODY(mass, k) * BODY(x, k);
    }
}

int main(int argc, char **argv)
{
    int rounds = rounds_of(argc, argv, 10);
    double sum = 0;
    shuffle(order, COUNT);
    for (int i = 0; i < COUNT; i++) {
        BODY(u, i) = BODY(v, i) = BODY(w, i) = i % 5;
        BODY(mass, i) = i % 3;
    }
    for (int round = 0; round < rounds; round++)
        visit();
    for (int i = 0; i < COUNT; i++)
        sum += BODY(energy, i) + BODY(y, i) + BODY(z, i);
    printf("%.0f\n", sum);
    return 0;
}
