// SPDX-License-Identifier: MIT
// What all threads do together with a chunk: its open accesses are answered from
// the last-access order of all that came before.
//
// The i-th open access, whose key stands at point p of that order, has as its
// distance the keys that stand after p, less those of them that the chunk
// accessed before, plus all keys that it accessed before: after(p) - larger(i) + i,
// where larger(i) counts the open accesses before it whose points are after p.
#include "engine/parallel.h"

enum { AHEAD = 24 };

// Where the keys of one shard stood. A new one is taken note of.
static void find_previous(const dj_shards *shards, dj_shard *shard, dj_shard_list *first, uint32_t from,
                          uint32_t end)
{
    for (uint32_t i = from; i < end; i++) {
        if (i + AHEAD < end)
            dj_shard_prefetch(shards, shard, first->key[i + AHEAD]);
        dj_shard_entry *entry = dj_shard_at(shards, shard, first->key[i]);
        first->number[i] = entry->point - 1; // none has the number that 0 becomes
        if (entry->point == 0) {
            entry->point = 1; // the right one is put there below
            shard->count++;
            continue;
        }
        if (first->tag)
            first->tag[i] = entry->tag;
        if (first->time)
            first->time[i] = shard->time[entry - shard->entries];
    }
}

static void leave(dj_standing *standing, const dj_shard_list *first, uint32_t from, uint32_t end)
{
    for (uint32_t i = from; i < end; i++) {
        if (i + AHEAD < end)
            __builtin_prefetch(standing->words + first->number[i + AHEAD] / 64, 1);
        if (first->number[i] != DJ_STANDING_NONE)
            dj_standing_leave(standing, first->number[i]);
    }
}

// Where the keys of one shard will stand.
static void put_last(const dj_shards *shards, const dj_shard *shard, const dj_shard_list *last, uint32_t from,
                     uint32_t end, uint64_t points)
{
    for (uint32_t i = from; i < end; i++) {
        dj_shard_entry *entry = dj_shard_at(shards, shard, last->key[i]);
        entry->point = (uint32_t)(points + last->number[i]) + 1;
        if (last->tag)
            entry->tag = last->tag[i];
        if (last->time)
            shard->time[entry - shard->entries] = last->time[i];
    }
}

static int exchange(dj_parallel *p, dj_parallel_chunk *c, dj_context *context, unsigned number)
{
    dj_shard *shard = &p->shards.list[number];
    uint32_t from = c->first.start[number], end = c->first.start[number + 1];
    int err = dj_shard_reserve(&p->shards, shard, context, end - from);
    if (err) {
        for (uint32_t i = from; i < end; i++)
            c->first.number[i] = DJ_STANDING_NONE;
        return err;
    }
    find_previous(&p->shards, shard, &c->first, from, end);
    leave(&p->standing, &c->first, from, end);
    put_last(&p->shards, shard, &c->last, from, end, p->standing.points);
    return DJ_OK;
}

static void exchange_all(dj_parallel *p, dj_parallel_chunk *c, dj_member *member)
{
    for (size_t s; (s = dj_take_task(&p->next_shard)) < DJ_SHARD_COUNT;)
        if (exchange(p, c, member->context, (unsigned)s) != DJ_OK)
            atomic_store(&p->failed, true);
}

// Points become ranks, so that the line has no gaps.
// Whether there is room now.
static bool close_up(dj_parallel *p, dj_parallel_chunk *c, dj_member *member)
{
    size_t end;
    for (size_t s = dj_member_share(member, DJ_SHARD_COUNT, &end); s < end; s++) {
        dj_shard *shard = &p->shards.list[s];
        for (uint64_t i = 0; shard->entries && i <= shard->mask; i++)
            if (shard->entries[i].point)
                shard->entries[i].point =
                    (uint32_t)dj_standing_before(&p->standing, shard->entries[i].point - 1).live + 1;
    }
    dj_member_meet(member);
    if (member->number == 0 && dj_standing_close_up(&p->standing, member->context, c->open) != DJ_OK)
        atomic_store(&p->failed, true);
    dj_member_meet(member);
    bool failed = atomic_load(&p->failed); // all threads see the same, since none can set it before they meet
    if (!failed)
        dj_standing_count(&p->standing, member);
    return !failed;
}

static void answer(const dj_parallel *p, const dj_parallel_chunk *c, size_t first, size_t end)
{
    for (size_t i = first; i < end; i++) {
        if (c->value[i] == DJ_INVERSION_NONE)
            continue;
        const dj_work *work = c->spot[i].work;
        size_t at = c->spot[i].at;
        work->distance[at] = (uint64_t)(c->after[i] - p->inversions.larger[c->inversion[i]]) + i;
        if (c->first.tag)
            work->prev_tag[at] = c->first.tag[c->place[i]];
        if (c->first.time)
            work->prev_time[at] = c->first.time[c->place[i]];
    }
}

bool dj_parallel_resolve(dj_parallel *p, dj_parallel_chunk *c, dj_member *member)
{
    dj_standing *s = &p->standing;
    if (c->open == 0)
        return true;
    if (dj_standing_is_full(s, c->open) && !close_up(p, c, member))
        return false;
    exchange_all(p, c, member);
    dj_member_meet(member);
    dj_standing_count(s, member);
    if (member->number == 0 &&
        dj_inversions_begin(&p->inversions, member->context, c->open, dj_standing_leaving(s)) != DJ_OK)
        atomic_store(&p->failed, true);
    size_t end, first = dj_member_share(member, c->open, &end);
    p->path->rank(s, c->first.number, c->place, c->value, c->after, first, end);
    dj_member_meet(member);
    if (atomic_load(&p->failed))
        return false;
    dj_inversions_run(&p->inversions, p->path, member, c->value, c->inversion);
    if (member->number == 0)
        atomic_store_explicit(&p->next_shard, 0, memory_order_relaxed);
    dj_member_meet(member);
    answer(p, c, first, end);
    dj_standing_advance(s, member, c->open);
    return true;
}
