// SPDX-License-Identifier: MIT
// Shallow water on a periodic n × n grid: velocities u and v and the height p,
// staggered, leapfrog steps with a time filter (Sadourny's scheme).
//     swim [SIZE [ITERATIONS]]
#include "annotate.h"

static const double dx = 1e5, dy = 1e5, time_step = 20, filter = 0.001;

// Copies the row and the column that a staggered array lacks from the opposite side.
static void wrap(int n, double array[n + 1][n + 1], int down, int right)
{
    int row = down ? 0 : n, column = right ? 0 : n;
    for (int j = right; j < n + right; j++) {
        array[row][j] = array[n - row][j];
        RECORD(R(array, n - row, j), W(array, row, j));
    }
    for (int i = down; i < n + down; i++) {
        array[i][column] = array[i][n - column];
        RECORD(R(array, i, n - column), W(array, i, column));
    }
    array[row][column] = array[n - row][n - column];
    RECORD(R(array, n - row, n - column), W(array, row, column));
}

static void begin(int n, double psi[n + 1][n + 1], double u[n + 1][n + 1], double v[n + 1][n + 1],
                  double p[n + 1][n + 1])
{
    double turn = 2 * M_PI / n, swing = 50 * dx / turn, high = 50000, hill = 500;
    for (int i = 0; i <= n; i++)
        for (int j = 0; j <= n; j++) {
            psi[i][j] = swing * sin((i + 0.5) * turn) * sin((j + 0.5) * turn);
            RECORD(W(psi, i, j));
            p[i][j] = high + hill * (cos(2 * i * turn) + cos(2 * j * turn));
            RECORD(W(p, i, j));
        }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            u[i + 1][j] = -(psi[i + 1][j + 1] - psi[i + 1][j]) / dy;
            RECORD(R(psi, i + 1, j + 1), R(psi, i + 1, j), W(u, i + 1, j));
            v[i][j + 1] = (psi[i + 1][j + 1] - psi[i][j + 1]) / dx;
            RECORD(R(psi, i + 1, j + 1), R(psi, i, j + 1), W(v, i, j + 1));
        }
    wrap(n, u, 1, 0);
    wrap(n, v, 0, 1);
}

static void copy(int n, double from[n + 1][n + 1], double to[n + 1][n + 1])
{
    for (int i = 0; i <= n; i++)
        for (int j = 0; j <= n; j++) {
            to[i][j] = from[i][j];
            RECORD(R(from, i, j), W(to, i, j));
        }
}

// Mass fluxes cu and cv, potential vorticity z, and height with kinetic energy h.
static void fluxes(int n, double u[n + 1][n + 1], double v[n + 1][n + 1], double p[n + 1][n + 1],
                   double cu[n + 1][n + 1], double cv[n + 1][n + 1], double z[n + 1][n + 1],
                   double h[n + 1][n + 1])
{
    double fx = 4 / dx, fy = 4 / dy;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            cu[i + 1][j] = 0.5 * (p[i + 1][j] + p[i][j]) * u[i + 1][j];
            RECORD(R(p, i + 1, j), R(p, i, j), R(u, i + 1, j), W(cu, i + 1, j));
            cv[i][j + 1] = 0.5 * (p[i][j + 1] + p[i][j]) * v[i][j + 1];
            RECORD(R(p, i, j + 1), R(p, i, j), R(v, i, j + 1), W(cv, i, j + 1));
            z[i + 1][j + 1] = (fx * (v[i + 1][j + 1] - v[i][j + 1]) - fy * (u[i + 1][j + 1] - u[i + 1][j])) /
                              (p[i][j] + p[i + 1][j] + p[i + 1][j + 1] + p[i][j + 1]);
            RECORD(R(v, i + 1, j + 1), R(v, i, j + 1), R(u, i + 1, j + 1), R(u, i + 1, j), R(p, i, j),
                   R(p, i + 1, j), R(p, i + 1, j + 1), R(p, i, j + 1), W(z, i + 1, j + 1));
            h[i][j] = p[i][j] + 0.25 * (u[i + 1][j] * u[i + 1][j] + u[i][j] * u[i][j] +
                                        v[i][j + 1] * v[i][j + 1] + v[i][j] * v[i][j]);
            RECORD(R(p, i, j), R(u, i + 1, j), R(u, i + 1, j), R(u, i, j), R(u, i, j), R(v, i, j + 1),
                   R(v, i, j + 1), R(v, i, j), R(v, i, j), W(h, i, j));
        }
    wrap(n, cu, 1, 0);
    wrap(n, cv, 0, 1);
    wrap(n, z, 1, 1);
    wrap(n, h, 0, 0);
}

