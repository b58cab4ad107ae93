// SPDX-License-Identifier: MIT
// Bursts in time: at intervals, all accesses of a stretch of the trace go through an engine of their own,
// after a warm-up. A sample of the blocks cannot tell small caches apart; bursts can.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "observe/bursts/head.h"
#include "observe/observers.h"

enum { WAITING = 1024 }; // accesses that go to the engine together

// A burst that has begun, or is the next to begin.
typedef struct running {
    dj_burst burst;
    void *engine;   // NULL: not begun
    uint64_t known; // blocks that it has used
    bool whole;     // it began with the trace, so that it knows all blocks
    uint32_t waiting;
    bool counting; // whether those that wait count
    uint64_t key[WAITING], distance[WAITING];
    dj_burst_counts counts;
} running;

typedef struct lane_bursts {
    dj_burst_schedule schedule;
    dj_burst_finder ahead; // for batches that have not been shown yet
    running running[2];    // at most two overlap
    unsigned older;        // of the two
    dj_burst_sums sums;
} lane_bursts;

typedef struct bursts {
    const dj_engine_ops *engine;
    bool is_part, filled; // blocks may have been used before the first access that counts
    uint32_t count;       // DJ_BURST_KINDS for each lane
    lane_bursts **all;    // NULL: the lane is not sampled
} bursts;

static void next_burst(lane_bursts *lane, running *r)
{
    r->burst = dj_burst_schedule_next(&lane->schedule);
    r->known = 0;
    r->counts = (dj_burst_counts){.weight = r->burst.weight};
}

static void end_engine(const bursts *b, running *r)
{
    if (r->engine)
        b->engine->destroy(r->engine);
    r->engine = NULL;
}

static void destroy(void *state)
{
    bursts *b = state;
    for (uint32_t i = 0; b && b->all && i < b->count; i++) {
        lane_bursts *lane = b->all[i];
        if (!lane)
            continue;
        end_engine(b, &lane->running[0]);
        end_engine(b, &lane->running[1]);
        dj_burst_sums_free(&lane->sums);
        free(lane);
    }
    if (b)
        free(b->all);
    free(b);
}

// The description of a sample contains its seed, and has no other use of it: the same sample has the same
// bursts.
static uint64_t seed_of(const char *description)
{
    uint64_t seed = 0;
    for (; description && *description; description++)
        seed = dj_random_mix(seed + (unsigned char)*description);
    return seed;
}

static int create_lane(dj_context *context, const dj_lane_id *id, enum dj_burst_kind kind, lane_bursts **out)
{
    lane_bursts *lane = calloc(1, sizeof *lane);
    if (!lane)
        return dj_fail_memory(context, "the bursts of a lane", sizeof *lane);
    *out = lane;
    lane->schedule =
        dj_burst_schedule_begin(seed_of(id->filter), (unsigned)-lround(log2(id->sampling)), kind);
    lane->ahead = dj_burst_finder_begin(&lane->schedule);
    next_burst(lane, &lane->running[0]);
    next_burst(lane, &lane->running[1]);
    return dj_burst_sums_create(context, lane->schedule.warm_log2, &lane->sums);
}

// With fixed memory, a lane without a sample may become one. Partitions have stacks of their own, so no curve
// for which this would be the head.
static int create(dj_context *context, const dj_setup *setup, void **state)
{
    bursts *b = calloc(1, sizeof *b);
    if (!b)
        return dj_fail_memory(context, "the bursts", sizeof *b);
    b->engine = dj_engine_get(0);
    b->is_part = setup->is_part;
    b->count = setup->lane_count * DJ_BURST_KINDS;
    b->all = calloc(b->count + 1, sizeof *b->all);
    int err = b->all ? DJ_OK : dj_fail_memory(context, "the bursts", 0);
    for (uint32_t i = 0; !err && i < b->count; i++) {
        const uint32_t lane = i / DJ_BURST_KINDS;
        const bool sampled = setup->lanes[lane].sampling < 1 || setup->exact_distances > 0;
        if (sampled && !(setup->partitions && setup->partitions[lane]))
            err = create_lane(context, &setup->lanes[lane], (enum dj_burst_kind)(i % DJ_BURST_KINDS),
                              &b->all[i]);
    }
    if (err)
        destroy(b);
    else
        *state = b;
    return err;
}

