// SPDX-License-Identifier: MIT
// How engines fast and shadow process work, chunk by chunk.
#include "engine/fast/operations.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_EXPECTED = 1 << 24 };

int dj_fast_prepare(dj_fast *fast, dj_context *context, const dj_engine_params *params, size_t bytes)
{
    uint64_t keys = params->expected_keys < MOST_EXPECTED ? params->expected_keys : MOST_EXPECTED;
    uint64_t blocks = fast->points_per_key * keys / DJ_FAST_BLOCK_BITS + DJ_FAST_LEAST_BLOCKS;
    fast->use = params->use;
    memset(fast->chunk.lag, DJ_FAST_NEW_RUN, sizeof fast->chunk.lag);
    dj_footprint_add(&fast->footprint, bytes);
    int err = dj_fast_timeline_create(&fast->timeline, context, &fast->footprint, (uint32_t)blocks);
    if (err == DJ_OK)
        err = dj_fast_operations_create(fast, context);
    return err == DJ_OK ? dj_fast_coarser_create(fast, context, params->coarser) : err;
}

void dj_fast_destroy(void *state)
{
    dj_fast *f = state;
    if (!f)
        return;
    dj_fast_timeline_destroy(&f->timeline);
    dj_fast_coarser_destroy(f);
    dj_fast_operations_destroy(f);
    f->store->destroy(f);
    free(f);
}

void dj_fast_move_window(dj_fast *f)
{
    dj_fast_chunk *c = &f->chunk;
    uint32_t slot[DJ_FAST_WINDOW];
    for (uint32_t i = 0; !f->given && i < DJ_FAST_WINDOW; i++)
        slot[i] = c->slot[c->run[c->count + i]];
    if (!f->given)
        memcpy(c->slot, slot, sizeof slot);
    memmove(c->key, c->key + c->count, DJ_FAST_WINDOW * sizeof *c->key);
    memmove(c->hash, c->hash + c->count, DJ_FAST_WINDOW * sizeof *c->hash);
    memmove(c->mark, c->mark + c->count, DJ_FAST_WINDOW * sizeof *c->mark);
    memmove(c->lag, c->lag + c->count, DJ_FAST_WINDOW * sizeof *c->lag);
    memmove(c->tag, c->tag + c->count, DJ_FAST_WINDOW * sizeof *c->tag);
    memmove(c->stamp, c->stamp + c->count, DJ_FAST_WINDOW * sizeof *c->stamp);
    f->accesses += c->count;
}

static bool meets_holes(const dj_fast *f)
{
    return f->operations && (f->operations->hole_count > 0 || f->operations->events > 0);
}

int dj_fast_push_chunk(dj_fast *f, dj_context *context, const dj_work *part)
{
    f->chunk.count = (uint32_t)part->count;
    f->path->survey(f, part->key, part->distance);
    int err = f->store->reserve(f, context);
    if (err != DJ_OK)
        return err;
    err = dj_fast_reserve_points(f, context, f->chunk.endings);
    if (err != DJ_OK)
        return err;
    if (meets_holes(f))
        f->path->answer_with_holes(f, part->distance);
    else
        f->path->answer(f, part->distance);
    if (f->use & (DJ_CAN_TAGS | DJ_CAN_TIMES))
        dj_fast_exchange(f, part);
    dj_fast_move_window(f);
    return DJ_OK;
}

dj_work dj_fast_part_of(const dj_fast *f, const dj_work *work, size_t from)
{
    size_t left = work->count - from;
    dj_work part = {.count = left < DJ_FAST_CHUNK ? left : DJ_FAST_CHUNK,
                    .key = work->key + from,
                    .distance = work->distance + from};
    if (f->use & DJ_CAN_TAGS) {
        part.tag = work->tag + from;
        part.prev_tag = work->prev_tag + from;
    }
    if (f->use & DJ_CAN_TIMES) {
        part.time = work->time + from;
        part.prev_time = work->prev_time + from;
    }
    part.op = work->op ? work->op + from : NULL;
    return part;
}

static int push_accesses(dj_fast *f, dj_context *context, const dj_work *work, size_t from)
{
    const dj_work whole = dj_fast_part_of(f, work, from);
    size_t left = work->count - from - whole.count;
    f->chunk.upcoming = work->key + from + whole.count;
    f->chunk.upcoming_count = (uint32_t)(left < DJ_FAST_CHUNK ? left : DJ_FAST_CHUNK);
    dj_work part = whole;
    bool folded = dj_fast_fold_away(f, &part);
    dj_fast_survey_coarser(f, work, from, &part, folded);
    int err = dj_fast_push_chunk(f, context, &part);
    if (err != DJ_OK)
        return err;
    if (folded)
        dj_fast_unfold(f, &whole);
    dj_fast_answer_coarser(f, folded);
    return DJ_OK;
}

int dj_fast_push(void *state, dj_context *context, dj_work *work)
{
    dj_fast *f = state;
    for (size_t from = 0; from < work->count; from += DJ_FAST_CHUNK) {
        const dj_work part = dj_fast_part_of(f, work, from);
        int err = dj_fast_forget_lost_keys(f, context);
        if (err == DJ_OK)
            err = dj_fast_has_operations(f, &part) ? dj_fast_push_mixed(f, context, &part)
                                                   : push_accesses(f, context, work, from);
        if (err != DJ_OK)
            return err;
    }
    dj_work_queue_put(&f->answered, work);
    return DJ_OK;
}

void dj_fast_stats(const void *state, dj_engine_stats *out)
{
    const dj_fast *f = state;
    *out = (dj_engine_stats){.keys = f->keys - (f->operations ? f->operations->hole_count : 0),
                             .bytes = f->footprint.bytes,
                             .peak_bytes = f->footprint.peak_bytes};
    for (uint32_t i = 0; i < f->coarser_count; i++)
        out->keys += f->coarser[i]->fast.keys;
}
