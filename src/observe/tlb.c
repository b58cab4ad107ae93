// SPDX-License-Identifier: MIT
// Misses of buffers for translations of addresses: read off the distances of the lanes whose blocks are
// pages.
#include <deja/observer_options.h>

#include <stdlib.h>

#include "base/text.h"
#include "observe/observers.h"

static void destroy(void *state)
{
    dj_tlb_profile *t = state;
    for (size_t i = 0; t && i < t->count; i++)
        free(t->levels[i].name);
    if (t)
        free(t->levels);
    free(t);
}

static int copy_levels(dj_context *context, const dj_tlb_level *from, size_t count, dj_tlb_profile *to)
{
    to->levels = calloc(count + 1, sizeof *to->levels);
    if (!to->levels)
        return dj_fail_memory(context, "the TLBs", count * sizeof *to->levels);
    int err = DJ_OK;
    for (; !err && to->count < count; to->count++) {
        dj_tlb_level *level = &to->levels[to->count];
        *level = from[to->count];
        level->name = NULL;
        err = dj_copy_text(context, from[to->count].name, &level->name);
    }
    return err;
}

static int create(dj_context *context, const dj_setup *setup, void **state)
{
    const dj_tlb_options *o = setup->options;
    if (!o || o->count > DJ_TLB_LEVELS_MOST)
        return dj_fail(context, DJ_ERR_USAGE, "observer tlb needs at most %d TLBs", DJ_TLB_LEVELS_MOST);
    dj_tlb_profile *t = calloc(1, sizeof *t);
    if (!t)
        return dj_fail_memory(context, "the TLBs", sizeof *t);
    t->assumed = o->assumed;
    int err = copy_levels(context, o->levels, o->count, t);
    if (err)
        destroy(t);
    else
        *state = t;
    return err;
}

static const dj_lane_profile *lane_of(const dj_profile *profile, uint64_t page_bytes)
{
    for (size_t i = 0; i < profile->lane_count; i++)
        if (profile->lanes[i].id.block_bytes == page_bytes)
            return &profile->lanes[i];
    return NULL;
}

static int finish(void *state, dj_context *context, dj_profile *profile)
{
    const dj_tlb_profile *t = state;
    dj_tlb_profile *out = NULL;
    int err = dj_profile_add_section(context, profile, &dj_section_tlb, &out);
    if (!err)
        err = copy_levels(context, t->levels, t->count, out);
    for (size_t i = 0; !err && i < t->count; i++) {
        const dj_lane_profile *lane = lane_of(profile, t->levels[i].page_bytes);
        if (!lane)
            return dj_fail(context, DJ_ERR_USAGE, "observer tlb: no lane has blocks of %llu bytes",
                           (unsigned long long)t->levels[i].page_bytes);
        out->levels[i].misses =
            lane->cold + dj_histogram_sum(lane->distance, t->levels[i].entries, UINT64_MAX);
    }
    if (!err)
        out->assumed = t->assumed;
    return err;
}

static const dj_section_ops *const after[] = {&dj_section_histogram, NULL};

const dj_observer_ops dj_observer_tlb = {
    .name = "tlb",
    .summary = "misses of buffers for translations of addresses",
    .needs = DJ_NEED_EXACT,
    .fills = &dj_section_tlb,
    .after = after,
    .create = create,
    .destroy = destroy,
    .finish = finish,
};
