// SPDX-License-Identifier: MIT
// Byte distances: the size in bytes that a cache of elements must have for an access to hit, including the
// element itself. The byte distance of the engine plus the size of the element is exactly what LRU needs,
// as long as elements do not change their size.
#include "observe/byte_sample.h"
#include "observe/counted.h"
#include "observe/lane_histograms.h"
#include "observe/observers.h"
#include "observe/rounding.h"

#include <stdlib.h>

typedef struct bytes {
    dj_lane_histograms *needed; // counted in accesses; cold ones in `cold`, if there is a sample
    dj_lane_histograms *weight; // counted in requested bytes; cold bytes in `cold`
    const dj_lane_id *ids;
    bool in_fixed_memory;     // a lane without a sample may become one
    dj_byte_sample samples[]; // by lane; unused unless it is sampled
} bytes;

static bool is_sampled(const bytes *b, uint32_t lane)
{
    return b->ids[lane].sampling < 1;
}

static bool may_be_sampled(const bytes *b, uint32_t lane)
{
    return is_sampled(b, lane) || b->in_fixed_memory;
}

static bytes *allocate(dj_context *context, const dj_setup *setup)
{
    bytes *b = calloc(1, sizeof *b + setup->lane_count * sizeof b->samples[0]);
    if (!b)
        (void)dj_fail_memory(context, "histograms", 0);
    else {
        b->ids = setup->lanes;
        b->in_fixed_memory = setup->exact_distances > 0;
    }
    return b;
}

static void destroy(void *state)
{
    bytes *b = state;
    if (!b)
        return;
    for (uint32_t i = 0; b->needed && i < b->needed->lane_count; i++)
        dj_byte_sample_free(&b->samples[i]);
    dj_lane_histograms_destroy(b->needed);
    dj_lane_histograms_destroy(b->weight);
    free(b);
}

static int create(dj_context *context, const dj_setup *setup, void **state)
{
    bytes *b = allocate(context, setup);
    if (!b)
        return DJ_ERR_MEMORY;
    void *needed = NULL, *weight = NULL;
    int err = dj_lane_histograms_create(context, setup, &needed);
    if (!err)
        err = dj_lane_histograms_create(context, setup, &weight);
    b->needed = needed;
    b->weight = weight;
    if (err) {
        destroy(b);
        return err;
    }
    *state = b;
    return DJ_OK;
}

static int see_access(bytes *b, dj_context *context, uint32_t lane, const dj_view *view, uint32_t i)
{
    const dj_lane_view *answers = &view->lanes[lane];
    const uint64_t *sizes = view->batch->column.size;
    const uint64_t weight = UINT64_C(1) << answers->weight_log2, size = sizes ? sizes[i] : 1;
    const bool cold = answers->distance[i] == DJ_COLD;
    uint64_t needed = cold ? DJ_COLD : answers->byte_distance[i] + size;
    int err = DJ_OK;
    if (!cold && (needed < size || needed == UINT64_MAX))
        return dj_fail(context, DJ_ERR_INPUT, "the sizes in the trace add up to more than 2^64 bytes");
    if (!cold && b->in_fixed_memory && weight > 1)
        needed = dj_sample_round(needed);
    if (cold)
        b->weight->lanes[lane].cold += size * weight;
    else
        err = dj_histogram_add(b->needed->lanes[lane].histogram, context, needed, weight);
    if (!err && !cold)
        err = dj_histogram_add(b->weight->lanes[lane].histogram, context, needed, size * weight);
    if (!err && may_be_sampled(b, lane)) {
        b->needed->lanes[lane].cold += cold ? weight : 0;
        const unsigned slice = dj_sample_slice(view->lanes[view->lane_count - 1].key[i]);
        err = dj_byte_sample_add(&b->samples[lane], context, slice, needed, size, weight);
    }
    return err;
}

static int watch(void *state, dj_context *context, const dj_view *view)
{
    (void)context;
    bytes *b = state;
    for (uint32_t lane = 0; lane < view->lane_count; lane++)
        if (may_be_sampled(b, lane))
            dj_byte_sample_watch(&b->samples[lane], view, &view->lanes[lane]);
    return DJ_OK;
}

