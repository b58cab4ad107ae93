// SPDX-License-Identifier: MIT
// A quadtree of an image, traversed several times for its edges. Regions were split in no particular order,
// so neighbors in the tree are far apart in memory. A pool in the order of the traversal puts them side by
// side.
//
// model: Olden perimeter
// object: quad child root quads
// level: L2
// accept: pool reorder
// reject: tile fuse
// carrier: passes
// native: -DHALF=9
#include "kernel.h"

#ifndef HALF
#define HALF 6
#endif
#define LEAVES (1U << (2 * HALF))
#define PASSES 12

struct quad {
    struct quad *child[4];
    uint32_t edges;
};

static struct quad *quad[2 * LEAVES];
static uint32_t quads;

#ifdef FIXED
static struct quad *pool;
#endif

// Positions count quads of the levels above first.
static uint32_t link_quads(uint32_t first, uint32_t index, uint32_t level)
{
#ifdef FIXED
    quad[first + index] = pool++;
#endif
    struct quad *here = quad[first + index];
    here->edges = first + index;
    quads++;
    for (uint32_t k = 0; level > 0 && k < 4; k++) {
        link_quads(first + (1U << (2 * (HALF - level))), index * 4 + k, level - 1);
        here->child[k] = quad[first + (1U << (2 * (HALF - level))) + index * 4 + k];
    }
    return quads;
}

ALONE uint32_t perimeter(struct quad *here, uint32_t side)
{
    uint32_t sum = here->edges * side;
    for (int k = 0; here->child[0] && k < 4; k++) {
        sum += perimeter(here->child[k], side + 1);
    }
    return sum;
}

int main(void)
{
#ifdef FIXED
    pool = calloc(2 * LEAVES, sizeof *pool);
#else
    for (uint32_t i = 0; i < LEAVES; i++) {
        quad[shuffled(i, HALF)] = calloc(1, sizeof(struct quad));
        quad[LEAVES + i] = calloc(1, sizeof(struct quad));
        char *label = malloc(24);
        label[0] = (char)i;
    }
#endif
    uint32_t sum = link_quads(0, 0, HALF);
    for (uint32_t pass = 1; pass <= PASSES; pass++) { // [passes]
        sum = sum * 31 + perimeter(quad[0], pass);
    }
    printf("%u\n", sum);
}
