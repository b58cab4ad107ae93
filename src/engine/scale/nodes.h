// SPDX-License-Identifier: MIT
// The last-access order of all keys, in nodes of several keys each: the newer, the fewer.
//
// Idea:  A node covers an interval of time and knows how many keys were accessed last in it. A new access
//        begins a node of its own. Neighbouring nodes are merged as long as a node with c keys, and `after`
//        keys accessed later, has (c − 1) · (1 − error) ≤ error · after. A key of such a node has a reuse
//        distance from `after` to after + c − 1, so `after` is too low by at most error · distance. The
//        condition stays true without any work: c never grows, and `after` never falls.
//        Counts are sums over groups of 16 nodes, over 16 such groups, and so on, so that counting takes one
//        load per level, and removing a key a subtraction in one cache line per level.
// Cost:  Nodes are merged when there is no space for more, which takes O(1) per access. Two neighbours that
//        cannot be merged have more than error · after keys, so there are O(log(keys · error) / error) nodes.
#ifndef DEJA_ENGINE_SCALE_NODES_H
#define DEJA_ENGINE_SCALE_NODES_H

#include "base/huge.h"

enum {
    DJ_SCALE_GROUP = 16, // nodes that are found together, and counts in a cache line
    DJ_SCALE_LEVELS = 7,
    DJ_SCALE_LEAST = 4096, // nodes that are allocated at least, a power of two
};

// Errors are whole numbers of billionths, so that no bound depends on rounding.
#define DJ_SCALE_WHOLE UINT64_C(1000000000)

typedef struct dj_scale_nodes {
    // By node, in order of time: the time of its first access; UINT32_MAX beyond the last one. The other
    // column is level 0 of `sums`.
    uint32_t *first;
    // Level 0: keys in this node and in the earlier ones of its group. Above: keys in the earlier entries of
    // the level below that have the same parent, for each group of 16 of them. The last level has no parents.
    uint32_t *sums[DJ_SCALE_LEVELS];
    unsigned levels;
    uint32_t count, capacity; // the capacity is a power of two
    uint64_t keys;            // in all nodes
    uint64_t error;           // billionths
    dj_huge memory;           // all columns
    dj_footprint *footprint;
} dj_scale_nodes;

// Leaves nothing allocated on failure.
int dj_scale_nodes_create(dj_scale_nodes *nodes, dj_context *context, dj_footprint *footprint,
                          uint64_t error_billionths);
void dj_scale_nodes_destroy(dj_scale_nodes *nodes);

// Ensures space for `more` nodes, at most DJ_SCALE_LEAST / 2, by merging nodes and, if most of the space is
// still in use, by allocating more. `later` is the number of keys that were accessed after all nodes.
int dj_scale_nodes_reserve(dj_scale_nodes *nodes, dj_context *context, uint32_t more, uint64_t later);

// Adds a node with one key. Its time must be later than all others.
void dj_scale_nodes_append(dj_scale_nodes *nodes, uint32_t time);

// Merges nodes as far as the error allows.
void dj_scale_nodes_merge(dj_scale_nodes *nodes, uint64_t later);

// The numbers of the nodes of DJ_SCALE_GROUP times.
void dj_scale_nodes_find(const dj_scale_nodes *nodes, const uint32_t *time, uint32_t *node);

// Removes a key from a node. Returns how many keys were in this node and in earlier ones.
uint64_t dj_scale_nodes_take(dj_scale_nodes *nodes, uint32_t node);

// The number of keys that a node may have if `after` keys were accessed later.
static inline uint64_t dj_scale_most_keys(uint64_t after, uint64_t error_billionths)
{
    return 1 + after * error_billionths / (DJ_SCALE_WHOLE - error_billionths);
}

#endif