static int see(void *state, dj_context *context, const dj_view *view)
{
    bytes *b = state;
    for (uint32_t lane = 0; lane < view->lane_count; lane++) {
        for (uint32_t i = 0; i < view->batch->count; i++) {
            if (view->lanes[lane].distance[i] == DJ_ABSENT)
                continue;
            int err = see_access(b, context, lane, view, i);
            if (err)
                return err;
        }
    }
    return DJ_OK;
}

static uint64_t bytes_ahead(const void *state)
{
    const bytes *b = state;
    uint64_t sum = 0;
    for (uint32_t i = 0; i < b->needed->lane_count; i++)
        sum += dj_histogram_bytes_ahead(b->needed->lanes[i].histogram) +
               dj_histogram_bytes_ahead(b->weight->lanes[i].histogram);
    return sum;
}

static int thin(void *state, dj_context *context, uint32_t lane, dj_keeps *keeps, void *user)
{
    (void)keeps;
    (void)user;
    bytes *b = state;
    int err = dj_lane_histograms_round(b->needed, context, lane);
    return err ? err : dj_lane_histograms_round(b->weight, context, lane);
}

static int merge(void *state, dj_context *context, const void *other, uint64_t position)
{
    bytes *b = state;
    const bytes *o = other;
    int err = dj_lane_histograms_merge(b->needed, context, o->needed, position);
    if (!err)
        err = dj_lane_histograms_merge(b->weight, context, o->weight, position);
    for (uint32_t i = 0; !err && i < b->needed->lane_count; i++)
        err = dj_byte_sample_merge(&b->samples[i], context, &o->samples[i]);
    return err;
}

static int save(const void *state, dj_context *context, dj_packer *to)
{
    const bytes *b = state;
    int err = dj_lane_histograms_save(b->needed, context, to);
    if (!err)
        err = dj_lane_histograms_save(b->weight, context, to);
    for (uint32_t i = 0; !err && i < b->needed->lane_count; i++)
        if (is_sampled(b, i))
            dj_byte_sample_save(&b->samples[i], to);
    return err;
}

static int load(dj_context *context, const dj_setup *setup, dj_unpacker *from, void **state)
{
    bytes *b = allocate(context, setup);
    if (!b)
        return DJ_ERR_MEMORY;
    void *needed = NULL, *weight = NULL;
    int err = dj_lane_histograms_load(context, setup, from, &needed);
    if (!err) {
        b->needed = needed;
        err = dj_lane_histograms_load(context, setup, from, &weight);
    }
    b->weight = err ? NULL : weight;
    for (uint32_t i = 0; !err && i < setup->lane_count; i++)
        if (is_sampled(b, i))
            err = dj_byte_sample_load(&b->samples[i], context, from);
    if (err)
        destroy(b);
    else
        *state = b;
    return err;
}

static int finish(void *state, dj_context *context, dj_profile *profile)
{
    const bytes *b = state;
    int err = DJ_OK;
    for (uint32_t i = 0; !err && i < b->needed->lane_count; i++) {
        dj_byte_profile *out = NULL;
        err = dj_lane_add_section(context, &profile->lanes[i], &dj_section_bytes, &out);
        if (!err)
            err = dj_lane_histograms_copy(b->needed, context, i, &out->distance);
        if (!err)
            err = dj_lane_histograms_copy(b->weight, context, i, &out->weight);
        if (!err)
            out->cold_bytes = b->weight->lanes[i].cold;
        if (!err && is_sampled(b, i))
            err = dj_byte_sample_finish(&b->samples[i], context, profile->lanes[i].accesses,
                                        b->needed->lanes[i].cold, out);
    }
    return err;
}

const dj_observer_ops dj_observer_bytes = {
    .name = "bytes",
    .summary = "bytes that an LRU cache needs for each access to hit",
    .needs = DJ_NEED_PER_ACCESS | DJ_NEED_WEIGHTS,
    .fills = &dj_section_bytes,
    .create = create,
    .destroy = destroy,
    .watch = watch,
    .needs_all = dj_needs_unsampled,
    .see = see,
    .merge = merge,
    .unordered = true,
    .weighs = true,
    .bounded = true,
    .bytes_ahead = bytes_ahead,
    .thin = thin,
    .finish = finish,
    .save = save,
    .load = load,
};
