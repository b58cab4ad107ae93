// SPDX-License-Identifier: MIT
#include "observe/hierarchy/level.h"

#include <stdlib.h>

enum { SENT_FOR_EACH = 2 }; // a fetch, and a block that is written back

int dj_level_create(dj_level_state *l, dj_context *context, uint64_t blocks, uint64_t ways, bool is_first,
                    size_t most)
{
    *l = (dj_level_state){.blocks = blocks,
                          .ways = ways,
                          .kind = ways == blocks ? DJ_LEVEL_FULL
                                  : is_first     ? DJ_LEVEL_FIRST
                                                 : DJ_LEVEL_SETS};
    l->sent = calloc(SENT_FOR_EACH * most, sizeof *l->sent);
    if (!l->sent)
        return dj_fail_memory(context, "a simulated cache", 0);
    if (l->kind == DJ_LEVEL_FULL)
        return dj_lru_create(&l->full, context, blocks);
    int err = dj_sets_create(&l->sets, context, blocks / ways, ways);
    if (!err && l->kind == DJ_LEVEL_SETS)
        err = dj_recent_create(&l->recent, context, blocks, most);
    if (!err && l->kind == DJ_LEVEL_SETS)
        err = dj_ghosts_create(&l->ghosts, context, blocks / ways);
    return err;
}

void dj_level_free(dj_level_state *l)
{
    dj_sets_free(&l->sets);
    dj_recent_free(&l->recent);
    dj_ghosts_free(&l->ghosts);
    dj_lru_destroy(&l->full);
    free(l->sent);
}

static int renumber(dj_level_state *l, dj_context *context)
{
    dj_ghosts_purge(&l->ghosts, &l->recent);
    dj_recent_begin_renumber(&l->recent);
    int err = dj_ghosts_renumber(&l->ghosts, context, &l->recent);
    for (uint64_t slot = 0; slot < l->blocks; slot++)
        if (l->sets.stamp[slot])
            l->sets.stamp[slot] = dj_recent_renumber(&l->recent, l->sets.stamp[slot]);
    dj_recent_end_renumber(&l->recent);
    return err;
}

static int reserve_sets(dj_level_state *l, dj_context *context, size_t count)
{
    int err = DJ_OK;
    if (dj_recent_space(&l->recent) <= count || l->ghosts.others.count > 2 * l->blocks)
        err = renumber(l, context);
    return err ? err : dj_ghosts_reserve(&l->ghosts, context, count);
}

int dj_level_reserve(dj_level_state *l, dj_context *context, size_t count)
{
    l->sent_count = 0;
    if (l->kind == DJ_LEVEL_SETS)
        return reserve_sets(l, context, count);
    if (l->kind == DJ_LEVEL_FULL)
        return dj_lru_reserve(&l->full, context, count);
    if (l->now >= INT32_MAX - count)
        l->now = dj_sets_renumber(&l->sets);
    return DJ_OK;
}

static void send(dj_level_state *l, uint64_t key, uint32_t by, uint32_t flags)
{
    l->sent[l->sent_count++] = (dj_level_request){key, by, flags};
}

static void count_miss(dj_level_state *l, const dj_level_request *r, bool near)
{
    if (!(r->flags & DJ_REQUEST_FETCH))
        return;
    if (r->by != DJ_BY_NOBODY) {
        dj_level_counts *to = &l->counts[(size_t)(r->by - 1) * l->stride];
        const bool cold = r->flags & DJ_REQUEST_COLD;
        to->misses++;
        to->cold += cold;
        to->conflict += near && !cold;
    }
    send(l, r->key, r->by, DJ_REQUEST_FETCH | (r->flags & DJ_REQUEST_COLD));
}

static void write_back(dj_level_state *l, uint64_t key, uint32_t modifier)
{
    if (modifier == 0)
        return;
    if (modifier != DJ_BY_NOBODY)
        l->counts[(size_t)(modifier - 1) * l->stride].writebacks++;
    send(l, key, modifier, DJ_REQUEST_MODIFY);
}

uint32_t dj_level_access_first(dj_level_state *l, dj_level_request r)
{
    const uint32_t first = (uint32_t)(dj_sets_of(&l->sets, r.key) * l->ways);
    uint32_t slot = dj_sets_find(&l->sets, first, r.key);
    if (slot == DJ_NO_SLOT) {
        slot = dj_sets_oldest(&l->sets, first);
        count_miss(l, &r, r.flags & DJ_REQUEST_NEAR);
        if (l->sets.stamp[slot])
            write_back(l, l->sets.key[slot], l->sets.modifier[slot]);
        dj_sets_put(&l->sets, slot, r.key);
    }
    l->sets.stamp[slot] = ++l->now;
    if (r.flags & DJ_REQUEST_MODIFY)
        l->sets.modifier[slot] = r.by;
    return slot;
}

static void evict(dj_level_state *l, uint64_t set, uint32_t slot)
{
    const uint32_t position = l->sets.stamp[slot];
    if (position == 0)
        return;
    write_back(l, l->sets.key[slot], l->sets.modifier[slot]);
    if (dj_recent_has(&l->recent, position))
        dj_ghosts_add(&l->ghosts, &l->recent, set, l->sets.key[slot], position);
    else
        dj_recent_forget(&l->recent, position);
}

static void access_sets(dj_level_state *l, const dj_level_request *r)
{
    const uint64_t set = dj_sets_of(&l->sets, r->key);
    const uint32_t first = (uint32_t)(set * l->ways);
    uint32_t slot = dj_sets_find(&l->sets, first, r->key), position = 0;
    if (slot != DJ_NO_SLOT) {
        position = dj_recent_use(&l->recent, l->sets.stamp[slot]);
    } else {
        const uint32_t before = dj_ghosts_take(&l->ghosts, set, r->key);
        count_miss(l, r, dj_recent_has(&l->recent, before));
        position = dj_recent_use(&l->recent, before);
        slot = dj_sets_oldest(&l->sets, first);
        evict(l, set, slot);
        dj_sets_put(&l->sets, slot, r->key);
    }
    l->sets.stamp[slot] = position;
    if (r->flags & DJ_REQUEST_MODIFY)
        l->sets.modifier[slot] = r->by;
}

static void access_full(dj_level_state *l, const dj_level_request *r)
{
    const dj_lru_found found = dj_lru_access(&l->full, r->key);
    if (!found.hit)
        count_miss(l, r, false);
    if (found.evicted)
        write_back(l, found.evicted_key, found.evicted_value);
    if (r->flags & DJ_REQUEST_MODIFY)
        l->full.nodes[found.node].value = r->by;
}

static void run_sets(dj_level_state *l, const dj_level_request *requests, size_t count)
{
    enum { AHEAD = 8, KEYS_IN_LINE = 8 };
    for (size_t i = 0; i < count; i++) {
        if (i + AHEAD < count) {
            const uint64_t set = dj_sets_of(&l->sets, requests[i + AHEAD].key), first = set * l->ways;
            __builtin_prefetch(l->sets.stamp + first);
            __builtin_prefetch(l->sets.key + first);
            __builtin_prefetch(l->sets.key + first + KEYS_IN_LINE);
            __builtin_prefetch(l->ghosts.key + set * DJ_GHOSTS);
        }
        access_sets(l, &requests[i]);
    }
}

void dj_level_run(dj_level_state *l, const dj_level_request *requests, size_t count)
{
    if (l->kind == DJ_LEVEL_SETS)
        run_sets(l, requests, count);
    for (size_t i = 0; l->kind == DJ_LEVEL_FULL && i < count; i++)
        access_full(l, &requests[i]);
}