static int answer(const bursts *b, lane_bursts *lane, running *r, dj_context *context, const uint64_t *key,
                  uint32_t count)
{
    dj_work work = {.count = count, .key = key, .distance = r->distance}, *answered = NULL;
    int err = b->engine->push(r->engine, context, &work);
    if (!err)
        err = b->engine->drain(r->engine, context);
    if (!err)
        err = b->engine->pull(r->engine, context, &answered);
    if (!err && r->counting)
        dj_burst_count(&lane->sums, &r->counts, r->distance, count, r->whole, &r->known);
    for (uint32_t i = 0; !err && !r->counting && i < count; i++)
        r->known += r->distance[i] == DJ_COLD;
    return err;
}

static int flush(const bursts *b, lane_bursts *lane, running *r, dj_context *context)
{
    const uint32_t count = r->waiting;
    r->waiting = 0;
    return count > 0 ? answer(b, lane, r, context, r->key, count) : DJ_OK;
}

// Accesses from `at` to before `end` of the batch.
static int feed(const bursts *b, lane_bursts *lane, running *r, dj_context *context, const dj_lane_view *view,
                uint32_t at, uint32_t end)
{
    int err = DJ_OK;
    for (uint32_t n; !err && !view->verdict && at < end; at += n) {
        n = end - at < WAITING ? end - at : WAITING;
        err = answer(b, lane, r, context, view->key + at, n);
    }
    for (; !err && at < end; at++) {
        r->key[r->waiting] = view->key[at];
        r->waiting += dj_verdict_belongs(view->verdict[at]);
        if (r->waiting == WAITING)
            err = flush(b, lane, r, context);
    }
    return err ? err : flush(b, lane, r, context);
}

