// SPDX-License-Identifier: MIT
// The table of an alignment of two texts, filled column by column, while its rows are contiguous.
//
// object: score
// level: L1
// accept: interchange tile wavefront
// carrier: columns
// native: -DN=4000
#include "kernel.h"

#ifndef N
#define N 480
#endif

static uint32_t score[N + 1][N + 1];
static unsigned char first[N], second[N];

static inline void fill(int i, int j)
{
    uint32_t both = score[i][j] + (first[i] == second[j] ? 3 : 0);
    uint32_t one = score[i][j + 1] > score[i + 1][j] ? score[i][j + 1] : score[i + 1][j];
    score[i + 1][j + 1] = both > one ? both : one;
}

int main(void)
{
    uint32_t state = 17;
    for (int i = 0; i < N; i++) {
        first[i] = next_random(&state) >> 30;
        second[i] = next_random(&state) >> 30;
    }
#ifndef FIXED
    for (int j = 0; j < N; j++) { // [columns]
        for (int i = 0; i < N; i++) {
            fill(i, j);
        }
    }
#else
    for (int i = 0; i < N; i++) {
        for (int j = 0; j < N; j++) {
            fill(i, j);
        }
    }
#endif
    printf("%u\n", score[N][N]);
}
