// SPDX-License-Identifier: MIT
// ROUNDS times through a list of SIZE nodes of 64 bytes that are linked in the order of their addresses, with
// the sum of what they hold: a chain that a prefetcher follows.
#include "kernel.h"

typedef struct node {
    struct node *next;
    uint64_t value[7];
} node;

static node *nodes;

static void prepare(void)
{
    nodes = need(size * sizeof *nodes);
    for (size_t i = 0; i < size; i++)
        nodes[i].next = i + 1 < size ? &nodes[i + 1] : NULL;
}

static double work(void)
{
    uint64_t sum = 0;
    for (long r = 0; r < rounds; r++)
        for (const node *at = nodes; at; at = at->next)
            sum += at->value[3];
    return (double)sum;
}
