// SPDX-License-Identifier: MIT
// Shortest paths between all pairs of nodes: every node in between sweeps the whole matrix. Blocks of nodes
// in between use a part of the matrix many times.
//
// object: d distance
// level: L1
// accept: tile
// carrier: k
#include <stdio.h>
#include <stdlib.h>

#define N 96
#define B 16

static int d[N][N];

static void relax(int k0, int k1, int i0, int i1, int j0, int j1)
{
    for (int k = k0; k < k1; k++) // [k]
        for (int i = i0; i < i1; i++)
            for (int j = j0; j < j1; j++)
                if (d[i][k] + d[k][j] < d[i][j])
                    d[i][j] = d[i][k] + d[k][j];
}

int main(void)
{
    unsigned seed = 17;
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            seed = seed * 1103515245u + 12345u;
            d[i][j] = i == j ? 0 : (int)(seed >> 16 & 1023) + 1;
        }
#ifndef FIXED
    relax(0, N, 0, N, 0, N);
#else
    for (int k = 0; k < N; k += B) {
        relax(k, k + B, k, k + B, k, k + B);
        for (int j = 0; j < N; j += B)
            if (j != k)
                relax(k, k + B, k, k + B, j, j + B);
        for (int i = 0; i < N; i += B) {
            if (i == k)
                continue;
            relax(k, k + B, i, i + B, k, k + B);
            for (int j = 0; j < N; j += B)
                if (j != k)
                    relax(k, k + B, i, i + B, j, j + B);
        }
    }
#endif
    unsigned sum = 0;
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            sum = sum * 31u + (unsigned)d[i][j];
    printf("%u\n", sum);
    return 0;
}
