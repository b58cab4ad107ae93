// SPDX-License-Identifier: MIT
// The shallow-water model of examples/papers/swim.c on a periodic n × n grid, plus
// a check of the new fields in each step, like the version in a well-known benchmark
// suite. The loops of the check walk down the columns of arrays stored by rows.
//     shallow [SIZE [STEPS]]
// -DREGROUPED interleaves arrays that the same loops use at the same index and
// changes no loop. -DINTERCHANGED interchanges the loops of the check.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const double dx = 1e5, dy = 1e5, time_step = 20, filter = 0.001;
static int n;

// The largest grid, plus the row and the column of the opposite side.
enum { SIDE = 1336 };

#ifdef REGROUPED
static struct {
    double u, v, p;
} state[SIDE][SIDE]; // used by fluxes and smooth
static struct {
    double cu, cv, z, h;
} flux[SIDE][SIDE]; // used by fluxes and advance
static struct {
    double unew, vnew, pnew, pold; // pold also avoids records that cross blocks
} step[SIDE][SIDE];                // used by advance and smooth; most of it by check too
static struct {
    double uold, vold;
} old[SIDE][SIDE]; // used by advance and smooth
#define U(i, j) state[i][j].u
#define V(i, j) state[i][j].v
#define P(i, j) state[i][j].p
#define CU(i, j) flux[i][j].cu
#define CV(i, j) flux[i][j].cv
#define Z(i, j) flux[i][j].z
#define H(i, j) flux[i][j].h
#define UOLD(i, j) old[i][j].uold
#define VOLD(i, j) old[i][j].vold
#define POLD(i, j) step[i][j].pold
#define UNEW(i, j) step[i][j].unew
#define VNEW(i, j) step[i][j].vnew
#define PNEW(i, j) step[i][j].pnew
#else
static double u[SIDE][SIDE], v[SIDE][SIDE], p[SIDE][SIDE];
static double cu[SIDE][SIDE], cv[SIDE][SIDE], z[SIDE][SIDE], h[SIDE][SIDE];
static double uold[SIDE][SIDE], vold[SIDE][SIDE], pold[SIDE][SIDE];
static double unew[SIDE][SIDE], vnew[SIDE][SIDE], pnew[SIDE][SIDE];
#define U(i, j) u[i][j]
#define V(i, j) v[i][j]
#define P(i, j) p[i][j]
#define CU(i, j) cu[i][j]
#define CV(i, j) cv[i][j]
#define Z(i, j) z[i][j]
#define H(i, j) h[i][j]
#define UOLD(i, j) uold[i][j]
#define VOLD(i, j) vold[i][j]
#define POLD(i, j) pold[i][j]
#define UNEW(i, j) unew[i][j]
#define VNEW(i, j) vnew[i][j]
#define PNEW(i, j) pnew[i][j]
#endif

// Copies the row and the column that a staggered array lacks from the opposite side.
#define WRAP(ARRAY, down, right)                                                                             \
    do {                                                                                                     \
        int row = (down) ? 0 : n, column = (right) ? 0 : n;                                                  \
        for (int j = (right); j < n + (right); j++)                                                          \
            ARRAY(row, j) = ARRAY(n - row, j);                                                               \
        for (int i = (down); i < n + (down); i++)                                                            \
            ARRAY(i, column) = ARRAY(i, n - column);                                                         \
        ARRAY(row, column) = ARRAY(n - row, n - column);                                                     \
    } while (0)

static double stream(int i, int j)
{
    double turn = 2 * M_PI / n, swing = 50 * dx / turn;
    return swing * sin((i + 0.5) * turn) * sin((j + 0.5) * turn);
}

static void begin(void)
{
    double turn = 2 * M_PI / n, high = 50000, hill = 500;
    for (int i = 0; i <= n; i++)
        for (int j = 0; j <= n; j++)
            P(i, j) = high + hill * (cos(2 * i * turn) + cos(2 * j * turn));
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            U(i + 1, j) = -(stream(i + 1, j + 1) - stream(i + 1, j)) / dy;
            V(i, j + 1) = (stream(i + 1, j + 1) - stream(i, j + 1)) / dx;
        }
    WRAP(U, 1, 0);
    WRAP(V, 0, 1);
    for (int i = 0; i <= n; i++)
        for (int j = 0; j <= n; j++) {
            UOLD(i, j) = U(i, j);
            VOLD(i, j) = V(i, j);
            POLD(i, j) = P(i, j);
        }
}

