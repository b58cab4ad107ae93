// SPDX-License-Identifier: MIT
#include "observe/hierarchy/level.h"

#include <stdlib.h>

enum { SENT_FOR_EACH = 2 }; // a fetch, and a block that is written back

int dj_level_create(dj_level_state *l, dj_context *context, uint64_t blocks, uint64_t ways, bool is_first,
                    size_t most)
{
    const uint64_t sets = blocks / ways;
    *l = (dj_level_state){.blocks = blocks,
                          .sets = sets,
                          .ways = ways,
                          .mask = (sets & (sets - 1)) == 0 ? sets - 1 : 0,
                          .is_first = is_first};
    l->sent = calloc(SENT_FOR_EACH * most, sizeof *l->sent);
    int err = l->sent ? DJ_OK : dj_fail_memory(context, "a simulated cache", 0);
    if (!err && (sets == 1 || !is_first))
        err = dj_lru_create(&l->full, context, blocks);
    if (!err && sets > 1)
        err = dj_huge_allocate(&l->memory, &l->footprint, context, "a simulated cache", blocks,
                               sizeof *l->slots);
    l->slots = l->memory.memory;
    return err;
}

void dj_level_free(dj_level_state *l)
{
    dj_lru_destroy(&l->full);
    dj_huge_free(&l->memory, &l->footprint);
    free(l->sent);
}

// Replaces stamps by their ranks within the set.
static void renumber(dj_level_state *l)
{
    for (uint64_t set = 0; set < l->sets; set++) {
        dj_level_slot *slots = l->slots + set * l->ways;
        uint32_t last = 0;
        for (uint32_t rank = 1; rank <= l->ways; rank++) {
            dj_level_slot *next = NULL;
            for (uint64_t w = 0; w < l->ways; w++)
                if (slots[w].stamp > last && (!next || slots[w].stamp < next->stamp))
                    next = &slots[w];
            if (!next)
                break;
            last = next->stamp;
            next->stamp = rank; // not above any that are left
        }
    }
    l->now = (uint32_t)l->ways;
}

int dj_level_reserve(dj_level_state *l, dj_context *context, size_t count)
{
    l->sent_count = 0;
    if (l->slots && l->now >= UINT32_MAX - count)
        renumber(l);
    return l->full.chains ? dj_lru_reserve(&l->full, context, count) : DJ_OK;
}

static void send(dj_level_state *l, uint64_t key, uint32_t by, uint32_t flags)
{
    l->sent[l->sent_count++] = (dj_level_request){key, by, flags};
}

static void count_miss(dj_level_state *l, const dj_level_request *r, bool full_hit)
{
    if (r->by != DJ_BY_NOBODY) {
        dj_level_counts *to = &l->counts[(size_t)(r->by - 1) * l->stride];
        const bool cold = r->flags & DJ_REQUEST_COLD;
        to->misses++;
        to->cold += cold;
        to->conflict += full_hit && !cold;
    }
    send(l, r->key, r->by, DJ_REQUEST_FETCH | (r->flags & DJ_REQUEST_COLD));
}

static void write_back(dj_level_state *l, uint64_t key, uint32_t modifier)
{
    if (modifier != DJ_BY_NOBODY)
        l->counts[(size_t)(modifier - 1) * l->stride].writebacks++;
    send(l, key, modifier, DJ_REQUEST_MODIFY);
}

// The block's slot, or the one to use for it: an empty one, or that of the least recently used block.
static dj_level_slot *search(const dj_level_state *l, uint64_t key, bool *hit)
{
    dj_level_slot *slots = l->slots + dj_level_set(l, key) * l->ways, *oldest = slots;
    *hit = true;
    for (uint64_t w = 0; w < l->ways; w++) {
        if (slots[w].key == key && slots[w].stamp)
            return &slots[w];
        oldest = slots[w].stamp < oldest->stamp ? &slots[w] : oldest;
    }
    *hit = false;
    return oldest;
}

static uint32_t *access_full(dj_level_state *l, const dj_level_request *r)
{
    const dj_lru_found found = dj_lru_access(&l->full, r->key);
    uint32_t *modifier = &l->full.nodes[found.node].value;
    if (!found.hit && r->flags & DJ_REQUEST_FETCH)
        count_miss(l, r, false);
    if (found.evicted && found.evicted_value)
        write_back(l, found.evicted_key, found.evicted_value);
    return modifier;
}

static uint32_t *access_sets(dj_level_state *l, const dj_level_request *r)
{
    dj_level_slot *slot = NULL;
    dj_lru_node *node = NULL;
    bool full_hit = r->flags & DJ_REQUEST_NEAR, hit = false;
    if (!l->is_first) {
        const dj_lru_found found = dj_lru_access(&l->full, r->key);
        node = &l->full.nodes[found.node];
        full_hit = found.hit;
        slot = &l->slots[node->value];
        hit = full_hit && slot->key == r->key && slot->stamp;
    }
    if (!hit)
        slot = search(l, r->key, &hit);
    if (node)
        node->value = (uint32_t)(slot - l->slots);
    if (!hit) {
        if (r->flags & DJ_REQUEST_FETCH)
            count_miss(l, r, full_hit);
        if (slot->stamp && slot->modifier)
            write_back(l, slot->key, slot->modifier);
        slot->key = r->key;
        slot->modifier = 0;
    }
    slot->stamp = ++l->now;
    return &slot->modifier;
}

uint32_t *dj_level_access(dj_level_state *l, dj_level_request r)
{
    uint32_t *modifier = l->slots ? access_sets(l, &r) : access_full(l, &r);
    *modifier = r.flags & DJ_REQUEST_MODIFY ? r.by : *modifier;
    return modifier;
}

void dj_level_run(dj_level_state *l, const dj_level_request *requests, size_t count)
{
    enum { AHEAD_CHAIN = 12, AHEAD_NODE = 6 };
    for (size_t i = 0; i < count; i++) {
        if (i + AHEAD_CHAIN < count) {
            const uint64_t key = requests[i + AHEAD_CHAIN].key;
            __builtin_prefetch(dj_lru_chain(&l->full, key));
            if (l->slots)
                __builtin_prefetch(l->slots + dj_level_set(l, key) * l->ways);
        }
        if (i + AHEAD_NODE < count)
            __builtin_prefetch(&l->full.nodes[*dj_lru_chain(&l->full, requests[i + AHEAD_NODE].key)]);
        (void)dj_level_access(l, requests[i]);
    }
}
