// SPDX-License-Identifier: MIT
// Reuse distances of the whole trace, exactly.
#include "observe/lane_histograms.h"
#include "observe/observers.h"

static int see(void *state, dj_context *context, const dj_view *view)
{
    dj_lane_histograms *h = state;
    for (uint32_t i = 0; i < h->lane_count; i++) {
        uint64_t cold;
        int err = dj_histogram_add_all(h->lanes[i].histogram, context, view->lanes[i].distance,
                                       view->batch->count, &cold);
        if (err)
            return err;
        h->lanes[i].cold += cold;
    }
    return DJ_OK;
}

static int finish(void *state, dj_context *context, dj_profile *profile)
{
    const dj_lane_histograms *h = state;
    for (uint32_t i = 0; i < h->lane_count; i++) {
        dj_lane_profile *lane = &profile->lanes[i];
        int err = dj_lane_histograms_copy(h, context, i, &lane->distance);
        if (err)
            return err;
        lane->cold = h->lanes[i].cold;
        lane->distinct = h->lanes[i].cold;
    }
    return DJ_OK;
}

const dj_observer_ops dj_observer_histogram = {
    .name = "histogram",
    .summary = "reuse distances of the whole trace",
    .needs = DJ_NEED_PER_ACCESS,
    .create = dj_lane_histograms_create,
    .destroy = dj_lane_histograms_destroy,
    .see = see,
    .merge = dj_lane_histograms_merge,
    .unordered = true,
    .finish = finish,
};
