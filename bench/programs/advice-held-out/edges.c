// SPDX-License-Identifier: MIT
// The degrees of a graph from its edges in random order, then the lists of neighbours. Edges distributed by
// their first node before fill one part of the lists at a time.
//
// object: degree next list
// level: L2
// accept: partition reorder
#include <stdio.h>
#include <stdlib.h>

#define NODES 32768
#define EDGES 150000
#define PARTS 16

struct edge {
    int from, to;
};

static struct edge edges[EDGES];
static int next[NODES + 1], list[EDGES];
#ifdef FIXED
static struct edge parted[EDGES];
static int begin[PARTS + 1];
#endif

int main(void)
{
    unsigned seed = 3;
    struct edge *all = edges;
    for (int e = 0; e < EDGES; e++) {
        seed = seed * 1664525u + 1013904223u;
        edges[e].from = (int)(seed >> 17);
        seed = seed * 1664525u + 1013904223u;
        edges[e].to = (int)(seed >> 17);
    }
#ifdef FIXED
    for (int e = 0; e < EDGES; e++)
        begin[edges[e].from / (NODES / PARTS) + 1]++;
    for (int p = 0; p < PARTS; p++)
        begin[p + 1] += begin[p];
    for (int e = 0; e < EDGES; e++)
        parted[begin[edges[e].from / (NODES / PARTS)]++] = edges[e];
    all = parted;
#endif
    for (int e = 0; e < EDGES; e++)
        next[all[e].from + 1]++;
    for (int n = 0; n < NODES; n++)
        next[n + 1] += next[n];
    for (int e = 0; e < EDGES; e++)
        list[next[all[e].from]++] = all[e].to;
    unsigned sum = 0;
    for (int e = 0; e < EDGES; e++)
        sum = sum * 31u + (unsigned)list[e];
    printf("%u\n", sum);
    return 0;
}
