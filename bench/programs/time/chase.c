// SPDX-License-Identifier: MIT
// ROUNDS times through a list of SIZE nodes of 64 bytes that are linked in random order.
#include "kernel.h"

typedef struct node {
    struct node *next;
    uint64_t value[7];
} node;

static node *nodes;

static void prepare(void)
{
    nodes = need(size * sizeof *nodes);
    uint32_t *order = shuffled(size);
    for (size_t i = 0; i < size; i++)
        nodes[order[i]].next = &nodes[order[(i + 1) % size]];
    free(order);
}

static double work(void)
{
    const node *at = nodes;
    for (size_t i = 0; i < size * (size_t)rounds; i++)
        at = at->next;
    return (double)(at - nodes);
}
