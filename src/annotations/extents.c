// SPDX-License-Identifier: MIT
#include "annotations/extents.h"

#include <stdlib.h>

static void split(dj_extent_node *node, uint64_t lo, dj_extent_node **below, dj_extent_node **above)
{
    while (node)
        if (node->lo < lo) {
            *below = node;
            below = &node->right;
            node = node->right;
        } else {
            *above = node;
            above = &node->left;
            node = node->left;
        }
    *below = *above = NULL;
}

int dj_extents_add(dj_extents *extents, dj_context *context, uint64_t lo, uint64_t hi, dj_record *record,
                   struct dj_cells *cells)
{
    dj_extent_node *node = malloc(sizeof *node);
    if (!node)
        return dj_fail_memory(context, "the recorded data", sizeof *node);
    extents->random = extents->random * UINT64_C(6364136223846793005) + 1442695040888963407;
    *node = (dj_extent_node){
        .lo = lo, .hi = hi, .record = record, .cells = cells, .priority = (uint32_t)(extents->random >> 32)};
    dj_extent_node **at = &extents->root;
    while (*at && (*at)->priority >= node->priority)
        at = lo < (*at)->lo ? &(*at)->left : &(*at)->right;
    split(*at, lo, &node->left, &node->right);
    *at = node;
    return DJ_OK;
}

void dj_extents_remove(dj_extents *extents, uint64_t lo)
{
    dj_extent_node **at = &extents->root;
    while (*at && (*at)->lo != lo)
        at = lo < (*at)->lo ? &(*at)->left : &(*at)->right;
    dj_extent_node *gone = *at;
    if (!gone)
        return;
    // Its subtrees replace it, higher priorities first.
    dj_extent_node *left = gone->left, *right = gone->right;
    while (left && right)
        if (left->priority >= right->priority) {
            *at = left;
            at = &left->right;
            left = left->right;
        } else {
            *at = right;
            at = &right->left;
            right = right->left;
        }
    *at = left ? left : right;
    free(gone);
}

const dj_extent_node *dj_extents_above(const dj_extents *extents, uint64_t address)
{
    const dj_extent_node *found = NULL;
    for (const dj_extent_node *node = extents->root; node;)
        if (node->hi > address) {
            found = node;
            node = node->left;
        } else {
            node = node->right;
        }
    return found;
}

void dj_extents_free(dj_extents *extents)
{
    while (extents->root)
        dj_extents_remove(extents, extents->root->lo);
}
