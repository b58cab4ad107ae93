// SPDX-License-Identifier: MIT
// Each time step allocates temporaries for all elements, fills them by one function and uses them in the
// next. A few elements at a time need little memory.
//
// object: dvdx dvdy heap
// level: L2
// accept: shrink fuse "call together"
// reject: tile
// also: tile@x tile@f tile@mesh
#include <stdio.h>
#include <stdlib.h>

#define ELEMENTS 9000
#define CORNERS 4
#define CYCLES 5
#ifdef FIXED
#define AT_ONCE 100
#else
#define AT_ONCE ELEMENTS
#endif

typedef struct {
    double *x, *f;
} Mesh;

static double *allocate(size_t count)
{
    return malloc(count * sizeof(double));
}

__attribute__((noinline)) static void find_derivatives(const Mesh *mesh, double *dvdx, double *dvdy, int from,
                                                       int to)
{
    for (int e = from; e < to; e++)
        for (int c = 0; c < CORNERS; c++) {
            dvdx[(e - from) * CORNERS + c] = mesh->x[e] * (c + 1);
            dvdy[(e - from) * CORNERS + c] = mesh->x[e] - c;
        }
}

__attribute__((noinline)) static void add_forces(const Mesh *mesh, const double *dvdx, const double *dvdy,
                                                 int from, int to)
{
    for (int e = from; e < to; e++)
        for (int c = 0; c < CORNERS; c++)
            mesh->f[e] += dvdx[(e - from) * CORNERS + c] * 0.5 - dvdy[(e - from) * CORNERS + c];
}

static void step(Mesh *mesh)
{
    double *dvdx = allocate(AT_ONCE * CORNERS), *dvdy = allocate(AT_ONCE * CORNERS);
    for (int from = 0; from < ELEMENTS; from += AT_ONCE) {
        find_derivatives(mesh, dvdx, dvdy, from, from + AT_ONCE);
        add_forces(mesh, dvdx, dvdy, from, from + AT_ONCE);
    }
    free(dvdy);
    free(dvdx);
}

int main(void)
{
    Mesh mesh = {allocate(ELEMENTS), allocate(ELEMENTS)};
    for (int e = 0; e < ELEMENTS; e++) {
        mesh.x[e] = e % 100;
        mesh.f[e] = 0;
    }
    for (int cycle = 0; cycle < CYCLES; cycle++)
        step(&mesh);
    double sum = 0;
    for (int e = 0; e < ELEMENTS; e++)
        sum += mesh.f[e] * (e % 3);
    printf("%.10g\n", sum);
    return 0;
}
