// SPDX-License-Identifier: MIT
// Idea:  A height-balanced tree with one node per key, ordered by last access (engine/recency.h). The
//        reuse distance is the node's position in that order; the node is then removed and inserted as
//        the most recent one. A hash map finds the node of a key. An invalidated key leaves its node in the
//        tree as a hole, until an access fills it.
// Paper: block-I/O trace statistics, 2024, section 4.1; the tree goes back to Olken, "Efficient methods
//        for calculating the success function of fixed space replacement policies", LBL-12370, 1981.
// Cost:  O(log keys) per access, three walks between node and root; 20 bytes per node, 8 more with
//        weights, in addition to the table of keys (elements.h).
// Bound: exact; at most 2^32 − 2 keys.
#include "engine/elements.h"
#include "engine/recency.h"
#include "engine/registry.h"
#include "engine/work.h"

#include <stdlib.h>

// The number of an element is that of its node.
typedef struct tree {
    dj_work_queue answered; // must be first for dj_work_pull_at_once
    dj_elements elements;
    dj_recency recency;
    uint64_t most_keys; // as in dj_engine_params
    dj_footprint footprint;
} tree;

static int resize(tree *t, dj_context *context)
{
    return dj_recency_resize(&t->recency, context, &t->footprint, t->elements.capacity, t->elements.weight);
}

static void tree_destroy(void *state)
{
    tree *t = state;
    if (!t)
        return;
    dj_elements_destroy(&t->elements);
    dj_recency_free(&t->recency);
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
    t->most_keys = params->most_keys;
    err = dj_elements_create(&t->elements, context, params, &t->footprint);
    if (err == DJ_OK)
        err = resize(t, context);
    if (err != DJ_OK)
        tree_destroy(t);
    else
        *state = t;
    return err;
}

// Empties the position that the access to n fills: its own or, if that is newer, the newest hole.
static void leave(tree *t, uint32_t n, uint64_t distance)
{
    bool cold = distance == DJ_COLD;
    uint64_t unused;
    uint32_t hole = dj_recency_newest_hole(&t->recency);
    if (hole != 0 && (cold || dj_recency_count_newer(&t->recency, hole, &unused) < distance)) {
        dj_recency_take_out(&t->recency, hole);
        if (cold)
            dj_elements_release(&t->elements, hole);
        else
            dj_recency_stand_in(&t->recency, hole, n);
    } else if (!cold) {
        dj_recency_take_out(&t->recency, n);
    }
}

static void set_newest_weight(tree *t, uint64_t weight)
{
    uint64_t *newest = &t->elements.weight[t->recency.newest];
    dj_recency_add_weight(&t->recency, weight - *newest);
    *newest = weight;
}

static int access_key(tree *t, dj_context *context, const dj_work *work, size_t i)
{
    uint32_t n;
    bool cold;
    int err = dj_elements_find(&t->elements, context, work->key[i], &n, &cold);
    if (err == DJ_OK && t->elements.capacity > t->recency.capacity)
        err = resize(t, context);
    if (err != DJ_OK)
        return err;

    const uint64_t *sums = t->recency.sums;
    uint64_t weight = cold && sums ? sums[t->recency.root] : 0;
    work->distance[i] = cold ? DJ_COLD : dj_recency_count_newer(&t->recency, n, &weight);
    dj_elements_exchange(&t->elements, work, i, n, cold);
    if (sums)
        work->byte_distance[i] = weight;

    if (cold || n != t->recency.newest) {
        leave(t, n, work->distance[i]);
        if (sums)
            t->elements.weight[n] = work->weight[i];
        dj_recency_put_newest(&t->recency, n);
    } else if (sums) {
        set_newest_weight(t, work->weight[i]);
    }
    return DJ_OK;
}

static void operate(tree *t, const dj_work *work, size_t i)
{
    uint32_t n = dj_elements_forget(&t->elements, work->key[i]);
    work->distance[i] = DJ_ABSENT;
    if (n == 0)
        return;
    if (work->op[i] == DJ_OP_INVALIDATE) {
        dj_recency_make_hole(&t->recency, n);
        return;
    }
    dj_recency_take_out(&t->recency, n);
    dj_elements_release(&t->elements, n);
}

static int tree_push(void *state, dj_context *context, dj_work *work)
{
    tree *t = state;
    for (size_t i = 0; i < work->count; i++) {
        if (dj_work_op(work, t->elements.use, i) != DJ_OP_ACCESS) {
            operate(t, work, i);
            continue;
        }
        int err = access_key(t, context, work, i);
        if (err != DJ_OK)
            return err;
    }
    dj_work_queue_put(&t->answered, work);
    return DJ_OK;
}

