// SPDX-License-Identifier: MIT
// What each candidate for a center would save, summed over all points: one candidate after the other goes
// through all points. Several candidates at a time use a point once.
//
// model: PARSEC streamcluster
// object: point cost
// level: L2
// accept: tile interchange
// carrier: candidates
// native: -DPOINTS=200000
#include "kernel.h"

#ifndef POINTS
#define POINTS 2400
#endif
#define DIMENSIONS 16
#define CANDIDATES 24

static int32_t point[POINTS][DIMENSIONS], cost[POINTS], gain[CANDIDATES];

static inline int32_t distance(int i, int j)
{
    int32_t sum = 0;
    for (int k = 0; k < DIMENSIONS; k++) {
        int32_t off = point[i][k] - point[j][k];
        sum += off * off;
    }
    return sum;
}

static inline void consider(int c, int i)
{
    int32_t saved = cost[i] - distance(i, c * 7);
    if (saved > 0) {
        gain[c] += saved;
    }
}

int main(void)
{
    uint32_t state = 77;
    for (int i = 0; i < POINTS; i++) {
        cost[i] = 400;
        for (int k = 0; k < DIMENSIONS; k++) {
            point[i][k] = (int32_t)(next_random(&state) >> 28);
        }
    }
#ifndef FIXED
    for (int c = 0; c < CANDIDATES; c++) { // [candidates]
        for (int i = 0; i < POINTS; i++) {
            consider(c, i);
        }
    }
#else
    for (int i = 0; i < POINTS; i++) {
        for (int c = 0; c < CANDIDATES; c++) {
            consider(c, i);
        }
    }
#endif
    int32_t best = 0;
    for (int c = 0; c < CANDIDATES; c++) {
        best = gain[c] > gain[best] ? c : best;
    }
    printf("%d %d\n", best, gain[best]);
}
