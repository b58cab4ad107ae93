// SPDX-License-Identifier: MIT
// Idea:  A height-balanced tree (AVL) with one node per key, ordered by last access, most recent
//        leftmost. Each node stores the size of its subtree. The reuse distance is the node's position
//        in that order, summed up on the path to the root; the node is then removed and inserted below
//        the leftmost one. A hash map finds the node of a key.
// Paper: block-I/O trace statistics, 2024, section 4.1; the tree goes back to Olken, "Efficient methods
//        for calculating the success function of fixed space replacement policies", LBL-12370, 1981.
// Cost:  O(log keys) per access, three walks between node and root; 20 bytes per node, 8 more with
//        weights, in addition to the table of keys (elements.h).
// Bound: exact; at most 2^32 − 2 keys.
#include "engine/elements.h"
#include "engine/registry.h"
#include "engine/work.h"

#include <stdlib.h>

// A node's index is the number of its key; 0 is the empty tree.
typedef struct node {
    uint32_t child[2]; // [0]: more recent
    uint32_t parent;
    uint32_t count; // number of nodes in this subtree
    int32_t height;
} node;

typedef struct tree {
    dj_work_queue answered; // must be first for dj_work_pull_at_once
    dj_elements elements;
    node *nodes;
    uint64_t *sums; // weight of each subtree; NULL unless requested
    uint32_t capacity;
    uint32_t root;
    uint32_t newest; // the leftmost node: the most recently used key
    dj_footprint footprint;
} tree;

static int resize(tree *t, dj_context *context)
{
    uint32_t capacity = t->elements.capacity;
    int err = dj_footprint_resize(&t->footprint, context, "the tree", &t->nodes, t->capacity, capacity,
                                  sizeof *t->nodes);
    if (err == DJ_OK && t->elements.use & DJ_CAN_WEIGHTS)
        err = dj_footprint_resize(&t->footprint, context, "the tree", &t->sums, t->capacity, capacity,
                                  sizeof *t->sums);
    if (err == DJ_OK)
        t->capacity = capacity;
    return err;
}

static void tree_destroy(void *state)
{
    tree *t = state;
    if (!t)
        return;
    dj_elements_destroy(&t->elements);
    free(t->nodes);
    free(t->sums);
    free(t);
}

static int tree_create(dj_context *context, const dj_engine_params *params, void **state)
{
    int err = dj_engine_check(context, &dj_engine_tree, params);
    if (err != DJ_OK)
        return err;
    tree *t = calloc(1, sizeof *t);
    if (!t)
        return dj_fail_memory(context, "engine tree", sizeof *t);
    dj_footprint_add(&t->footprint, sizeof *t);
    err = dj_elements_create(&t->elements, context, params, &t->footprint);
    if (err == DJ_OK)
        err = resize(t, context);
    if (err != DJ_OK)
        goto fail;
    t->nodes[0] = (node){.count = 0};
    if (t->sums)
        t->sums[0] = 0;
    *state = t;
    return DJ_OK;
fail:
    tree_destroy(t);
    return err;
}

static void refresh(tree *t, uint32_t n)
{
    node *x = &t->nodes[n];
    const node *left = &t->nodes[x->child[0]], *right = &t->nodes[x->child[1]];
    x->count = left->count + right->count + 1;
    x->height = (left->height > right->height ? left->height : right->height) + 1;
    if (t->sums)
        t->sums[n] = t->sums[x->child[0]] + t->sums[x->child[1]] + t->elements.weight[n];
}

// Attaches `to` to the parent of `from`; the children of both are unchanged.
static void replace(tree *t, uint32_t from, uint32_t to)
{
    uint32_t parent = t->nodes[from].parent;
    if (parent == 0)
        t->root = to;
    else
        t->nodes[parent].child[t->nodes[parent].child[1] == from] = to;
    if (to != 0)
        t->nodes[to].parent = parent;
}

static void adopt(tree *t, uint32_t parent, int side, uint32_t child)
{
    t->nodes[parent].child[side] = child;
    if (child != 0)
        t->nodes[child].parent = parent;
}

// Moves n down to `side`; its child on the other side takes its position.
static void rotate(tree *t, uint32_t n, int side)
{
    uint32_t up = t->nodes[n].child[!side];
    replace(t, n, up);
    adopt(t, n, !side, t->nodes[up].child[side]);
    adopt(t, up, side, n);
    refresh(t, n);
    refresh(t, up);
}

static int32_t height(const tree *t, uint32_t n, int side)
{
    return t->nodes[t->nodes[n].child[side]].height;
}

// Restores counts, heights and balance from n up to the root.
static void balance(tree *t, uint32_t n)
{
    while (n != 0) {
        refresh(t, n);
        int32_t tilt = height(t, n, 1) - height(t, n, 0);
        if (tilt < -1 || tilt > 1) {
            int heavy = tilt > 0;
            uint32_t child = t->nodes[n].child[heavy];
            if (height(t, child, !heavy) > height(t, child, heavy))
                rotate(t, child, heavy);
            rotate(t, n, !heavy);
            n = t->nodes[n].parent;
        }
        n = t->nodes[n].parent;
    }
}

