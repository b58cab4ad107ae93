// SPDX-License-Identifier: MIT
// Particle transport on n × n × n cells: discrete ordinates, weighted
// differences, six directions in each of the eight octants. A sweep goes
// through the lines of cells in the order of a wavefront: line (j, k) of
// direction a on diagonal a + j + k. An iteration is the source from the flux,
// then the sweeps of all octants.
//     sweep [SIZE [ITERATIONS]]
#include "annotate.h"

enum { MOMENTS = 4, ANGLES = 6, OCTANTS = 8 };

// The weight of the far face in the mean of a cell. 1/2 would be diamond differences, which can become
// negative.
static const double ahead = 0.75;

static const double width = 0.1, total = 1, scattered = 0.5, scattered_forward = 0.1, emitted = 1;

typedef struct direction {
    double weight, x, y, z; // cosines, of the first octant
} direction;

// The level-symmetric set of order six.
static void directions(direction set[ANGLES])
{
    static const double cosine[] = {0.2666355, 0.6815076, 0.9261808}, weight[] = {0.1761263, 0.1572071};
    static const int level[ANGLES][4] = {{0, 0, 2, 0}, {0, 2, 0, 0}, {2, 0, 0, 0},
                                         {0, 1, 1, 1}, {1, 0, 1, 1}, {1, 1, 0, 1}};
    double sum = OCTANTS * 3 * (weight[0] + weight[1]);
    for (int a = 0; a < ANGLES; a++)
        set[a] = (direction){weight[level[a][3]] / sum, cosine[level[a][0]], cosine[level[a][1]],
                             cosine[level[a][2]]};
}

static void begin(int n, double flux[MOMENTS][n][n][n], double sigt[n][n][n])
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            for (int k = 0; k < n; k++) {
                sigt[i][j][k] = total + 0.1 * ((i + j + k) % 3);
                RECORD(W(sigt, i, j, k));
                for (int m = 0; m < MOMENTS; m++) {
                    flux[m][i][j][k] = 0;
                    RECORD(W(flux, m, i, j, k));
                }
            }
}

// Emission in the inner half, and scattering everywhere.
static void sources(int n, double flux[MOMENTS][n][n][n], double src[MOMENTS][n][n][n])
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            for (int k = 0; k < n; k++) {
                int inner =
                    4 * i >= n && 4 * i < 3 * n && 4 * j >= n && 4 * j < 3 * n && 4 * k >= n && 4 * k < 3 * n;
                src[0][i][j][k] = (inner ? emitted : 0.5 * emitted) + scattered * flux[0][i][j][k];
                RECORD(R(flux, 0, i, j, k), W(src, 0, i, j, k));
                for (int m = 1; m < MOMENTS; m++) {
                    src[m][i][j][k] = scattered_forward * flux[m][i][j][k];
                    RECORD(R(flux, m, i, j, k), W(src, m, i, j, k));
                }
                for (int m = 0; m < MOMENTS; m++) {
                    flux[m][i][j][k] = 0;
                    RECORD(W(flux, m, i, j, k));
                }
            }
}

// No particles enter from outside.
static void empty_faces(int n, double fx[ANGLES][n][n], double fy[ANGLES][n][n], double fz[ANGLES][n][n])
{
    for (int a = 0; a < ANGLES; a++)
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++) {
                fx[a][i][j] = 0;
                RECORD(W(fx, a, i, j));
                fy[a][i][j] = 0;
                RECORD(W(fy, a, i, j));
                fz[a][i][j] = 0;
                RECORD(W(fz, a, i, j));
            }
}

// The leakage at the far sides of an octant.
static double leakage(int n, const direction set[ANGLES], double fx[ANGLES][n][n], double fy[ANGLES][n][n],
                      double fz[ANGLES][n][n])
{
    double sum = 0;
    for (int a = 0; a < ANGLES; a++)
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++) {
                sum += set[a].weight *
                       (set[a].x * fx[a][i][j] + set[a].y * fy[a][i][j] + set[a].z * fz[a][i][j]) / width;
                RECORD(R(fx, a, i, j), R(fy, a, i, j), R(fz, a, i, j));
            }
    return sum;
}

