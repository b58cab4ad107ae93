// SPDX-License-Identifier: MIT
// ROUNDS thousand random keys are looked up in a binary search tree of SIZE nodes at random addresses.
#include "kernel.h"

typedef struct node {
    uint32_t key;
    struct node *child[2];
    uint64_t value[5];
} node;

static node *nodes, *root;
static uint32_t *order;

static node *build(size_t first, size_t end)
{
    if (first == end)
        return NULL;
    const size_t middle = (first + end) / 2;
    node *at = &nodes[order[middle]];
    at->key = (uint32_t)middle;
    at->child[0] = build(first, middle);
    at->child[1] = build(middle + 1, end);
    return at;
}

static void prepare(void)
{
    nodes = need(size * sizeof *nodes);
    order = shuffled(size);
    root = build(0, size);
}

static double work(void)
{
    uint64_t state = 5, found = 0;
    for (long i = 0; i < 1000 * rounds; i++) {
        const uint32_t key = (uint32_t)(next_random(&state) % size);
        const node *at = root;
        while (at && at->key != key)
            at = at->child[at->key < key];
        found += at != NULL;
    }
    return (double)found;
}
