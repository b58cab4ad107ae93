// SPDX-License-Identifier: MIT
#include "observe/lane_histograms.h"

#include <stdlib.h>

#include "base/pack.h"
#include "observe/rounding.h"

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
        if (setup->exact_distances)
            dj_histogram_limit(h->lanes[i].histogram, setup->exact_distances);
        h->lanes[i].rounds = setup->exact_distances > 0;
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

int dj_lane_histograms_save(const void *state, dj_context *context, dj_packer *to)
{
    (void)context;
    const dj_lane_histograms *h = state;
    for (uint32_t i = 0; i < h->lane_count; i++) {
        dj_pack_number(to, h->lanes[i].cold);
        dj_pack_histogram(to, h->lanes[i].histogram);
    }
    return DJ_OK;
}

int dj_lane_histograms_load(dj_context *context, const dj_setup *setup, dj_unpacker *from, void **state)
{
    int err = dj_lane_histograms_create(context, setup, state);
    if (err)
        return err;
    dj_lane_histograms *h = *state;
    for (uint32_t i = 0; !err && i < h->lane_count; i++) {
        err = dj_unpack_number(from, context, &h->lanes[i].cold);
        if (!err)
            err = dj_unpack_histogram(from, context, h->lanes[i].histogram);
    }
    if (err)
        dj_lane_histograms_destroy(h);
    return err;
}

int dj_lane_histograms_round(dj_lane_histograms *h, dj_context *context, uint32_t lane)
{
    int err = h->lanes[lane].rounds ? dj_histogram_round(context, &h->lanes[lane].histogram) : DJ_OK;
    h->lanes[lane].rounds = h->lanes[lane].rounds && err;
    return err;
}

int dj_lane_histograms_copy(const dj_lane_histograms *histograms, dj_context *context, uint32_t lane,
                            dj_histogram **out)
{
    int err = dj_histogram_create(context, out);
    return err ? err : dj_histogram_merge(*out, context, histograms->lanes[lane].histogram);
}
