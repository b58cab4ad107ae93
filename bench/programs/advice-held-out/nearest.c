// SPDX-License-Identifier: MIT
// The nearest of many points to each of many queries: each query goes through all points. Sixteen queries at
// a time use every point that is fetched sixteen times.
//
// object: points point made
// level: L2
// accept: tile interchange
// carrier: queries
#include <stdio.h>
#include <stdlib.h>

enum { POINTS = 8000, QUERIES = 64, DIMENSIONS = 3 };

struct point {
    float at[DIMENSIONS];
};

static float distance(const struct point *a, const struct point *b)
{
    float sum = 0;
    for (int d = 0; d < DIMENSIONS; d++)
        sum += (a->at[d] - b->at[d]) * (a->at[d] - b->at[d]);
    return sum;
}

static struct point *make(int count, unsigned seed)
{
    struct point *made = malloc((size_t)count * sizeof *made);
    for (int i = 0; i < count; i++)
        for (int d = 0; d < DIMENSIONS; d++) {
            seed = seed * 1664525u + 1013904223u;
            made[i].at[d] = (float)(seed >> 20);
        }
    return made;
}

int main(void)
{
    struct point *points = make(POINTS, 1), *queries = make(QUERIES, 2);
    static float best[QUERIES];
    static int found[QUERIES];
#ifdef FIXED
    const int block = 16;
#else
    const int block = 1;
#endif
    for (int q = 0; q < QUERIES; q++)
        best[q] = 1e30f;
    for (int first = 0; first < QUERIES; first += block) { // [queries]
        for (int p = 0; p < POINTS; p++) {
            for (int q = first; q < first + block; q++) {
                float far = distance(&points[p], &queries[q]);
                if (far < best[q]) {
                    best[q] = far;
                    found[q] = p;
                }
            }
        }
    }
    unsigned sum = 0;
    for (int q = 0; q < QUERIES; q++)
        sum = sum * 31u + (unsigned)found[q];
    printf("%u\n", sum);
    free(points);
    free(queries);
    return 0;
}
