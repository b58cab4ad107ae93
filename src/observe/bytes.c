// SPDX-License-Identifier: MIT
// Byte distances: the size in bytes that a cache of elements must have for an access to hit, including the
// element itself. The byte distance of the engine plus the size of the element is exactly what LRU needs,
// as long as elements do not change their size.
#include "observe/lane_histograms.h"
#include "observe/observers.h"

#include <stdlib.h>

typedef struct bytes {
    dj_lane_histograms *needed; // counted in accesses
    dj_lane_histograms *weight; // counted in requested bytes; cold bytes in `cold`
} bytes;

static void destroy(void *state)
{
    bytes *b = state;
    if (!b)
        return;
    dj_lane_histograms_destroy(b->needed);
    dj_lane_histograms_destroy(b->weight);
    free(b);
}

static int create(dj_context *context, const dj_setup *setup, void **state)
{
    bytes *b = calloc(1, sizeof *b);
    if (!b)
        return dj_fail_memory(context, "histograms", 0);
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

static int see_access(bytes *b, dj_context *context, uint32_t lane, const dj_lane_view *answers, uint32_t i,
                      uint64_t size)
{
    if (answers->distance[i] == DJ_COLD) {
        b->weight->lanes[lane].cold += size;
        return DJ_OK;
    }
    uint64_t needed = answers->byte_distance[i] + size;
    if (needed < size || needed == UINT64_MAX)
        return dj_fail(context, DJ_ERR_INPUT, "the sizes in the trace add up to more than 2^64 bytes");
    int err = dj_histogram_add(b->needed->lanes[lane].histogram, context, needed, 1);
    return err ? err : dj_histogram_add(b->weight->lanes[lane].histogram, context, needed, size);
}

static int see(void *state, dj_context *context, const dj_view *view)
{
    bytes *b = state;
    const uint64_t *size = view->batch->column.size;
    for (uint32_t lane = 0; lane < view->lane_count; lane++) {
        for (uint32_t i = 0; i < view->batch->count; i++) {
            if (view->lanes[lane].distance[i] == DJ_ABSENT)
                continue;
            int err = see_access(b, context, lane, &view->lanes[lane], i, size ? size[i] : 1);
            if (err)
                return err;
        }
    }
    return DJ_OK;
}

static int merge(void *state, dj_context *context, const void *other, uint64_t position)
{
    bytes *b = state;
    const bytes *o = other;
    int err = dj_lane_histograms_merge(b->needed, context, o->needed, position);
    return err ? err : dj_lane_histograms_merge(b->weight, context, o->weight, position);
}

static int save(const void *state, dj_context *context, dj_packer *to)
{
    const bytes *b = state;
    int err = dj_lane_histograms_save(b->needed, context, to);
    return err ? err : dj_lane_histograms_save(b->weight, context, to);
}

static int load(dj_context *context, const dj_setup *setup, dj_unpacker *from, void **state)
{
    bytes *b = calloc(1, sizeof *b);
    if (!b)
        return dj_fail_memory(context, "histograms", 0);
    void *needed = NULL, *weight = NULL;
    int err = dj_lane_histograms_load(context, setup, from, &needed);
    if (!err) {
        b->needed = needed;
        err = dj_lane_histograms_load(context, setup, from, &weight);
    }
    if (err) {
        destroy(b);
        return err;
    }
    b->weight = weight;
    *state = b;
    return DJ_OK;
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
    .see = see,
    .merge = merge,
    .unordered = true,
    .finish = finish,
    .save = save,
    .load = load,
};
