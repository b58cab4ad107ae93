// SPDX-License-Identifier: MIT
#include "observe/hierarchy/lru.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_LOG2 = 10, HASH_BITS = 64 };

int dj_lru_create(dj_lru *lru, dj_context *context, uint64_t capacity)
{
    *lru = (dj_lru){.capacity = capacity, .chain_count = 1u << FIRST_LOG2, .shift = HASH_BITS - FIRST_LOG2};
    if (capacity == 0 || capacity >= UINT32_MAX)
        return dj_fail(context, DJ_ERR_USAGE, "a simulated cache cannot have %llu blocks",
                       (unsigned long long)capacity);
    lru->chains = calloc(lru->chain_count, sizeof *lru->chains);
    return lru->chains ? DJ_OK : dj_fail_memory(context, "a simulated cache", 0);
}

void dj_lru_destroy(dj_lru *lru)
{
    free(lru->nodes);
    free(lru->chains);
}

static int grow_nodes(dj_lru *lru, dj_context *context, size_t needed)
{
    size_t count = lru->node_capacity ? lru->node_capacity : (size_t)lru->chain_count;
    while (count < needed)
        count *= 2;
    dj_lru_node *nodes = realloc(lru->nodes, count * sizeof *nodes);
    if (!nodes)
        return dj_fail_memory(context, "a simulated cache", count * sizeof *nodes);
    if (!lru->nodes)
        nodes[0] = (dj_lru_node){0};
    lru->nodes = nodes;
    lru->node_capacity = count;
    return DJ_OK;
}

static int grow_chains(dj_lru *lru, dj_context *context, size_t needed)
{
    uint64_t count = lru->chain_count;
    unsigned shift = lru->shift;
    for (; count < needed; count *= 2)
        shift--;
    uint32_t *chains = calloc(count, sizeof *chains);
    if (!chains)
        return dj_fail_memory(context, "a simulated cache", count * sizeof *chains);
    free(lru->chains);
    lru->chains = chains;
    lru->chain_count = count;
    lru->shift = shift;
    for (uint32_t i = 1; i <= lru->used; i++) {
        uint32_t *chain = dj_lru_chain(lru, lru->nodes[i].key);
        lru->nodes[i].next = *chain;
        *chain = i;
    }
    return DJ_OK;
}

int dj_lru_reserve(dj_lru *lru, dj_context *context, size_t count)
{
    const uint64_t rest = lru->capacity - lru->used, most = lru->used + (count < rest ? count : rest);
    int err = most < lru->node_capacity ? DJ_OK : grow_nodes(lru, context, (size_t)most + 1);
    return err || most <= lru->chain_count ? err : grow_chains(lru, context, (size_t)most);
}

static void unlink_node(dj_lru *lru, const dj_lru_node *node)
{
    lru->nodes[node->newer].older = node->older;
    lru->nodes[node->older].newer = node->newer;
}

static void link_newest(dj_lru *lru, uint32_t at)
{
    dj_lru_node *end = &lru->nodes[0], *node = &lru->nodes[at];
    node->newer = 0;
    node->older = end->older;
    lru->nodes[end->older].newer = at;
    end->older = at;
}

// Takes the oldest block out of the list and its chain.
static uint32_t evict(dj_lru *lru, dj_lru_found *found)
{
    const uint32_t at = lru->nodes[0].newer;
    const dj_lru_node *node = &lru->nodes[at];
    uint32_t *link = dj_lru_chain(lru, node->key);
    while (*link != at)
        link = &lru->nodes[*link].next;
    *link = node->next;
    unlink_node(lru, node);
    found->evicted = true;
    found->evicted_key = node->key;
    found->evicted_value = node->value;
    return at;
}

dj_lru_found dj_lru_access(dj_lru *lru, uint64_t key)
{
    dj_lru_found found = {.node = *dj_lru_chain(lru, key)};
    while (found.node && lru->nodes[found.node].key != key)
        found.node = lru->nodes[found.node].next;
    found.hit = found.node != 0;
    if (found.hit) {
        if (lru->nodes[0].older == found.node)
            return found;
        unlink_node(lru, &lru->nodes[found.node]);
    } else {
        found.node = lru->used < lru->capacity ? ++lru->used : evict(lru, &found);
        uint32_t *chain = dj_lru_chain(lru, key);
        lru->nodes[found.node].key = key;
        lru->nodes[found.node].value = 0;
        lru->nodes[found.node].next = *chain;
        *chain = found.node;
    }
    link_newest(lru, found.node);
    return found;
}
