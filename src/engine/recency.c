// SPDX-License-Identifier: MIT
#include "engine/recency.h"

#include <stdlib.h>

int dj_recency_resize(dj_recency *r, dj_context *context, dj_footprint *footprint, uint32_t capacity,
                      const uint64_t *weight)
{
    int err = dj_footprint_resize(footprint, context, "the tree", &r->nodes, r->capacity, capacity,
                                  sizeof *r->nodes);
    if (err == DJ_OK && weight)
        err = dj_footprint_resize(footprint, context, "the tree", &r->sums, r->capacity, capacity,
                                  sizeof *r->sums);
    if (err != DJ_OK)
        return err;
    if (r->capacity == 0) {
        r->nodes[0] = (dj_recency_node){.count = 0};
        if (weight)
            r->sums[0] = 0;
    }
    r->weight = weight;
    r->capacity = capacity;
    return DJ_OK;
}

void dj_recency_free(dj_recency *r)
{
    free(r->nodes);
    free(r->sums);
}

static void refresh(dj_recency *r, uint32_t n)
{
    dj_recency_node *x = &r->nodes[n];
    const dj_recency_node *left = &r->nodes[x->child[0]], *right = &r->nodes[x->child[1]];
    x->count = left->count + right->count + 1;
    x->height = (int16_t)((left->height > right->height ? left->height : right->height) + 1);
    x->has_hole = x->is_hole || left->has_hole || right->has_hole;
    if (r->sums)
        r->sums[n] = r->sums[x->child[0]] + r->sums[x->child[1]] + r->weight[n];
}

// Attaches `to` to the parent of `from`; the children of both are unchanged.
static void replace(dj_recency *r, uint32_t from, uint32_t to)
{
    uint32_t parent = r->nodes[from].parent;
    if (parent == 0)
        r->root = to;
    else
        r->nodes[parent].child[r->nodes[parent].child[1] == from] = to;
    if (to != 0)
        r->nodes[to].parent = parent;
}

static void adopt(dj_recency *r, uint32_t parent, int side, uint32_t child)
{
    r->nodes[parent].child[side] = child;
    if (child != 0)
        r->nodes[child].parent = parent;
}

// Moves n down to `side`; its child on the other side takes its position.
static void rotate(dj_recency *r, uint32_t n, int side)
{
    uint32_t up = r->nodes[n].child[!side];
    replace(r, n, up);
    adopt(r, n, !side, r->nodes[up].child[side]);
    adopt(r, up, side, n);
    refresh(r, n);
    refresh(r, up);
}

static int height(const dj_recency *r, uint32_t n, int side)
{
    return r->nodes[r->nodes[n].child[side]].height;
}

// Restores counts, heights and balance from n up to the root.
static void balance(dj_recency *r, uint32_t n)
{
    while (n != 0) {
        refresh(r, n);
        int tilt = height(r, n, 1) - height(r, n, 0);
        if (tilt < -1 || tilt > 1) {
            int heavy = tilt > 0;
            uint32_t child = r->nodes[n].child[heavy];
            if (height(r, child, !heavy) > height(r, child, heavy))
                rotate(r, child, heavy);
            rotate(r, n, !heavy);
            n = r->nodes[n].parent;
        }
        n = r->nodes[n].parent;
    }
}

static uint32_t leftmost(const dj_recency *r, uint32_t n)
{
    while (r->nodes[n].child[0] != 0)
        n = r->nodes[n].child[0];
    return n;
}

void dj_recency_take_out(dj_recency *r, uint32_t n)
{
    const dj_recency_node *x = &r->nodes[n];
    uint32_t lowest_changed = x->parent;
    if (n == r->newest)
        r->newest = x->child[1] ? leftmost(r, x->child[1]) : x->parent;
    if (x->child[0] == 0 || x->child[1] == 0) {
        replace(r, n, x->child[x->child[0] == 0]);
    } else {
        uint32_t next = leftmost(r, x->child[1]); // the next older element takes its position
        lowest_changed = next;
        if (r->nodes[next].parent != n) {
            lowest_changed = r->nodes[next].parent;
            replace(r, next, r->nodes[next].child[1]);
            adopt(r, next, 1, x->child[1]);
        }
        adopt(r, next, 0, x->child[0]);
        replace(r, n, next);
    }
    balance(r, lowest_changed);
}

void dj_recency_put_newest(dj_recency *r, uint32_t n)
{
    r->nodes[n] = (dj_recency_node){.parent = r->newest};
    if (r->newest == 0)
        r->root = n;
    else
        r->nodes[r->newest].child[0] = n;
    r->newest = n;
    balance(r, n);
}

uint64_t dj_recency_count_newer(const dj_recency *r, uint32_t n, uint64_t *weight)
{
    uint32_t newer = r->nodes[n].child[0];
    uint64_t count = r->nodes[newer].count;
    uint64_t sum = r->sums ? r->sums[newer] : 0;
    for (uint32_t up; (up = r->nodes[n].parent) != 0; n = up) {
        newer = r->nodes[up].child[0];
        if (newer == n)
            continue;
        count += r->nodes[newer].count + 1;
        if (r->sums)
            sum += r->sums[newer] + r->weight[up];
    }
    *weight = sum;
    return count;
}

void dj_recency_add_weight(dj_recency *r, uint64_t more)
{
    for (uint32_t n = r->newest; n != 0; n = r->nodes[n].parent)
        r->sums[n] += more;
}

void dj_recency_make_hole(dj_recency *r, uint32_t n)
{
    r->nodes[n].is_hole = true;
    for (; n != 0 && !r->nodes[n].has_hole; n = r->nodes[n].parent)
        r->nodes[n].has_hole = true;
}

uint32_t dj_recency_newest_hole(const dj_recency *r)
{
    uint32_t n = r->nodes[r->root].has_hole ? r->root : 0;
    while (n != 0) {
        const dj_recency_node *x = &r->nodes[n];
        if (r->nodes[x->child[0]].has_hole)
            n = x->child[0];
        else if (x->is_hole)
            break;
        else
            n = x->child[1];
    }
    return n;
}

void dj_recency_stand_in(dj_recency *r, uint32_t hole, uint32_t n)
{
    const dj_recency_node *x = &r->nodes[n];
    r->nodes[hole] = (dj_recency_node){.count = x->count, .height = x->height, .has_hole = x->has_hole};
    if (n == r->newest)
        r->newest = hole;
    replace(r, n, hole);
    adopt(r, hole, 0, x->child[0]);
    adopt(r, hole, 1, x->child[1]);
    dj_recency_make_hole(r, hole);
}

uint32_t dj_recency_oldest(const dj_recency *r)
{
    uint32_t n = r->root;
    while (r->nodes[n].child[1] != 0)
        n = r->nodes[n].child[1];
    return n;
}

uint32_t dj_recency_next(const dj_recency *r, uint32_t n)
{
    if (r->nodes[n].child[0] != 0) {
        n = r->nodes[n].child[0];
        while (r->nodes[n].child[1] != 0)
            n = r->nodes[n].child[1];
        return n;
    }
    uint32_t up = r->nodes[n].parent;
    while (up != 0 && r->nodes[up].child[0] == n) {
        n = up;
        up = r->nodes[up].parent;
    }
    return up;
}