static uint64_t smaller(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

// What the burst has in this batch.
static int run(const bursts *b, lane_bursts *lane, running *r, dj_context *context, const dj_view *view,
               const dj_lane_view *keys)
{
    const uint64_t from = view->batch->first, end = smaller(r->burst.end, from + view->batch->count);
    uint64_t at = r->burst.begin > from ? r->burst.begin : from;
    const dj_engine_params params = {.expected_keys = r->burst.end - r->burst.begin};
    int err = DJ_OK;
    if (at >= end)
        return DJ_OK;
    if (!r->engine) {
        r->whole = at == 0 && !b->is_part && !b->filled;
        err = b->engine->create(context, &params, &r->engine);
    }
    for (uint64_t until; !err && at < end; at = until) {
        r->counting = at >= r->burst.counted;
        until = r->counting ? end : smaller(end, r->burst.counted);
        err = feed(b, lane, r, context, keys, (uint32_t)(at - from), (uint32_t)(until - from));
    }
    return err;
}

static int watch_lane(const bursts *b, lane_bursts *lane, dj_context *context, const dj_view *view,
                      const dj_lane_view *keys)
{
    const uint64_t end = view->batch->first + view->batch->count;
    for (;;) {
        running *older = &lane->running[lane->older], *newer = &lane->running[1 - lane->older];
        int err = run(b, lane, older, context, view, keys);
        if (err)
            return err;
        if (older->burst.end > end)
            return run(b, lane, newer, context, view, keys);
        dj_burst_sums_add(&lane->sums, &older->counts);
        end_engine(b, older);
        next_burst(lane, older);
        lane->older = 1 - lane->older;
    }
}

// Accesses that only fill come first, and those outside the sample are missing among them.
static bool has_filled(const dj_view *view, uint32_t lane)
{
    const uint8_t *verdict = view->lanes[lane].verdict;
    return verdict && memchr(verdict, DJ_VERDICT_FILL, view->batch->count);
}

// The batch may be one that has not been shown yet.
static bool needs_all(void *state, const dj_batch *batch)
{
    const bursts *b = state;
    bool needed = false;
    for (uint32_t i = 0; i < b->count; i++)
        if (b->all[i] && dj_burst_finder_meets(&b->all[i]->ahead, batch->first, batch->first + batch->count))
            needed = true;
    return needed;
}

static int watch(void *state, dj_context *context, const dj_view *view)
{
    bursts *b = state;
    int err = DJ_OK;
    for (uint32_t i = 0; view->complete && !err && i < b->count; i++) {
        if (!b->all[i])
            continue;
        if (view->batch->first == 0)
            b->filled = b->filled || has_filled(view, i / DJ_BURST_KINDS);
        err = watch_lane(b, b->all[i], context, view, &view->lanes[i / DJ_BURST_KINDS]);
    }
    return err;
}

// The sums with the bursts that have not ended; the distances are not copied.
static int close_sums(const lane_bursts *lane, dj_context *context, dj_burst_sums **out)
{
    dj_burst_sums *all = malloc(sizeof *all);
    if (!all)
        return dj_fail_memory(context, "the bursts of a lane", sizeof *all);
    *all = lane->sums;
    dj_burst_sums_add(all, &lane->running[lane->older].counts);
    dj_burst_sums_add(all, &lane->running[1 - lane->older].counts);
    *out = all;
    return DJ_OK;
}

// Long bursts replace what the sample says of smaller caches, and then short ones what those say of the
// smallest.
static int finish(void *state, dj_context *context, dj_profile *profile)
{
    const bursts *b = state;
    int err = DJ_OK;
    for (uint32_t i = 0; !err && i < b->count; i++) {
        dj_lane_profile *lane = &profile->lanes[i / DJ_BURST_KINDS];
        dj_sample *sample = dj_lane_section(lane, &dj_section_sample);
        dj_burst_sums *all = NULL;
        if (!b->all[i] || !sample)
            continue;
        err = close_sums(b->all[i], context, &all);
        if (!err)
            err = dj_join_head(context, all, profile, lane, sample);
        free(all);
    }
    return err;
}

// No accesses follow, so the bursts of both parts end here.
static int merge(void *state, dj_context *context, const void *other, uint64_t position)
{
    (void)position;
    bursts *b = state;
    const bursts *o = other;
    int err = DJ_OK;
    for (uint32_t i = 0; !err && i < b->count; i++) {
        dj_burst_sums *earlier = NULL, *later = NULL;
        if (!b->all[i])
            continue;
        err = close_sums(b->all[i], context, &earlier);
        if (!err)
            err = close_sums(o->all[i], context, &later);
        if (!err) {
            dj_burst_sums_merge(earlier, later);
            b->all[i]->sums = *earlier;
            b->all[i]->running[0].counts = b->all[i]->running[1].counts = (dj_burst_counts){0};
        }
        free(earlier);
        free(later);
    }
    return err;
}

static int save(const void *state, dj_context *context, dj_packer *to)
{
    const bursts *b = state;
    int err = DJ_OK;
    for (uint32_t i = 0; !err && i < b->count; i++) {
        dj_burst_sums *all = NULL;
        err = b->all[i] ? close_sums(b->all[i], context, &all) : DJ_OK;
        if (all)
            dj_burst_sums_save(all, to);
        free(all);
    }
    return err;
}

static int load(dj_context *context, const dj_setup *setup, dj_unpacker *from, void **state)
{
    int err = create(context, setup, state);
    if (err)
        return err;
    bursts *b = *state;
    for (uint32_t i = 0; !err && i < b->count; i++)
        err = b->all[i] ? dj_burst_sums_load(&b->all[i]->sums, context, from) : DJ_OK;
    if (err)
        destroy(b);
    return err;
}

static const dj_section_ops *const after[] = {&dj_section_histogram, &dj_section_sample, NULL};

const dj_observer_ops dj_observer_bursts = {
    .name = "bursts",
    .summary = "small caches, from bursts in time",
    .fills = &dj_section_sample,
    .after = after,
    .create = create,
    .destroy = destroy,
    .watch = watch,
    .needs_all = needs_all,
    .merge = merge,
    .weighs = true, // sees all accesses
    .bounded = true,
    .finish = finish,
    .save = save,
    .load = load,
};