// New velocities and heights from the fluxes and the previous step.
static void advance(int n, double step, double uold[n + 1][n + 1], double vold[n + 1][n + 1],
                    double pold[n + 1][n + 1], double cu[n + 1][n + 1], double cv[n + 1][n + 1],
                    double z[n + 1][n + 1], double h[n + 1][n + 1], double unew[n + 1][n + 1],
                    double vnew[n + 1][n + 1], double pnew[n + 1][n + 1])
{
    double s8 = step / 8, sx = step / dx, sy = step / dy;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            unew[i + 1][j] = uold[i + 1][j] +
                             s8 * (z[i + 1][j + 1] + z[i + 1][j]) *
                                 (cv[i + 1][j + 1] + cv[i][j + 1] + cv[i][j] + cv[i + 1][j]) -
                             sx * (h[i + 1][j] - h[i][j]);
            RECORD(R(uold, i + 1, j), R(z, i + 1, j + 1), R(z, i + 1, j), R(cv, i + 1, j + 1),
                   R(cv, i, j + 1), R(cv, i, j), R(cv, i + 1, j), R(h, i + 1, j), R(h, i, j),
                   W(unew, i + 1, j));
            vnew[i][j + 1] = vold[i][j + 1] -
                             s8 * (z[i + 1][j + 1] + z[i][j + 1]) *
                                 (cu[i + 1][j + 1] + cu[i][j + 1] + cu[i][j] + cu[i + 1][j]) -
                             sy * (h[i][j + 1] - h[i][j]);
            RECORD(R(vold, i, j + 1), R(z, i + 1, j + 1), R(z, i, j + 1), R(cu, i + 1, j + 1),
                   R(cu, i, j + 1), R(cu, i, j), R(cu, i + 1, j), R(h, i, j + 1), R(h, i, j),
                   W(vnew, i, j + 1));
            pnew[i][j] = pold[i][j] - sx * (cu[i + 1][j] - cu[i][j]) - sy * (cv[i][j + 1] - cv[i][j]);
            RECORD(R(pold, i, j), R(cu, i + 1, j), R(cu, i, j), R(cv, i, j + 1), R(cv, i, j), W(pnew, i, j));
        }
    wrap(n, unew, 1, 0);
    wrap(n, vnew, 0, 1);
    wrap(n, pnew, 0, 0);
}

static void smooth(int n, double old[n + 1][n + 1], double now[n + 1][n + 1], double new[n + 1][n + 1], int i,
                   int j)
{
    old[i][j] = now[i][j] + filter * (new[i][j] - 2 * now[i][j] + old[i][j]);
    RECORD(R(now, i, j), R(new, i, j), R(now, i, j), R(old, i, j), W(old, i, j));
    now[i][j] = new[i][j];
    RECORD(R(new, i, j), W(now, i, j));
}

// Mass, and energy per mass, over the n × n cells.
static double mass_of(int n, double p[n + 1][n + 1])
{
    double mass = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            mass += p[i][j];
    return mass;
}

static double energy_of(int n, double u[n + 1][n + 1], double v[n + 1][n + 1], double p[n + 1][n + 1])
{
    double energy = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            energy += 0.25 * p[i][j] *
                      (2 * p[i][j] + u[i + 1][j] * u[i + 1][j] + u[i][j] * u[i][j] +
                       v[i][j + 1] * v[i][j + 1] + v[i][j] * v[i][j]);
    return energy;
}

int main(int argc, char **argv)
{
    int n = argument(argc, argv, 1, 256, 2), iterations = argument(argc, argv, 2, 2, 1), side = n + 1;
    size_t count = (size_t)side * (size_t)side;
    double(*u)[side], (*v)[side], (*p)[side], (*unew)[side], (*vnew)[side], (*pnew)[side], (*uold)[side];
    double(*vold)[side], (*pold)[side], (*cu)[side], (*cv)[side], (*z)[side], (*h)[side], (*psi)[side];
    ARRAY(u, count), ARRAY(v, count), ARRAY(p, count), ARRAY(unew, count), ARRAY(vnew, count);
    ARRAY(pnew, count), ARRAY(uold, count), ARRAY(vold, count), ARRAY(pold, count), ARRAY(cu, count);
    ARRAY(cv, count), ARRAY(z, count), ARRAY(h, count), ARRAY(psi, count);
    begin(n, psi, u, v, p);
    copy(n, u, uold);
    copy(n, v, vold);
    copy(n, p, pold);
    double mass = mass_of(n, p), energy = energy_of(n, u, v, p);
    for (int round = 0; round < iterations; round++) {
        fluxes(n, u, v, p, cu, cv, z, h);
        advance(n, round == 0 ? time_step : 2 * time_step, uold, vold, pold, cu, cv, z, h, unew, vnew, pnew);
        for (int i = 0; i <= n; i++)
            for (int j = 0; j <= n; j++) {
                smooth(n, uold, u, unew, i, j);
                smooth(n, vold, v, vnew, i, j);
                smooth(n, pold, p, pnew, i, j);
            }
    }
    // The scheme conserves the mass up to rounding, and the energy up to the error of a step.
    double error = fabs(mass_of(n, p) / mass - 1) + 1e-7 * fabs(energy_of(n, u, v, p) / energy - 1);
    return verdict("swim", n, iterations, energy_of(n, u, v, p), error, 1e-11);
}
