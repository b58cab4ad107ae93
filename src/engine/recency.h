// SPDX-License-Identifier: MIT
// A height-balanced tree (AVL) of numbered elements, ordered by last access, most recent leftmost. Each
// node stores the size of its subtree, so that the number of more recent elements is summed up on the
// path to the root. A hole is a position that belongs to no key. 20 bytes per element, 8 more with weights.
#ifndef DEJA_ENGINE_RECENCY_H
#define DEJA_ENGINE_RECENCY_H

#include "base/footprint.h"

// A node's index is the number of its element; 0 is the empty tree.
typedef struct dj_recency_node {
    uint32_t child[2]; // [0]: more recent
    uint32_t parent;
    uint32_t count; // number of nodes in this subtree
    int16_t height;
    bool is_hole, has_hole; // itself; in this subtree
} dj_recency_node;

// All zero: empty.
typedef struct dj_recency {
    dj_recency_node *nodes;
    uint64_t *sums;         // weight of each subtree; NULL unless requested
    const uint64_t *weight; // of each element; the caller's
    uint32_t capacity;
    uint32_t root;
    uint32_t newest; // the leftmost node
} dj_recency;

// Makes space for numbers below `capacity`; with `weight`, also for sums.
int dj_recency_resize(dj_recency *recency, dj_context *context, dj_footprint *footprint, uint32_t capacity,
                      const uint64_t *weight);
void dj_recency_free(dj_recency *recency);

void dj_recency_put_newest(dj_recency *recency, uint32_t n);
void dj_recency_take_out(dj_recency *recency, uint32_t n);
// The newest element's weight has increased by `more`, modulo 2^64.
void dj_recency_add_weight(dj_recency *recency, uint64_t more);

// The number of elements and holes that are newer than n, and their weight.
uint64_t dj_recency_count_newer(const dj_recency *recency, uint32_t n, uint64_t *weight);

// Element n becomes a hole. It keeps its number until it is taken out.
void dj_recency_make_hole(dj_recency *recency, uint32_t n);
// The newest hole, or 0.
uint32_t dj_recency_newest_hole(const dj_recency *recency);
// Hole `hole`, which is not in the tree, takes the position of n, which is then not in the tree.
void dj_recency_stand_in(dj_recency *recency, uint32_t hole, uint32_t n);

// From oldest to newest, holes included; 0 at the end.
uint32_t dj_recency_oldest(const dj_recency *recency);
uint32_t dj_recency_next(const dj_recency *recency, uint32_t n);

#endif
