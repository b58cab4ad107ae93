// SPDX-License-Identifier: MIT
#include "engine/scale/nodes.h"

#include <stdlib.h>
#include <string.h>

// Compilers do not reliably find the vector instructions for a loop of 16.
typedef uint32_t line __attribute__((vector_size(DJ_SCALE_GROUP * sizeof(uint32_t))));

enum { TOP = 64 }; // maximum number of sums on the last level

static uint32_t entries_on(uint32_t capacity, unsigned level)
{
    return capacity >> 4 * level;
}

static int allocate(dj_scale_nodes *n, dj_context *context, uint32_t capacity)
{
    uint64_t entries = capacity;
    n->capacity = capacity;
    for (n->levels = 0; n->levels == 0 || entries_on(capacity, n->levels - 1) > TOP; n->levels++)
        entries += entries_on(capacity, n->levels);
    int err = dj_huge_allocate(&n->memory, n->footprint, context, "the nodes of engine scale", entries,
                               sizeof *n->first);
    if (err != DJ_OK)
        return err;
    n->first = n->memory.memory;
    memset(n->first, 0xff, capacity * sizeof *n->first);
    uint32_t *next = n->first + capacity;
    for (unsigned level = 0; level < n->levels; level++) {
        n->sums[level] = next;
        next += entries_on(capacity, level);
    }
    return DJ_OK;
}

int dj_scale_nodes_create(dj_scale_nodes *nodes, dj_context *context, dj_footprint *footprint,
                          uint64_t error_billionths)
{
    *nodes = (dj_scale_nodes){.error = error_billionths, .footprint = footprint};
    return allocate(nodes, context, DJ_SCALE_LEAST);
}

void dj_scale_nodes_destroy(dj_scale_nodes *nodes)
{
    dj_huge_free(&nodes->memory, nodes->footprint);
}

static void append(dj_scale_nodes *n, uint32_t first, uint32_t keys)
{
    uint32_t at = n->count++, sum = keys;
    n->first[at] = first;
    n->keys += keys;
    bool begins = at % DJ_SCALE_GROUP == 0;
    n->sums[0][at] = begins ? keys : n->sums[0][at - 1] + keys;
    if (!begins || at == 0)
        return;
    sum = n->sums[0][at - 1]; // of the group that is now complete
    at /= DJ_SCALE_GROUP;
    for (unsigned level = 1; level < n->levels; level++, at /= DJ_SCALE_GROUP) {
        sum += n->sums[level][at - 1];
        begins = at % DJ_SCALE_GROUP == 0 && level + 1 < n->levels;
        n->sums[level][at] = begins ? 0 : sum;
        if (!begins)
            break;
    }
}

void dj_scale_nodes_append(dj_scale_nodes *nodes, uint32_t time)
{
    append(nodes, time, 1);
}

void dj_scale_nodes_find(const dj_scale_nodes *nodes, const uint32_t *time, uint32_t *node)
{
    uint32_t at[DJ_SCALE_GROUP] = {0}, span = 1;
    while (span < nodes->count)
        span *= 2;
    // All of them together, so that no load waits for another.
    for (uint32_t half = span / 2; half > 0; half /= 2)
        for (unsigned i = 0; i < DJ_SCALE_GROUP; i++) {
            bool later = nodes->first[at[i] + half] <= time[i];
            at[i] += half & -(uint32_t)later; // without a branch, which would often be mispredicted
        }
    memcpy(node, at, sizeof at);
}

// Subtracts 1 from the sums of a group from index `from` on.
static inline void subtract_from(uint32_t *group, uint32_t from)
{
    static const uint32_t steps[2 * DJ_SCALE_GROUP] = {
        [DJ_SCALE_GROUP] = 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
    line sums, step;
    memcpy(&sums, group, sizeof sums);
    memcpy(&step, steps + DJ_SCALE_GROUP - from, sizeof step);
    sums -= step;
    memcpy(group, &sums, sizeof sums);
}

uint64_t dj_scale_nodes_take(dj_scale_nodes *nodes, uint32_t node)
{
    const unsigned top = nodes->levels - 1;
    uint32_t at = node, sum = nodes->sums[0][at];
    subtract_from(nodes->sums[0] + (at & ~15u), at & 15);
    for (unsigned level = 1; level <= top; level++) {
        at /= DJ_SCALE_GROUP;
        sum += nodes->sums[level][at];
        subtract_from(nodes->sums[level] + (at & ~15u), (at & 15) + 1);
    }
    uint32_t end = (nodes->count - 1) >> 4 * top;
    for (uint32_t from = (at | 15) + 1; from <= end; from += DJ_SCALE_GROUP)
        subtract_from(nodes->sums[top] + from, 0);
    nodes->keys--;
    return sum;
}

// Replaces the sums of level 0 by the number of keys of each node.
static void separate(const dj_scale_nodes *n)
{
    uint32_t *sums = n->sums[0];
    for (uint32_t at = n->count; at-- > 0;)
        sums[at] -= at % DJ_SCALE_GROUP == 0 ? 0 : sums[at - 1];
}

// From the newest node to the oldest, since the space that a node may take depends on later ones. The result
// is at the end of the columns; returns where it begins.
static uint32_t merge_backwards(dj_scale_nodes *n, uint64_t later)
{
    uint32_t *first = n->first, *keys = n->sums[0], to = n->count;
    uint64_t after = later, most = 0, in_node = 0;
    for (uint32_t at = n->count; at-- > 0;) {
        if (keys[at] == 0)
            continue;
        if (in_node == 0 || in_node + keys[at] > most) {
            after += in_node;
            most = dj_scale_most_keys(after, n->error);
            in_node = 0;
            to--;
        }
        in_node += keys[at];
        first[to] = first[at];
        keys[to] = (uint32_t)in_node;
    }
    return to;
}

void dj_scale_nodes_merge(dj_scale_nodes *nodes, uint64_t later)
{
    uint32_t old = nodes->count;
    separate(nodes);
    uint32_t from = merge_backwards(nodes, later);
    nodes->count = 0;
    nodes->keys = 0;
    for (uint32_t at = from; at < old; at++)
        append(nodes, nodes->first[at], nodes->sums[0][at]);
    memset(nodes->first + nodes->count, 0xff, (old - nodes->count) * sizeof *nodes->first);
}

static int extend(dj_scale_nodes *n, dj_context *context)
{
    dj_scale_nodes larger = {.error = n->error, .footprint = n->footprint};
    if (n->capacity > UINT32_MAX / 4)
        return dj_fail(context, DJ_ERR_MEMORY, "engine scale: too many nodes; choose a larger --error");
    int err = allocate(&larger, context, 2 * n->capacity);
    if (err != DJ_OK)
        return err;
    separate(n);
    for (uint32_t at = 0; at < n->count; at++)
        append(&larger, n->first[at], n->sums[0][at]);
    dj_scale_nodes_destroy(n);
    *n = larger;
    return DJ_OK;
}

int dj_scale_nodes_reserve(dj_scale_nodes *nodes, dj_context *context, uint32_t more, uint64_t later)
{
    if (nodes->capacity - nodes->count >= more)
        return DJ_OK;
    dj_scale_nodes_merge(nodes, later);
    // Merging costs as much as there are nodes, so it must not be needed again soon.
    return nodes->count <= nodes->capacity / 4 ? DJ_OK : extend(nodes, context);
}
