// SPDX-License-Identifier: MIT
// A residual and a smoother, each a sweep over the grid by a function of its own. The smoother can follow
// the residual two planes behind, and then three planes of residuals are enough.
//
// model: NPB MG
// object: u r
// level: L2
// accept: fuse "call together" tile wavefront shrink
// also: tile@v fuse@v
// carrier: cycles
// native: -DN=200
#include "kernel.h"

#ifndef N
#define N 32
#endif
#define CYCLES 4

// Planes of residuals; the outermost ones are 0.
#ifndef FIXED
#define KEPT N
#define AT(k) (k)
#else
#define KEPT 5
#define AT(k) ((k) == 0 || (k) == N - 1 ? 4 : (k) % 4)
#endif

static uint32_t u[N][N][N], v[N][N][N], r[KEPT][N][N];

static inline void residual_plane(int k)
{
    for (int j = 1; j < N - 1; j++) {
        for (int i = 1; i < N - 1; i++) {
            r[AT(k)][j][i] = v[k][j][i] - 6 * u[k][j][i] + u[k - 1][j][i] + u[k + 1][j][i] + u[k][j - 1][i] +
                             u[k][j + 1][i] + u[k][j][i - 1] + u[k][j][i + 1];
        }
    }
}

static inline void smooth_plane(int k)
{
    for (int j = 1; j < N - 1; j++) {
        for (int i = 1; i < N - 1; i++) {
            u[k][j][i] += 3 * r[AT(k)][j][i] + r[AT(k - 1)][j][i] + r[AT(k + 1)][j][i] + r[AT(k)][j - 1][i] +
                          r[AT(k)][j + 1][i] + r[AT(k)][j][i - 1] + r[AT(k)][j][i + 1];
        }
    }
}

#ifndef FIXED
ALONE void residual(void)
{
    for (int k = 1; k < N - 1; k++) {
        residual_plane(k);
    }
}

ALONE void smooth(void)
{
    for (int k = 1; k < N - 1; k++) {
        smooth_plane(k);
    }
}
#endif

// The number of cycles is unknown to the compiler, which would unroll the loop.
int main(int count, char **arguments)
{
    (void)arguments;
    for (int k = 0; k < N; k++) {
        for (int j = 0; j < N; j++) {
            for (int i = 0; i < N; i++) {
                v[k][j][i] = (uint32_t)(k * 5 + j * 3 + i);
            }
        }
    }
    for (int cycle = 0; cycle < CYCLES * count; cycle++) { // [cycles]
#ifndef FIXED
        residual();
        smooth();
#else
        residual_plane(1);
        for (int k = 2; k < N - 1; k++) {
            residual_plane(k);
            smooth_plane(k - 1);
        }
        smooth_plane(N - 2);
#endif
    }
    uint32_t sum = 0;
    for (int k = 0; k < N; k++) {
        for (int i = 0; i < N; i++) {
            sum = sum * 31 + u[k][N / 2][i];
        }
    }
    printf("%u\n", sum);
}
