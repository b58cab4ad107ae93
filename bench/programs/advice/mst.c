// SPDX-License-Identifier: MIT
// A minimum spanning tree: every round visits all vertices outside the tree, one large block each, for one
// distance. The distances alone fit in the cache. Rounds depend on each other.
//
// model: Olden mst
// object: vertex first heap list
// level: L1
// accept: split pool
// reject: tile fuse
// carrier: rounds
// native: -DVERTICES=6000
#include "kernel.h"

#ifndef VERTICES
#define VERTICES 720
#endif

struct vertex {
    struct vertex *next;
    uint32_t id, distance;
    char name[112];
};

static inline uint32_t weight(uint32_t i, uint32_t j)
{
    return ((i ^ j) * 2654435761U ^ (i + j) * 40503U) >> 8;
}

#ifndef FIXED
static struct vertex *first;

static uint32_t spanning_tree(void)
{
    uint32_t total = 0, added = 0;
    while (first) { // [rounds]
        struct vertex **best = &first;
        for (struct vertex **at = &first; *at; at = &(*at)->next) {
            uint32_t w = weight(added, (*at)->id);
            if (w < (*at)->distance) {
                (*at)->distance = w;
            }
            if ((*at)->distance < (*best)->distance) {
                best = at;
            }
        }
        total += (*best)->distance;
        added = (*best)->id;
        *best = (*best)->next;
    }
    return total;
}
#else
static uint32_t id[VERTICES], distance[VERTICES];

static uint32_t spanning_tree(void)
{
    uint32_t total = 0, added = 0;
    for (uint32_t left = VERTICES - 1; left > 0; left--) {
        uint32_t best = 0;
        for (uint32_t at = 0; at < left; at++) {
            uint32_t w = weight(added, id[at]);
            if (w < distance[at]) {
                distance[at] = w;
            }
            if (distance[at] < distance[best]) {
                best = at;
            }
        }
        total += distance[best];
        added = id[best];
        for (uint32_t at = best; at + 1 < left; at++) {
            id[at] = id[at + 1];
            distance[at] = distance[at + 1];
        }
    }
    return total;
}
#endif

int main(void)
{
    for (uint32_t i = 1; i < VERTICES; i++) {
#ifndef FIXED
        struct vertex *vertex = malloc(sizeof *vertex);
        vertex->id = i;
        vertex->distance = UINT32_MAX;
        vertex->name[0] = (char)i;
        vertex->next = first;
        first = vertex;
#else
        id[VERTICES - 1 - i] = i;
        distance[VERTICES - 1 - i] = UINT32_MAX;
#endif
    }
    printf("%u\n", spanning_tree());
}
