// SPDX-License-Identifier: MIT
// What all threads do together with the chunks of a round: answer their open accesses from the
// last-access order of everything before.
//
// The distance of the i-th open access of a chunk is the number of keys after its own in that order,
// minus those of them that the chunk accessed before, which inversions.h counts, plus all keys that the
// chunk accessed before: i of them.
#include "engine/parallel/parallel.h"

enum { AHEAD = 64 };

// Whether no thread has failed; all threads get the same answer.
static bool all_succeeded(dj_parallel *p, dj_team_member *member)
{
    dj_member_wait_for_all(member);
    bool well = !atomic_load(&p->failed);
    dj_member_wait_for_all(member);
    return well;
}

// For the keys of one shard and chunk: stores their new points and returns their old ones. `points` is
// the number of points before the chunk.
static void exchange_list(const dj_shards *shards, dj_shard *shard, dj_shard_list *list, uint32_t from,
                          uint32_t end, uint64_t points)
{
    for (uint32_t i = from; i < end; i++) {
        if (i + AHEAD < end)
            dj_shard_prefetch(shards, shard, list->key[i + AHEAD]);
        dj_shard_entry *entry = dj_shard_at(shards, shard, list->key[i]);
        uint32_t previous = entry->point, tag = entry->tag;
        shard->count += previous == 0;
        entry->point = (uint32_t)(points + list->number[i]) + 1;
        list->number[i] = previous - 1; // point 0 becomes a number that no point has
        if (list->tag) {
            entry->tag = list->tag[i];
            list->tag[i] = tag;
        }
        if (list->time) {
            uint64_t *held = &shard->time[entry - shard->entries], time = *held;
            *held = list->time[i];
            list->time[i] = time;
        }
    }
}

// Most keys of later chunks are not new: reserving space for all would be far too much.
static int exchange_some(dj_parallel *p, dj_context *context, dj_shard *shard, dj_shard_list *list,
                         uint32_t from, uint32_t end, uint64_t points)
{
    enum { SHARE = 8 }; // of the capacity of a shard
    int err;
    do { // at least once, so that memory does not depend on the hash seed
        uint64_t some = shard->entries ? (shard->mask + 1) / SHARE : end - from;
        uint32_t to = some < end - from ? from + (uint32_t)some : end;
        err = dj_shard_reserve(&p->shards, shard, context, to - from);
        if (!err)
            exchange_list(&p->shards, shard, list, from, to, points);
        from = to;
    } while (!err && from < end);
    return err;
}

// Chunk after chunk, for one shard.
static int exchange(dj_parallel *p, dj_context *context, unsigned number)
{
    dj_shard *shard = &p->shards.list[number];
    uint64_t points = p->live_points.points;
    for (unsigned i = 0; i < p->chunk_count; i++) {
        dj_shard_list *list = &p->chunks[i].list;
        if (p->chunks[i].open == 0)
            continue;
        int err =
            exchange_some(p, context, shard, list, list->start[number], list->start[number + 1], points);
        if (err)
            return err;
        points += p->chunks[i].open;
    }
    return DJ_OK;
}

static void exchange_all(dj_parallel *p, dj_team_member *member)
{
    for (size_t s; (s = dj_take_task(&p->next_shard)) < DJ_SHARD_COUNT;)
        if (exchange(p, member->context, (unsigned)s) != DJ_OK)
            atomic_store(&p->failed, true);
}

// Replaces points by ranks, so that the line has no gaps. Returns whether there is enough space now.
static bool compact(dj_parallel *p, uint64_t open, dj_team_member *member)
{
    if (member->number == 0)
        dj_live_points_count(&p->live_points);
    dj_member_wait_for_all(member);
    size_t end;
    for (size_t s = dj_member_share(member, DJ_SHARD_COUNT, &end); s < end; s++) {
        dj_shard *shard = &p->shards.list[s];
        for (uint64_t i = 0; shard->entries && i <= shard->mask; i++)
            if (shard->entries[i].point)
                shard->entries[i].point =
                    (uint32_t)dj_live_points_rank(&p->live_points, shard->entries[i].point - 1) + 1;
    }
    dj_member_wait_for_all(member);
    if (member->number == 0 && dj_live_points_compact(&p->live_points, member->context, open) != DJ_OK)
        atomic_store(&p->failed, true);
    return all_succeeded(p, member);
}

static int begin(dj_parallel *p, dj_context *context)
{
    for (unsigned i = 0; i < p->chunk_count; i++) {
        const dj_parallel_chunk *c = &p->chunks[i];
        p->sequences[i] = (dj_sequence){.count = c->open,
                                        .index = c->list_index,
                                        .point = c->list.number,
                                        .at = c->at,
                                        .found = c->found};
    }
    return dj_inversions_begin(&p->inversions, context, &p->live_points, p->sequences, p->chunk_count);
}

// Where the answer to an open access goes.
typedef struct answer_location {
    const dj_work *work;
    size_t at;
} answer_location;

// For the open accesses `first` to `end` - 1 of a chunk, the first of which is not before *part.
// Prefetches everything needed to answer them.
static void find_locations(const dj_parallel_chunk *c, size_t first, size_t end,
                           const dj_parallel_part **part, answer_location *locations)
{
    const dj_parallel_part *in = *part;
    for (size_t i = first; i < end; i++) {
        uint64_t access = c->first + c->access[i];
        while (access >= in->begin + in->count)
            in++;
        answer_location *location = &locations[i - first];
        *location = (answer_location){in->work, in->from + (access - in->begin)};
        __builtin_prefetch(&location->work->distance[location->at], 1);
        if (c->at[i] != DJ_LIVE_POINTS_NONE)
            __builtin_prefetch(&c->found[c->at[i]]);
    }
    *part = in;
}

// Answers the open accesses `first` to `end` - 1 of a chunk.
static void answer(const dj_parallel_round *round, const dj_parallel_chunk *c, size_t first, size_t end)
{
    enum { SOME = 32 };
    const dj_shard_list *list = &c->list;
    const dj_parallel_part *part =
        first < end ? dj_parallel_find_part(round, c->first + c->access[first]) : NULL;
    answer_location locations[SOME];
    for (size_t from = first; from < end; from += SOME) {
        size_t to = end - from < SOME ? end : from + SOME;
        find_locations(c, from, to, &part, locations);
        for (size_t i = from; i < to; i++) {
            const answer_location *location = &locations[i - from];
            if (c->at[i] == DJ_LIVE_POINTS_NONE)
                continue;
            location->work->distance[location->at] = (uint64_t)c->found[c->at[i]].after + i;
            if (list->tag)
                location->work->prev_tag[location->at] = list->tag[c->list_index[i]];
            if (list->time)
                location->work->prev_time[location->at] = list->time[c->list_index[i]];
        }
    }
}

void dj_parallel_resolve(dj_parallel *p, const dj_parallel_round *round, dj_team_member *member)
{
    uint64_t open = 0;
    if (!all_succeeded(p, member))
        return;
    for (unsigned i = 0; i < p->chunk_count; i++)
        open += p->chunks[i].open;
    if (open == 0 || (dj_live_points_is_full(&p->live_points, open) && !compact(p, open, member)))
        return;
    if (member->number == 0 && begin(p, member->context) != DJ_OK)
        atomic_store(&p->failed, true);
    exchange_all(p, member);
    if (!all_succeeded(p, member))
        return;
    dj_inversions_run(&p->inversions, p->path, member);
    for (unsigned i = 0; i < p->chunk_count; i++) {
        size_t end, first = dj_member_share(member, p->chunks[i].open, &end);
        answer(round, &p->chunks[i], first, end);
    }
}