static void take_out(tree *t, uint32_t n)
{
    const node *x = &t->nodes[n];
    uint32_t lowest_changed = x->parent;
    if (x->child[0] == 0 || x->child[1] == 0) {
        replace(t, n, x->child[x->child[0] == 0]);
    } else {
        uint32_t next = x->child[1]; // the next older key takes its position
        while (t->nodes[next].child[0] != 0)
            next = t->nodes[next].child[0];
        lowest_changed = next;
        if (t->nodes[next].parent != n) {
            lowest_changed = t->nodes[next].parent;
            replace(t, next, t->nodes[next].child[1]);
            adopt(t, next, 1, x->child[1]);
        }
        adopt(t, next, 0, x->child[0]);
        replace(t, n, next);
    }
    balance(t, lowest_changed);
}

static void put_leftmost(tree *t, uint32_t n)
{
    t->nodes[n] = (node){.parent = t->newest};
    if (t->newest == 0)
        t->root = n;
    else
        t->nodes[t->newest].child[0] = n;
    t->newest = n;
    balance(t, n);
}

// The number of keys accessed after n, and their weight.
static uint64_t count_newer(const tree *t, uint32_t n, uint64_t *weight)
{
    uint32_t newer = t->nodes[n].child[0];
    uint64_t count = t->nodes[newer].count;
    uint64_t sum = t->sums ? t->sums[newer] : 0;
    for (uint32_t up; (up = t->nodes[n].parent) != 0; n = up) {
        newer = t->nodes[up].child[0];
        if (newer == n)
            continue;
        count += t->nodes[newer].count + 1;
        if (t->sums)
            sum += t->sums[newer] + t->elements.weight[up];
    }
    *weight = sum;
    return count;
}

static void set_newest_weight(tree *t, uint64_t weight)
{
    uint64_t change = weight - t->elements.weight[t->newest];
    t->elements.weight[t->newest] = weight;
    for (uint32_t n = t->newest; n != 0; n = t->nodes[n].parent)
        t->sums[n] += change;
}

static int access_key(tree *t, dj_context *context, const dj_work *work, size_t i)
{
    uint32_t n;
    bool cold;
    int err = dj_elements_find(&t->elements, context, work->key[i], &n, &cold);
    if (err == DJ_OK && t->elements.capacity > t->capacity)
        err = resize(t, context);
    if (err != DJ_OK)
        return err;

    uint64_t weight = cold && t->sums ? t->sums[t->root] : 0;
    work->distance[i] = cold ? DJ_COLD : count_newer(t, n, &weight);
    dj_elements_exchange(&t->elements, work, i, n, cold);
    if (t->sums)
        work->byte_distance[i] = weight;

    if (n != t->newest) {
        if (!cold)
            take_out(t, n);
        if (t->sums)
            t->elements.weight[n] = work->weight[i];
        put_leftmost(t, n);
    } else if (t->sums) {
        set_newest_weight(t, work->weight[i]);
    }
    return DJ_OK;
}

static int tree_push(void *state, dj_context *context, dj_work *work)
{
    tree *t = state;
    for (size_t i = 0; i < work->count; i++) {
        int err = access_key(t, context, work, i);
        if (err != DJ_OK)
            return err;
    }
    dj_work_queue_put(&t->answered, work);
    return DJ_OK;
}

// The next more recent node.
static uint32_t next_newer(const tree *t, uint32_t n)
{
    if (t->nodes[n].child[0] != 0) {
        n = t->nodes[n].child[0];
        while (t->nodes[n].child[1] != 0)
            n = t->nodes[n].child[1];
        return n;
    }
    uint32_t up = t->nodes[n].parent;
    while (up != 0 && t->nodes[up].child[0] == n) {
        n = up;
        up = t->nodes[up].parent;
    }
    return up;
}

static int tree_order(void *state, dj_context *context, dj_order *out)
{
    const tree *t = state;
    int err = dj_order_create(context, t->elements.count, t->elements.use, out);
    if (err != DJ_OK)
        return err;
    uint32_t n = t->root;
    while (t->nodes[n].child[1] != 0)
        n = t->nodes[n].child[1];
    for (size_t at = 0; n != 0; n = next_newer(t, n))
        dj_elements_order_put(&t->elements, n, out, at++);
    return DJ_OK;
}

static void tree_stats(const void *state, dj_engine_stats *out)
{
    const tree *t = state;
    *out = (dj_engine_stats){
        .keys = t->elements.count, .bytes = t->footprint.bytes, .peak_bytes = t->footprint.peak_bytes};
}

const dj_engine_ops dj_engine_tree = {
    .name = "tree",
    .summary = "balanced order-statistic tree and hash map",
    .cost = "O(log keys) per access; 49 to 85 bytes per key",
    .can = DJ_CAN_EXACT | DJ_CAN_PER_ACCESS | DJ_CAN_TAGS | DJ_CAN_TIMES | DJ_CAN_SUMMARY | DJ_CAN_WEIGHTS,
    .create = tree_create,
    .destroy = tree_destroy,
    .push = tree_push,
    .pull = dj_work_pull_at_once,
    .drain = dj_work_drain_at_once,
    .order = tree_order,
    .stats = tree_stats,
};
