// SPDX-License-Identifier: MIT
// Waves on a random bipartite graph: each node reads the values of four others, anywhere in memory. The
// value is a small part of a node, and the values alone fit in the cache.
//
// model: Olden em3d
// object: e h node nodes
// level: L2
// accept: split pool
// carrier: steps nodes
// native: -DNODES=400000
#include "kernel.h"

#ifndef NODES
#define NODES 6000
#endif
#define DEGREE 4
#define STEPS 8

struct node {
#ifndef FIXED
    uint32_t value;
#endif
    uint32_t from[DEGREE], weight[DEGREE];
#ifndef FIXED
    uint32_t cold[15];
#endif
};

static struct node e[NODES], h[NODES];
#ifdef FIXED
static uint32_t e_value[NODES], h_value[NODES];
#define E(i) e_value[i]
#define H(i) h_value[i]
#else
#define E(i) e[i].value
#define H(i) h[i].value
#endif

int main(void)
{
    uint32_t state = 4711;
    for (int i = 0; i < NODES; i++) {
        E(i) = (uint32_t)i;
        H(i) = (uint32_t)i * 3;
        for (int k = 0; k < DEGREE; k++) {
            e[i].from[k] = next_random(&state) % NODES;
            h[i].from[k] = next_random(&state) % NODES;
            e[i].weight[k] = h[i].weight[k] = (uint32_t)(i + k);
        }
    }
    for (int step = 0; step < STEPS; step++) { // [steps]
        for (int i = 0; i < NODES; i++) {      // [nodes]
            uint32_t sum = 0;
            for (int k = 0; k < DEGREE; k++) {
                sum += e[i].weight[k] * H(e[i].from[k]);
            }
            E(i) -= sum;
        }
        for (int i = 0; i < NODES; i++) { // [nodes]
            uint32_t sum = 0;
            for (int k = 0; k < DEGREE; k++) {
                sum += h[i].weight[k] * E(h[i].from[k]);
            }
            H(i) -= sum;
        }
    }
    uint32_t sum = 0;
    for (int i = 0; i < NODES; i++) {
        sum = sum * 31 + E(i) + H(i);
    }
    printf("%u\n", sum);
}
