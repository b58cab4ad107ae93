// SPDX-License-Identifier: MIT
// What another engine has seen becomes part of what this one has seen, without
// its accesses: only the first one to each of its keys is unanswered there, and
// only the order of the last ones matters afterwards.
//
// The distance of such a first access is what it would be had there been no other
// accesses but the first ones before it, since they are all the keys that came
// between. Each key gets its point on the timeline once, by the rank of its last
// access: which of the new points it gets is of no account to those that follow,
// since all of them lie after all that are asked about.
#include "engine/fast.h"

#include <string.h>

// Runs that may go on do not: their keys get points, so that the window is empty.
static void end_window(dj_fast *f)
{
    dj_fast_chunk *c = &f->chunk;
    for (uint32_t i = 0; i < DJ_FAST_WINDOW; i++) {
        if (DJ_FAST_WINDOW - i > f->accesses || dj_fast_comes_again(c, i))
            continue;
        size_t index = dj_fast_slot_index(&f->slots, c->slot[i]);
        f->slots.words[c->slot[i]] = f->timeline.now;
        dj_fast_timeline_append(&f->timeline, 1);
        if (f->slots.tag)
            f->slots.tag[index] = c->tag[i];
        if (f->slots.stamp)
            f->slots.stamp[index] = c->stamp[i];
    }
    f->accesses = 0;
}

int dj_fast_take_start(dj_fast_hashed *h, dj_context *context, size_t keys, uint64_t *start)
{
    dj_fast *f = &h->fast;
    int err = dj_fast_make_room(f, context, keys + DJ_FAST_WINDOW, keys);
    if (err)
        return err;
    end_window(f);
    *start = dj_fast_timeline_number(f->timeline.now);
    dj_fast_timeline_append(&f->timeline, keys);
    return DJ_OK;
}

static int take_chunk(dj_fast *f, dj_context *context, const dj_work *part, const uint32_t *rank,
                      uint64_t start)
{
    dj_fast_chunk *c = &f->chunk;
    c->count = (uint32_t)part->count;
    f->path->list_once(f, part->key);
    int err = f->store->make_room(f, context);
    if (err)
        return err;
    memset(c->run_point, 0, DJ_FAST_WINDOW * sizeof *c->run_point);
    for (uint32_t i = 0; i < c->count; i++)
        c->run_point[DJ_FAST_WINDOW + i] = dj_fast_timeline_numbered(start + rank[i]);
    f->path->answer_once(f, part->distance);
    if (f->use & (DJ_CAN_TAGS | DJ_CAN_TIMES)) {
        uint16_t run_end[DJ_FAST_ACCESSES];
        for (uint32_t i = DJ_FAST_WINDOW; i < DJ_FAST_WINDOW + c->count; i++)
            run_end[i] = (uint16_t)i;
        memset(c->lag, DJ_FAST_NEW_RUN, sizeof c->lag);
        dj_fast_exchange_runs(f, part, run_end);
    }
    return DJ_OK;
}

int dj_fast_take(dj_fast_hashed *h, dj_context *context, const dj_work *firsts, const uint32_t *rank,
                 uint64_t start)
{
    dj_fast *f = &h->fast;
    int err = DJ_OK;
    f->chunk.upcoming_count = 0;
    for (size_t from = 0; !err && from < firsts->count; from += DJ_FAST_CHUNK) {
        const dj_work part = dj_fast_part_of(f, firsts, from);
        err = take_chunk(f, context, &part, rank + from, start);
    }
    return err;
}
