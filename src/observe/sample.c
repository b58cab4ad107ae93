// SPDX-License-Identifier: MIT
// The sample that the estimates of a lane come from, and their error.
#include <deja/sample.h>

#include <stdlib.h>

#include "base/pack.h"
#include "base/verdicts.h"
#include "observe/observers.h"
#include "observe/sample_slices.h"

typedef struct samples {
    const dj_lane_id *ids;
    uint32_t lane_count;
    bool in_fixed_memory;    // a lane without a sample may become one
    dj_sample_tally lanes[]; // those of lanes without a sample are unused
} samples;

static bool is_sampled(const dj_lane_id *lane)
{
    return lane->sampling < 1;
}

static void destroy(void *state)
{
    samples *s = state;
    for (uint32_t i = 0; s && i < s->lane_count; i++)
        dj_sample_slices_free(&s->lanes[i].slices);
    free(s);
}

static int create(dj_context *context, const dj_setup *setup, void **state)
{
    samples *s = calloc(1, sizeof *s + setup->lane_count * sizeof s->lanes[0]);
    if (!s)
        return dj_fail_memory(context, "the slices of a sample", 0);
    s->ids = setup->lanes;
    s->lane_count = setup->lane_count;
    s->in_fixed_memory = setup->exact_distances > 0;
    *state = s;
    return DJ_OK;
}

// The blocks of one block of the largest size are in the same slice.
static int see_lane(dj_sample_tally *to, dj_context *context, const dj_view *view, const dj_lane_view *lane)
{
    const uint64_t *largest = view->lanes[view->lane_count - 1].key;
    const uint64_t weight = UINT64_C(1) << lane->weight_log2;
    const uint32_t count = view->batch->count;
    int err = DJ_OK;
    for (uint32_t i = 0; !err && i < count; i++) {
        i = lane->verdict ? dj_skip_absent(lane->verdict, i, count) : i;
        if (i == count || (lane->verdict && lane->verdict[i] != DJ_VERDICT_COUNT))
            continue;
        err = dj_sample_tally_add(to, context, dj_sample_slice(largest[i]), lane->distance[i], weight);
    }
    return err;
}

static int see(void *state, dj_context *context, const dj_view *view)
{
    samples *s = state;
    int err = DJ_OK;
    for (uint32_t i = 0; !err && i < s->lane_count; i++)
        if (is_sampled(&s->ids[i]) || s->in_fixed_memory)
            err = see_lane(&s->lanes[i], context, view, &view->lanes[i]);
    return err;
}

static int merge(void *state, dj_context *context, const void *other, uint64_t position)
{
    (void)position;
    samples *s = state;
    const samples *o = other;
    int err = DJ_OK;
    for (uint32_t i = 0; !err && i < s->lane_count; i++)
        err = dj_sample_tally_merge(&s->lanes[i], context, &o->lanes[i]);
    return err;
}

static int save(const void *state, dj_context *context, dj_packer *to)
{
    (void)context;
    const samples *s = state;
    for (uint32_t i = 0; i < s->lane_count; i++)
        dj_sample_tally_save(&s->lanes[i], to);
    return DJ_OK;
}

static int load(dj_context *context, const dj_setup *setup, dj_unpacker *from, void **state)
{
    int err = create(context, setup, state);
    if (err)
        return err;
    samples *s = *state;
    for (uint32_t i = 0; !err && i < s->lane_count; i++)
        err = dj_sample_tally_load(&s->lanes[i], context, from);
    if (err)
        destroy(s);
    return err;
}

static int finish(void *state, dj_context *context, dj_profile *profile)
{
    const samples *s = state;
    int err = DJ_OK;
    for (uint32_t i = 0; !err && i < s->lane_count; i++) {
        dj_lane_profile *lane = &profile->lanes[i];
        dj_sample *to = NULL;
        if (!is_sampled(&s->ids[i]))
            continue;
        err = dj_lane_add_section(context, lane, &dj_section_sample, &to);
        if (!err)
            err = dj_sample_tally_finish(&s->lanes[i], context, lane->id.sampling, lane->accesses, to);
    }
    return err;
}

const dj_observer_ops dj_observer_sample = {
    .name = "sample",
    .summary = "the error of estimates from a sample",
    .needs = DJ_NEED_PER_ACCESS,
    .fills = &dj_section_sample,
    .create = create,
    .destroy = destroy,
    .see = see,
    .merge = merge,
    .unordered = true,
    .weighs = true,
    .bounded = true,
    .finish = finish,
    .save = save,
    .load = load,
};
