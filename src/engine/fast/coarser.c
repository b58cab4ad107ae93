// SPDX-License-Identifier: MIT
// Reuse distances of coarser keys: blocks of twice the size, four times, and so on, for the same
// accesses.
//
// Idea:  A coarser key was last accessed when the most recent of its finer keys was. The times of 16
//        consecutive keys share a cache line of the store, which is in a register anyway when a run
//        beginning exchanges its time. Their maxima by twos, fours, eights and all are the times of the
//        coarser keys, so these need no store. And since an access that begins (ends) a run of a
//        coarser key also begins (ends) one of each finer key, all share the points in time: each has a
//        separate timeline, on which a subset of the finer one's bits is set. If two keys were last
//        accessed at different points, another of the finer keys accessed the coarser one in between.
#include "engine/fast/fast.h"

#include <stdlib.h>
#include <string.h>

int dj_fast_coarser_create(dj_fast *fast, dj_context *context, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        dj_fast_coarser *g = calloc(1, sizeof *g);
        if (!g)
            return dj_fail_memory(context, "coarser keys", sizeof *g);
        fast->coarser[fast->coarser_count++] = g;
        dj_footprint_add(&fast->footprint, sizeof *g);
        g->fast.path = fast->path;
        g->fast.given = g->point;
        memset(g->fast.chunk.lag, DJ_FAST_NEW_RUN, sizeof g->fast.chunk.lag);
        int err = dj_fast_timeline_create(&g->fast.timeline, context, &fast->footprint, DJ_FAST_LEAST_BLOCKS);
        if (err != DJ_OK)
            return err;
    }
    return DJ_OK;
}

void dj_fast_coarser_destroy(dj_fast *fast)
{
    for (uint32_t i = 0; i < fast->coarser_count; i++) {
        if (fast->coarser[i]->fast.timeline.words)
            dj_fast_timeline_destroy(&fast->coarser[i]->fast.timeline);
        free(fast->coarser[i]);
    }
}

static uint64_t *distances_of(dj_fast_coarser *g, bool folded)
{
    return folded ? g->fast.fold.distance : g->part.distance;
}

void dj_fast_survey_coarser(dj_fast *fast, const dj_work *work, size_t from, const dj_work *part, bool folded)
{
    size_t left = work->count - from, count = left < DJ_FAST_CHUNK ? left : DJ_FAST_CHUNK;
    for (uint32_t i = 0; i < fast->coarser_count; i++) {
        dj_fast_coarser *g = fast->coarser[i];
        const uint64_t *finer_key = work->key;
        work = work->coarser;
        g->part = (dj_work){.count = count,
                            .key = finer_key + from,
                            .distance = work->distance + from,
                            .prev_tag = work->prev_tag ? work->prev_tag + from : NULL};
        g->fast.chunk.count = (uint32_t)part->count;
        for (uint32_t k = 0; k < part->count; k++)
            g->key[k] = part->key[k] >> (i + 1);
        fast->path->survey(&g->fast, g->key, distances_of(g, folded));
    }
}

void dj_fast_answer_coarser(dj_fast *fast, bool folded)
{
    const dj_fast *finer = fast;
    for (uint32_t i = 0; i < fast->coarser_count; i++) {
        dj_fast_coarser *g = fast->coarser[i];
        fast->path->answer_given(&g->fast, distances_of(g, folded));
        if (folded) {
            memcpy(g->fast.fold.is_new, fast->fold.is_new, sizeof fast->fold.is_new);
            fast->path->spread(&g->fast.fold, g->part.distance, (uint32_t)g->part.count);
        }
        if (g->part.prev_tag) {
            fast->path->find_others(g, finer, fast);
            fast->path->fill_tags(g, folded ? &fast->fold : NULL);
        }
        dj_fast_move_window(&g->fast);
        finer = &g->fast;
    }
}