// The line (j, k) of cells along x in direction d, whose cosines have their
// signs. Returns the number of negative fluxes.
static int sweep_line(int n, int a, int j, int k, direction d, double src[MOMENTS][n][n][n],
                      double sigt[n][n][n], double flux[MOMENTS][n][n][n], double fx[ANGLES][n][n],
                      double fy[ANGLES][n][n], double fz[ANGLES][n][n])
{
    double x = fabs(d.x) / (width * ahead), y = fabs(d.y) / (width * ahead), z = fabs(d.z) / (width * ahead);
    int negative = 0;
    for (int l = 0; l < n; l++) {
        int i = d.x > 0 ? l : n - 1 - l;
        double s = src[0][i][j][k] + d.x * src[1][i][j][k] + d.y * src[2][i][j][k] + d.z * src[3][i][j][k];
        RECORD(R(src, 0, i, j, k), R(src, 1, i, j, k), R(src, 2, i, j, k), R(src, 3, i, j, k));
        double psi = (s + x * fx[a][j][k] + y * fy[a][i][k] + z * fz[a][i][j]) / (sigt[i][j][k] + x + y + z);
        RECORD(R(fx, a, j, k), R(fy, a, i, k), R(fz, a, i, j), R(sigt, i, j, k));
        fx[a][j][k] = (psi - (1 - ahead) * fx[a][j][k]) / ahead;
        RECORD(R(fx, a, j, k), W(fx, a, j, k));
        fy[a][i][k] = (psi - (1 - ahead) * fy[a][i][k]) / ahead;
        RECORD(R(fy, a, i, k), W(fy, a, i, k));
        fz[a][i][j] = (psi - (1 - ahead) * fz[a][i][j]) / ahead;
        RECORD(R(fz, a, i, j), W(fz, a, i, j));
        double least = fmin(fx[a][j][k], fmin(fy[a][i][k], fz[a][i][j]));
        RECORD(R(fx, a, j, k), R(fy, a, i, k), R(fz, a, i, j));
        negative += least < 0 || psi < 0;
        flux[0][i][j][k] = flux[0][i][j][k] + d.weight * psi;
        RECORD(R(flux, 0, i, j, k), W(flux, 0, i, j, k));
        flux[1][i][j][k] = flux[1][i][j][k] + d.weight * d.x * psi;
        RECORD(R(flux, 1, i, j, k), W(flux, 1, i, j, k));
        flux[2][i][j][k] = flux[2][i][j][k] + d.weight * d.y * psi;
        RECORD(R(flux, 2, i, j, k), W(flux, 2, i, j, k));
        flux[3][i][j][k] = flux[3][i][j][k] + d.weight * d.z * psi;
        RECORD(R(flux, 3, i, j, k), W(flux, 3, i, j, k));
    }
    return negative;
}

static int sweep_octant(int n, int octant, const direction set[ANGLES], double src[MOMENTS][n][n][n],
                        double sigt[n][n][n], double flux[MOMENTS][n][n][n], double fx[ANGLES][n][n],
                        double fy[ANGLES][n][n], double fz[ANGLES][n][n])
{
    int negative = 0;
    for (int diagonal = 0; diagonal < 2 * n + ANGLES - 2; diagonal++)
        for (int a = 0; a < ANGLES; a++)
            for (int step = 0; step < n; step++) {
                int other = diagonal - a - step;
                if (other < 0 || other >= n)
                    continue;
                int j = octant & 2 ? n - 1 - other : other, k = octant & 4 ? n - 1 - step : step;
                direction d = {set[a].weight, octant & 1 ? -set[a].x : set[a].x,
                               octant & 2 ? -set[a].y : set[a].y, octant & 4 ? -set[a].z : set[a].z};
                negative += sweep_line(n, a, j, k, d, src, sigt, flux, fx, fy, fz);
            }
    return negative;
}

// In each sweep, absorption and leakage add up to the emission.
static double imbalance(int n, double leaked, double src[MOMENTS][n][n][n], double sigt[n][n][n],
                        double flux[MOMENTS][n][n][n], double *checksum)
{
    double lost = leaked, made = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            for (int k = 0; k < n; k++) {
                lost += sigt[i][j][k] * flux[0][i][j][k];
                made += src[0][i][j][k];
                *checksum +=
                    flux[0][i][j][k] + i * flux[1][i][j][k] + j * flux[2][i][j][k] + k * flux[3][i][j][k];
            }
    return fabs(lost / made - 1);
}

int main(int argc, char **argv)
{
    int n = argument(argc, argv, 1, 10, 1), iterations = argument(argc, argv, 2, 2, 1), negative = 0;
    size_t face = (size_t)n * (size_t)n, cells = face * (size_t)n;
    double(*flux)[n][n][n], (*src)[n][n][n], (*sigt)[n][n], (*fx)[n][n], (*fy)[n][n], (*fz)[n][n];
    double leaked = 0, checksum = 0;
    direction set[ANGLES];
    ARRAY(flux, MOMENTS * cells);
    ARRAY(src, MOMENTS * cells);
    ARRAY(sigt, cells);
    ARRAY(fx, ANGLES * face);
    ARRAY(fy, ANGLES * face);
    ARRAY(fz, ANGLES * face);
    directions(set);
    begin(n, flux, sigt);
    for (int round = 0; round < iterations; round++) {
        sources(n, flux, src);
        leaked = 0;
        for (int octant = 0; octant < OCTANTS; octant++) {
            empty_faces(n, fx, fy, fz);
            negative += sweep_octant(n, octant, set, src, sigt, flux, fx, fy, fz);
            leaked += leakage(n, set, fx, fy, fz);
        }
    }
    double error = negative > 0 ? INFINITY : imbalance(n, leaked, src, sigt, flux, &checksum);
    return verdict("sweep", n, iterations, checksum, error, 1e-12);
}
