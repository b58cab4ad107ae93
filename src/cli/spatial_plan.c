// SPDX-License-Identifier: MIT
// From the options of `deja spatial` to what is measured.
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/size.h"
#include "base/text.h"
#include "cli/spatial.h"

enum { LINE_BYTES = 64, CACHE_BYTES = 32 << 10 };
// In the list of observers.
enum { WHOLE_COUNT = 3, BYTELESS_COUNT = 4 };

static int find_caches(dj_context *context, const dj_spatial_choice *o, const dj_source_info *info,
                       dj_spatial_plan *out)
{
    if (info->unit_bytes == 0)
        return DJ_OK;
    int err = dj_caches_for_blocks(context, &o->caches, out->blocks[0], &out->found);
    dj_caches_sort(&out->found);
    for (size_t i = 0; !err && i < out->found.count; i++) {
        dj_cache_shape *shape = &out->found.shapes[i];
        out->caches[i] = (dj_spatial_cache_size){shape->name, shape->size_blocks * out->blocks[0]};
    }
    out->spatial = (dj_spatial_options){.caches = out->caches, .cache_count = out->found.count};
    return err;
}

// The view must fit what will be measured, before hours go into it. Sets which
// of the pairs and caches are meant.
static int check_view(dj_context *context, const dj_spatial_plan *plan, const dj_source_info *info,
                      const dj_spatial_view *view, dj_ranking_options *meant)
{
    dj_profile *future = NULL;
    dj_spatial *spatial = NULL;
    int err = dj_profile_create(context, 1, &future);
    if (!err)
        err = dj_spatial_create(context, plan->block_count - 1, plan->found.count, &spatial);
    if (!err)
        err = dj_profile_give_section(context, future, &dj_section_spatial, spatial);
    for (size_t i = 0; !err && i + 1 < plan->block_count; i++)
        spatial->pairs[i].block_bytes = plan->blocks[i];
    for (size_t i = 0; !err && i < plan->found.count; i++)
        err = dj_copy_text(context, plan->caches[i].name, &spatial->caches[i].name);
    if (!err) {
        future->provenance.unit_bytes = info->unit_bytes;
        err = dj_spatial_view_find(context, future, view, meant);
    }
    dj_profile_destroy(future);
    return err;
}

// Blocks are looked at while they stay in the cache that matters most.
static int plan_usage(dj_context *context, const dj_spatial_choice *o, const dj_ranking_options *meant,
                      dj_spatial_plan *out)
{
    out->usage = (dj_usage_options){.block = out->blocks[meant->pair + 1], .cache_bytes = CACHE_BYTES};
    for (size_t i = 0; i < out->block_count; i++)
        if (out->blocks[i] == LINE_BYTES)
            out->usage.block = LINE_BYTES;
    if (out->found.count > 0)
        out->usage.cache_bytes = out->caches[meant->cache == SIZE_MAX ? 0 : meant->cache].bytes;
    if (out->usage.cache_bytes < out->usage.block)
        out->usage.cache_bytes = out->usage.block;
    if (!o->residency)
        return DJ_OK;
    int err = dj_size_bytes(context, "--residency", o->residency, &out->usage.cache_bytes);
    if (!err && out->usage.cache_bytes < out->usage.block)
        err = dj_fail(context, DJ_ERR_USAGE, "--residency: '%s' is less than one block of %" PRIu64 " bytes",
                      o->residency, out->usage.block);
    return err;
}

int dj_spatial_plan_make(dj_context *context, const dj_spatial_choice *o, const dj_source_info *info,
                         dj_spatial_plan *out)
{
    static const char *const names[] = {"histogram", "traffic", "spatial", "spatial-places", "usage"};
    dj_ranking_options meant = {0};
    *out = (dj_spatial_plan){.block_count = 0};
    int err = dj_reading_plan(context, &o->reading, info, &out->plan);
    if (!err)
        err = dj_spatial_blocks(context, o->blocks, info, out->blocks, &out->block_count);
    if (!err)
        err = find_caches(context, o, info, out);
    if (!err)
        err = check_view(context, out, info, &o->view, &meant);
    if (!err)
        err = plan_usage(context, o, &meant, out);
    if (err)
        return err;
    // The halves of a block are told apart only when an access counts in each that it touches.
    out->plan.split = !o->reading.no_split && (out->plan.split || info->kind == DJ_CLASS_MEMORY);
    out->plan.block_bytes = out->blocks[0];
    out->plan.size_block = info->unit_bytes ? out->blocks[0] : 0;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        out->observers[i].ops = dj_observer_find(names[i]);
    out->observers[2].options = out->observers[3].options = &out->spatial;
    out->observers[4].options = &out->usage;
    return DJ_OK;
}

void dj_spatial_plan_apply(const dj_spatial_plan *plan, bool places, dj_measurement *measurement)
{
    measurement->plan = &plan->plan;
    measurement->blocks = plan->blocks;
    measurement->block_count = plan->block_count;
    measurement->observers = plan->observers;
    measurement->observer_count = !places ? WHOLE_COUNT
                                  : plan->plan.size_block == 0
                                      ? BYTELESS_COUNT
                                      : sizeof plan->observers / sizeof *plan->observers;
}
