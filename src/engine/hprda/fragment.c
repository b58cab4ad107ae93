// SPDX-License-Identifier: MIT
// A fragment in groups of local traces: each thread analyzes groups by itself, then all threads merge them
// shard by shard.
#include "engine/hprda/hprda.h"

// A merged distance that may still be adjusted.
#define OPEN (UINT64_C(1) << 63)

// Processes one item on thread `thread`.
typedef void item_work(dj_hprda *h, unsigned thread, size_t item);

typedef struct shared_items {
    dj_hprda *h;
    item_work *work;
    size_t count;
    atomic_size_t next;
} shared_items;

static void take_items(void *user, dj_team_member *member)
{
    shared_items *items = user;
    for (size_t i; (i = dj_take_task(&items->next)) < items->count;)
        items->work(items->h, member->number, i);
}

// Waking the threads for few items would cost more than it saves.
static void for_each(dj_hprda *h, size_t count, item_work *work, bool few)
{
    shared_items items = {.h = h, .work = work, .count = count};
    if (!h->team || few) {
        for (size_t i = 0; i < count; i++)
            work(h, 0, i);
        return;
    }
    dj_team_start(h->team, take_items, &items);
    dj_team_wait(h->team);
}

uint64_t dj_hprda_keys(const dj_hprda *h)
{
    uint64_t keys = 0;
    for (unsigned s = 0; s < DJ_HPRDA_SHARDS; s++)
        keys += h->shards[s].count;
    return keys;
}

static size_t groups_in_use(const dj_hprda *h)
{
    return (h->count + h->group_accesses - 1) / h->group_accesses;
}

static void analyze_group(dj_hprda *h, unsigned thread, size_t g)
{
    size_t at = g * h->group_accesses, left = h->count - at;
    dj_hprda_trace trace = {h->key + at, h->distance + at,
                            left < h->group_accesses ? left : h->group_accesses};
    h->analyze(&h->scratch[thread], &trace, &h->groups[g], h->infos + at);
}

static void analyze_groups(dj_hprda *h)
{
    const size_t groups = groups_in_use(h);
    for_each(h, groups, analyze_group, groups <= 1);
    for (size_t g = 0; g < groups; g++) {
        h->groups[g].base = h->places;
        h->places += h->groups[g].count;
    }
}

// Formula (1) for the keys of one shard in one group.
static bool merge_infos(dj_map *shard, dj_context *context, const dj_hprda_group *group,
                        const dj_hprda_info *infos, size_t count, uint64_t open)
{
    enum { AHEAD = 12 };
    for (size_t i = 0; i < count; i++) {
        if (i + AHEAD < count)
            __builtin_prefetch(&shard->entries[dj_map_hash(infos[i + AHEAD].key) & shard->mask], 1);
        uint64_t *last = dj_map_at(shard, context, infos[i].key);
        if (!last)
            return false;
        *infos[i].distance = *last ? (group->base + infos[i].first - *last) | open : DJ_COLD;
        *last = group->base + infos[i].last;
    }
    return true;
}

static void merge_shard(dj_hprda *h, unsigned thread, size_t s)
{
    const size_t groups = groups_in_use(h);
    const uint64_t open = h->options.adjust == DJ_HPRDA_NEVER ? 0 : OPEN;
    bool good = true;
    for (size_t g = 0; good && g < groups; g++) {
        const dj_hprda_group *group = &h->groups[g];
        good = merge_infos(&h->shards[s], h->scratch[thread].context, group,
                           h->infos + g * h->group_accesses + group->start[s],
                           group->start[s + 1] - group->start[s], open);
    }
    if (!good)
        atomic_store(&h->failed, true);
}

uint64_t dj_hprda_bytes(const dj_hprda *h)
{
    dj_engine_stats history;
    dj_hprda_history_stats(&h->history, &history);
    uint64_t each = sizeof *h->key + sizeof *h->distance + sizeof *h->infos, bytes = history.bytes;
    for (unsigned s = 0; s < DJ_HPRDA_SHARDS; s++)
        bytes += h->footprints[s].bytes;
    bytes += sizeof *h + h->capacity * each + h->group_count * sizeof *h->groups;
    return bytes + h->threads * dj_hprda_scratch_bytes(h->scratch);
}

static int analyze(dj_hprda *h, dj_context *context)
{
    if (!atomic_load(&h->failed)) {
        analyze_groups(h);
        for_each(h, DJ_HPRDA_SHARDS, merge_shard, groups_in_use(h) <= 1);
    }
    h->count = 0;
    uint64_t bytes = dj_hprda_bytes(h);
    h->peak_bytes = bytes > h->peak_bytes ? bytes : h->peak_bytes;
    for (unsigned i = 0; atomic_load(&h->failed) && i < h->threads; i++)
        if (dj_context_message(h->scratch[i].context)[0])
            return dj_fail(context, DJ_ERR_MEMORY, "%s", dj_context_message(h->scratch[i].context));
    return DJ_OK;
}

// Formulas (2) and (3): distances beyond `most` are scaled by keys / places.
static void adjust_part(dj_hprda *h, unsigned thread, size_t p)
{
    (void)thread;
    const uint64_t keys = h->keys, most = h->options.adjust == DJ_HPRDA_ALWAYS ? 0 : keys, places = h->places;
    uint64_t *distance = h->parts.part[p].work->distance + h->parts.part[p].from;
    for (size_t i = 0; i < h->parts.part[p].count; i++) {
        if (distance[i] < OPEN || distance[i] == DJ_COLD)
            continue;
        distance[i] -= OPEN;
        if (distance[i] > most)
            distance[i] = distance[i] * keys / places; // both are below 2^31
    }
}

static void adjust(dj_hprda *h)
{
    if (h->options.adjust == DJ_HPRDA_NEVER)
        return;
    h->keys = dj_hprda_keys(h);
    for_each(h, h->parts.count, adjust_part, h->parts.count <= 1);
}

int dj_hprda_complete(dj_hprda *h, dj_context *context)
{
    int err = analyze(h, context);
    if (!err)
        adjust(h);
    return err;
}

int dj_hprda_add(dj_hprda *h, dj_context *context, const dj_hprda_part *p)
{
    const uint64_t *key = p->work->key + p->from;
    uint64_t *distance = p->work->distance + p->from;
    for (size_t i = 0; i < p->count;) {
        size_t capacity = h->capacity - h->count, end = p->count - i < capacity ? p->count : i + capacity;
        uint64_t previous = h->previous;
        size_t count = h->count;
        for (; i < end; i++) {
            distance[i] = 0;
            h->key[count] = key[i];
            h->distance[count] = &distance[i];
            count += key[i] != previous;
            previous = key[i];
        }
        h->previous = previous;
        h->count = count;
        int err = h->count == h->capacity ? analyze(h, context) : DJ_OK;
        if (err)
            return err;
    }
    return DJ_OK;
}