static int tree_order(void *state, dj_context *context, dj_order *out)
{
    const tree *t = state;
    int err = dj_order_create(context, t->elements.numbers.count, t->elements.use, out);
    size_t at = 0;
    for (uint32_t n = err ? 0 : dj_recency_oldest(&t->recency); n != 0; n = dj_recency_next(&t->recency, n))
        if (!t->recency.nodes[n].is_hole)
            dj_elements_order_put(&t->elements, n, out, at++);
    return err;
}

static uint64_t count_kept(const tree *t, dj_keeps *keeps, void *user)
{
    uint64_t kept = 0;
    for (uint32_t n = dj_recency_oldest(&t->recency); n != 0; n = dj_recency_next(&t->recency, n))
        kept += keeps(user, t->elements.key[n]);
    return kept;
}

static int list_kept(const tree *t, dj_context *context, dj_keeps *keeps, void *user, dj_order *out)
{
    int err = dj_order_create(context, count_kept(t, keeps, user), t->elements.use, out);
    size_t at = 0;
    for (uint32_t n = err ? 0 : dj_recency_oldest(&t->recency); n != 0; n = dj_recency_next(&t->recency, n))
        if (keeps(user, t->elements.key[n]))
            dj_elements_order_put(&t->elements, n, out, at++);
    return err;
}

static int put_again(tree *t, dj_context *context, const dj_order *order, size_t at)
{
    uint32_t n;
    bool cold;
    int err = dj_elements_find(&t->elements, context, order->key[at], &n, &cold);
    if (err == DJ_OK && t->elements.capacity > t->recency.capacity)
        err = resize(t, context);
    if (err != DJ_OK)
        return err;
    if (order->tag)
        t->elements.tag[n] = order->tag[at];
    if (order->time)
        t->elements.time[n] = order->time[at];
    if (order->weight)
        t->elements.weight[n] = order->weight[at];
    dj_recency_put_newest(&t->recency, n);
    return DJ_OK;
}

// Builds the tree again, so that it takes no more memory than the keys that are left. Holes have no order.
static int tree_keep(void *state, dj_context *context, dj_keeps *keeps, void *user)
{
    tree *t = state;
    dj_order order = {0};
    const dj_engine_params params = {.use = t->elements.use, .most_keys = t->most_keys};
    if (dj_recency_newest_hole(&t->recency) != 0)
        return dj_fail(context, DJ_ERR_UNSUPPORTED, "engine tree cannot drop keys while others are invalid");
    int err = list_kept(t, context, keeps, user, &order);
    if (err != DJ_OK)
        return err;
    dj_elements_destroy(&t->elements);
    dj_recency_free(&t->recency);
    t->recency = (dj_recency){0};
    t->footprint.bytes = sizeof *t;
    err = dj_elements_create(&t->elements, context, &params, &t->footprint);
    if (err == DJ_OK)
        err = resize(t, context);
    for (size_t i = 0; err == DJ_OK && i < order.count; i++)
        err = put_again(t, context, &order, i);
    dj_order_free(&order);
    return err;
}

// While keys are dropped, those that are kept exist a second time, in order. While the nodes grow, there are
// two of them. One instance never has space for more keys than expected; each of several has up to twice as
// much as it needs.
static uint64_t tree_bytes_for(const dj_engine_params *params, uint32_t engines, uint64_t keys)
{
    const uint64_t nodes =
        2 * sizeof(dj_recency_node) + (params->use & DJ_CAN_WEIGHTS ? sizeof(uint64_t) : 0);
    const uint64_t tables = dj_elements_bytes(params->use, keys) + keys * nodes,
                   least = dj_elements_bytes(params->use, 0) + DJ_ELEMENTS_LEAST * nodes,
                   order = keys * 2 * sizeof(uint64_t);
    return (engines > 1 ? 2 * tables : tables) + order + engines * (sizeof(tree) + least);
}

static void tree_stats(const void *state, dj_engine_stats *out)
{
    const tree *t = state;
    *out = (dj_engine_stats){.keys = t->elements.numbers.count,
                             .bytes = t->footprint.bytes,
                             .peak_bytes = t->footprint.peak_bytes};
}

const dj_engine_ops dj_engine_tree = {
    .name = "tree",
    .summary = "balanced order-statistic tree and hash map",
    .cost = "O(log keys) per access; 49 to 85 bytes per key",
    .can = DJ_CAN_EXACT | DJ_CAN_PER_ACCESS | DJ_CAN_TAGS | DJ_CAN_TIMES | DJ_CAN_SUMMARY | DJ_CAN_WEIGHTS |
           DJ_CAN_INVALIDATE | DJ_CAN_REMOVE,
    .create = tree_create,
    .destroy = tree_destroy,
    .push = tree_push,
    .pull = dj_work_pull_at_once,
    .drain = dj_work_drain_at_once,
    .order = tree_order,
    .keep = tree_keep,
    .bytes_for = tree_bytes_for,
    .stats = tree_stats,
};
