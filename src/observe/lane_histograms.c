// SPDX-License-Identifier: MIT
#include "observe/lane_histograms.h"

#include <stdlib.h>

int dj_lane_histograms_create(dj_context *context, const dj_setup *setup, void **state)
{
    dj_lane_histograms *h = calloc(1, sizeof *h + setup->lane_count * sizeof h->lanes[0]);
    if (!h)
        return dj_fail_memory(context, "histograms", 0);
    h->lane_count = setup->lane_count;
    for (uint32_t i = 0; i < h->lane_count; i++) {
        int err = dj_histogram_create(context, &h->lanes[i].histogram);
        if (err) {
            dj_lane_histograms_destroy(h);
            return err;
        }
    }
    *state = h;
    return DJ_OK;
}

void dj_lane_histograms_destroy(void *state)
{
    dj_lane_histograms *h = state;
    if (!h)
        return;
    for (uint32_t i = 0; i < h->lane_count; i++)
        dj_histogram_destroy(h->lanes[i].histogram);
    free(h);
}

int dj_lane_histograms_merge(void *state, dj_context *context, const void *other, uint64_t position)
{
    (void)position;
    dj_lane_histograms *h = state;
    const dj_lane_histograms *o = other;
    for (uint32_t i = 0; i < h->lane_count; i++) {
        int err = dj_histogram_merge(h->lanes[i].histogram, context, o->lanes[i].histogram);
        if (err)
            return err;
        h->lanes[i].cold += o->lanes[i].cold;
    }
    return DJ_OK;
}

int dj_lane_histograms_copy(const dj_lane_histograms *histograms, dj_context *context, uint32_t lane,
                            dj_histogram **out)
{
    int err = dj_histogram_create(context, out);
    return err ? err : dj_histogram_merge(*out, context, histograms->lanes[lane].histogram);
}
