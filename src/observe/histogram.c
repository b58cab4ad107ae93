// SPDX-License-Identifier: MIT
// The exact reuse-distance histogram of the trace.
#include "observe/compact.h"
#include "observe/counted.h"
#include "observe/known_total.h"
#include "observe/lane_histograms.h"
#include "observe/observers.h"

enum { CHUNK = 1024 };

// Counts zeros, which are frequent in traces of programs, all at once.
static int add_lane(dj_histogram *histogram, dj_context *context, const uint64_t *distance, uint32_t count,
                    uint64_t *cold)
{
    const dj_compact *compact = dj_compact_choose();
    uint64_t left[CHUNK + DJ_COMPACT_PAD], zeros = 0;
    for (uint32_t from = 0; from < count; from += CHUNK) {
        uint32_t some = count - from < CHUNK ? count - from : CHUNK;
        uint32_t n = compact->drop_zeros(distance + from, some, left);
        uint64_t colds;
        int err = dj_histogram_add_all(histogram, context, left, n, &colds);
        if (err)
            return err;
        *cold += colds;
        zeros += some - n;
    }
    return dj_histogram_add(histogram, context, 0, zeros);
}

// Each access of a sample stands for several.
static int add_weighted(dj_lane_histograms *h, dj_context *context, uint32_t lane, const uint64_t *distance,
                        uint32_t count, uint64_t weight)
{
    int err = dj_lane_histograms_round(h, context, lane);
    uint64_t *cold = &h->lanes[lane].cold;
    dj_histogram *histogram = h->lanes[lane].histogram;
    for (uint32_t i = 0; !err && i < count; i++)
        if (distance[i] == DJ_COLD)
            *cold += weight;
        else
            err = dj_histogram_add(histogram, context, distance[i], weight);
    return err;
}

// For a lane with a filter.
static int add_counted(dj_lane_histograms *h, dj_context *context, uint32_t lane, const dj_view *view)
{
    const dj_lane_view *answers = &view->lanes[lane];
    const uint64_t weight = UINT64_C(1) << answers->weight_log2;
    uint64_t left[CHUNK], *cold = &h->lanes[lane].cold;
    int err = DJ_OK;
    for (uint32_t from = 0; !err && from < view->batch->count; from += CHUNK) {
        uint32_t some = view->batch->count - from < CHUNK ? view->batch->count - from : CHUNK;
        uint32_t n = dj_counted_column(answers->verdict + from, answers->distance + from, some, left);
        err = weight > 1 ? add_weighted(h, context, lane, left, n, weight)
                         : add_lane(h->lanes[lane].histogram, context, left, n, cold);
    }
    return err;
}

static int see(void *state, dj_context *context, const dj_view *view)
{
    dj_lane_histograms *h = state;
    for (uint32_t i = 0; i < h->lane_count; i++) {
        const dj_lane_view *lane = &view->lanes[i];
        uint64_t *cold = &h->lanes[i].cold;
        int err = lane->verdict ? add_counted(h, context, i, view)
                  : lane->weight_log2 > 0
                      ? add_weighted(h, context, i, lane->distance, view->batch->count,
                                     UINT64_C(1) << lane->weight_log2)
                      : add_lane(h->lanes[i].histogram, context, lane->distance, view->batch->count, cold);
        if (err)
            return err;
    }
    return DJ_OK;
}

// The distances are already in the profile.
static int total(void *state, dj_context *context, uint32_t lane, const dj_histogram *distances,
                 uint64_t cold)
{
    (void)context;
    (void)distances;
    ((dj_lane_histograms *)state)->lanes[lane].cold = cold;
    return DJ_OK;
}

static int finish(void *state, dj_context *context, dj_profile *profile)
{
    dj_lane_histograms *h = state;
    for (uint32_t i = 0; i < h->lane_count; i++) {
        dj_lane_profile *lane = &profile->lanes[i];
        int err = lane->id.sampling < 1 ? dj_lane_histograms_round(h, context, i) : DJ_OK;
        if (!err && !lane->distance)
            err = dj_lane_histograms_copy(h, context, i, &lane->distance);
        lane->cold = h->lanes[i].cold;
        if (!err && lane->id.sampling < 1)
            err = dj_match_known_total(context, lane->accesses, 0, &lane->cold, &lane->distance);
        lane->distinct = lane->cold;
        if (err)
            return err;
    }
    return DJ_OK;
}

const dj_observer_ops dj_observer_histogram = {
    .name = "histogram",
    .summary = "reuse distances of the complete trace",
    .needs = DJ_NEED_PER_ACCESS,
    .fills = &dj_section_histogram,
    .create = dj_lane_histograms_create,
    .destroy = dj_lane_histograms_destroy,
    .see = see,
    .total = total,
    .merge = dj_lane_histograms_merge,
    .unordered = true,
    .weighs = true,
    .bounded = true,
    .finish = finish,
    .save = dj_lane_histograms_save,
    .load = dj_lane_histograms_load,
};
