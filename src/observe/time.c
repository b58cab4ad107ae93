// SPDX-License-Identifier: MIT
// Time distances: accesses since the previous use; 1 in `a a`.
#include "observe/lane_histograms.h"
#include "observe/observers.h"

static int see(void *state, dj_context *context, const dj_view *view)
{
    dj_lane_histograms *h = state;
    for (uint32_t lane = 0; lane < h->lane_count; lane++) {
        const dj_lane_view *answers = &view->lanes[lane];
        for (uint32_t i = 0; i < view->batch->count; i++) {
            if (answers->distance[i] >= DJ_ABSENT) // or cold
                continue;
            uint64_t passed = dj_lane_view_time(view, lane, i) - answers->prev_time[i];
            int err = dj_histogram_add(h->lanes[lane].histogram, context, passed, 1);
            if (err)
                return err;
        }
    }
    return DJ_OK;
}

static int finish(void *state, dj_context *context, dj_profile *profile)
{
    const dj_lane_histograms *h = state;
    int err = DJ_OK;
    for (uint32_t i = 0; !err && i < h->lane_count; i++) {
        dj_time_profile *time = NULL;
        err = dj_lane_add_section(context, &profile->lanes[i], &dj_section_time, &time);
        if (!err)
            err = dj_lane_histograms_copy(h, context, i, &time->distance);
    }
    return err;
}

const dj_observer_ops dj_observer_time = {
    .name = "time",
    .summary = "time distances of the complete trace",
    .needs = DJ_NEED_PER_ACCESS | DJ_NEED_TIMES,
    .fills = &dj_section_time,
    .create = dj_lane_histograms_create,
    .destroy = dj_lane_histograms_destroy,
    .see = see,
    .merge = dj_lane_histograms_merge,
    .unordered = true,
    .finish = finish,
    .save = dj_lane_histograms_save,
    .load = dj_lane_histograms_load,
};
