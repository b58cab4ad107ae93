// SPDX-License-Identifier: MIT
// Points in time for engines fast and shadow. A full timeline is extended while it has fewer points per
// key than allowed. Otherwise it is compacted: every point in the store is replaced by the point of its
// rank, in one pass over the store, and the bits are set again without gaps. That takes about 4 ns per
// key, once every (points − 1) · keys run endings.
#include "engine/fast/operations.h"

enum { MOST_BLOCKS = (1 << 23) - 1 };

// The timelines of coarser keys have the same points; being longer for a while does no harm.
static int extend(dj_fast *fast, dj_context *context, uint32_t blocks)
{
    int err = DJ_OK;
    for (uint32_t i = 0; err == DJ_OK && i < fast->coarser_count; i++)
        err = dj_fast_timeline_extend(&fast->coarser[i]->fast.timeline, context, blocks);
    return err == DJ_OK ? dj_fast_timeline_extend(&fast->timeline, context, blocks) : err;
}

static void compact(dj_fast *fast)
{
    uint64_t holes = dj_fast_rank_holes(fast);
    fast->path->compact(fast);
    dj_fast_timeline_append(&fast->timeline, holes); // it counted only the keys
}

static uint64_t wanted_blocks(const dj_fast *fast)
{
    uint64_t wanted = fast->points_per_key * fast->keys / DJ_FAST_BLOCK_BITS + DJ_FAST_LEAST_BLOCKS;
    return wanted < MOST_BLOCKS ? wanted : MOST_BLOCKS;
}

int dj_fast_shorten(dj_fast *fast, dj_context *context)
{
    const uint64_t wanted = wanted_blocks(fast);
    dj_fast_timeline shorter;
    if (wanted >= fast->timeline.blocks)
        return DJ_OK;
    int err = dj_fast_timeline_create(&shorter, context, &fast->footprint, (uint32_t)wanted);
    if (err != DJ_OK)
        return err;
    compact(fast);
    dj_fast_timeline_destroy(&fast->timeline);
    fast->timeline = shorter;
    dj_fast_timeline_append(&fast->timeline, fast->keys);
    return DJ_OK;
}

int dj_fast_reserve_points(dj_fast *fast, dj_context *context, uint64_t count)
{
    dj_fast_timeline *t = &fast->timeline;
    int err = DJ_OK;
    while (!err && dj_fast_timeline_left(t) < count) {
        const uint64_t wanted = wanted_blocks(fast);
        if (wanted <= t->blocks + t->blocks / 4)
            compact(fast);
        else
            err = extend(fast, context, (uint32_t)(wanted < 2 * t->blocks ? wanted : 2 * t->blocks));
    }
    return err;
}