// Mass fluxes cu and cv, potential vorticity z, and height with kinetic energy h.
static void fluxes(void)
{
    double fx = 4 / dx, fy = 4 / dy;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            CU(i + 1, j) = 0.5 * (P(i + 1, j) + P(i, j)) * U(i + 1, j);
            CV(i, j + 1) = 0.5 * (P(i, j + 1) + P(i, j)) * V(i, j + 1);
            Z(i + 1, j + 1) = (fx * (V(i + 1, j + 1) - V(i, j + 1)) - fy * (U(i + 1, j + 1) - U(i + 1, j))) /
                              (P(i, j) + P(i + 1, j) + P(i + 1, j + 1) + P(i, j + 1));
            H(i, j) = P(i, j) + 0.25 * (U(i + 1, j) * U(i + 1, j) + U(i, j) * U(i, j) +
                                        V(i, j + 1) * V(i, j + 1) + V(i, j) * V(i, j));
        }
    WRAP(CU, 1, 0);
    WRAP(CV, 0, 1);
    WRAP(Z, 1, 1);
    WRAP(H, 0, 0);
}

// New velocities and heights from the fluxes and the previous step.
static void advance(double seconds)
{
    double s8 = seconds / 8, sx = seconds / dx, sy = seconds / dy;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            UNEW(i + 1, j) = UOLD(i + 1, j) +
                             s8 * (Z(i + 1, j + 1) + Z(i + 1, j)) *
                                 (CV(i + 1, j + 1) + CV(i, j + 1) + CV(i, j) + CV(i + 1, j)) -
                             sx * (H(i + 1, j) - H(i, j));
            VNEW(i, j + 1) = VOLD(i, j + 1) -
                             s8 * (Z(i + 1, j + 1) + Z(i, j + 1)) *
                                 (CU(i + 1, j + 1) + CU(i, j + 1) + CU(i, j) + CU(i + 1, j)) -
                             sy * (H(i, j + 1) - H(i, j));
            PNEW(i, j) = POLD(i, j) - sx * (CU(i + 1, j) - CU(i, j)) - sy * (CV(i, j + 1) - CV(i, j));
        }
    WRAP(UNEW, 1, 0);
    WRAP(VNEW, 0, 1);
    WRAP(PNEW, 0, 0);
}

// Sums of the new heights and of the absolute velocities.
static void check(double *sums)
{
    double height = 0, across = 0, along = 0;
#ifdef INTERCHANGED
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
#else
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++) {
#endif
            height += PNEW(i, j);
            across += fabs(UNEW(i, j));
            along += fabs(VNEW(i, j));
        }
    sums[0] = height, sums[1] = across, sums[2] = along;
}

static void smooth(void)
{
    for (int i = 0; i <= n; i++)
        for (int j = 0; j <= n; j++) {
            UOLD(i, j) = U(i, j) + filter * (UNEW(i, j) - 2 * U(i, j) + UOLD(i, j));
            U(i, j) = UNEW(i, j);
            VOLD(i, j) = V(i, j) + filter * (VNEW(i, j) - 2 * V(i, j) + VOLD(i, j));
            V(i, j) = VNEW(i, j);
            POLD(i, j) = P(i, j) + filter * (PNEW(i, j) - 2 * P(i, j) + POLD(i, j));
            P(i, j) = PNEW(i, j);
        }
}

// Not inlined, so that `deja --start-at` can skip the set-up of the fields.
static __attribute__((noinline)) void simulate(int steps, double *sums)
{
    for (int round = 0; round < steps; round++) {
        fluxes();
        advance(round == 0 ? time_step : 2 * time_step);
        check(sums);
        smooth();
    }
}

int main(int argc, char **argv)
{
    n = argc > 1 ? atoi(argv[1]) : 512;
    int steps = argc > 2 ? atoi(argv[2]) : 4;
    if (n < 2 || n >= SIDE || steps < 1) {
        fprintf(stderr, "usage: shallow [SIZE [STEPS]], a size of 2 to %d\n", SIDE - 1);
        return 2;
    }
    begin();
    double mass = 0, sums[3];
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            mass += P(i, j);
    simulate(steps, sums);
    double error = fabs(sums[0] / mass - 1); // the scheme conserves the mass up to rounding
    printf("shallow %d %d: velocities %.9e %.9e, %s\n", n, steps, sums[1], sums[2],
           error < 1e-11 ? "the mass is kept" : "the mass is NOT kept");
    return !(error < 1e-11);
}
