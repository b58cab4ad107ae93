// SPDX-License-Identifier: MIT
// Converts the options of `deja spatial` to a measurement request.
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/size.h"
#include "base/text.h"
#include "cli/verbs/spatial.h"
#include "measure/spatial.h"

static int find_caches(dj_context *context, const dj_spatial_verb *o, const dj_source_info *info,
                       dj_spatial_plan *out)
{
    if (info->unit_bytes == 0)
        return DJ_OK;
    int err = dj_caches_for_blocks(context, &o->caches, out->blocks[0], &out->caches.found);
    dj_attribute_request_caches(&out->caches, out->blocks[0], &out->request);
    return err;
}

// Checks, before hours of work, that the pair and cache that the view names will be
// measured. Stores their indices in *meant.
static int check_view(dj_context *context, const dj_spatial_plan *plan, const dj_source_info *info,
                      const dj_spatial_view *view, dj_ranking_options *meant)
{
    dj_profile *future = NULL;
    dj_spatial *spatial = NULL;
    const dj_request *r = &plan->request;
    int err = dj_profile_create(context, 1, &future);
    if (!err)
        err = dj_spatial_create(context, r->block_count - 1, r->cache_count, &spatial);
    if (!err)
        err = dj_profile_give_section(context, future, &dj_section_spatial, spatial);
    for (size_t i = 0; !err && i + 1 < r->block_count; i++)
        spatial->pairs[i].block_bytes = plan->blocks[i];
    for (size_t i = 0; !err && i < r->cache_count; i++)
        err = dj_copy_text(context, r->caches[i].name, &spatial->caches[i].name);
    if (!err) {
        future->provenance.unit_bytes = info->unit_bytes;
        err = dj_spatial_view_find(context, future, view, meant);
    }
    dj_profile_destroy(future);
    return err;
}

// Chooses the cache in which line utilization is measured: the one of --residency or --cache.
static int plan_usage(dj_context *context, const dj_spatial_verb *o, const dj_ranking_options *meant,
                      dj_spatial_plan *out)
{
    const dj_request *r = &out->request;
    out->spatial.ranked_block = out->blocks[meant->pair];
    if (meant->cache != SIZE_MAX && meant->cache < r->cache_count)
        out->spatial.residency_bytes = r->caches[meant->cache].bytes;
    dj_usage_options usage =
        dj_spatial_usage(&out->spatial, r->blocks, r->block_count, r->caches, r->cache_count);
    if (out->spatial.residency_bytes && out->spatial.residency_bytes < usage.block)
        out->spatial.residency_bytes = usage.block;
    if (!o->residency)
        return DJ_OK;
    int err = dj_size_bytes(context, "--residency", o->residency, &out->spatial.residency_bytes);
    if (!err && out->spatial.residency_bytes < usage.block)
        err = dj_fail(context, DJ_ERR_USAGE, "--residency: '%s' is less than one block of %" PRIu64 " bytes",
                      o->residency, usage.block);
    return err;
}

const char *dj_spatial_find_unfit(const dj_spatial_verb *o)
{
    const char *attribution = dj_attribute_needs_all(&o->attribute);
    return attribution         ? attribution
           : o->program.paused ? "--paused"
           : o->parts.summary  ? "--summary"
                               : dj_filters_given(&o->filters);
}

int dj_spatial_plan_make(dj_context *context, const dj_spatial_verb *o, const dj_source_info *info,
                         const dj_arguments *arguments, dj_spatial_plan *out)
{
    dj_ranking_options meant = {0};
    *out = (dj_spatial_plan){.request = {.blocks = out->blocks, .spatial = &out->spatial}};
    int err = dj_trace_plan(context, &o->trace, info, &out->plan);
    if (!err)
        err = dj_spatial_blocks(context, o->blocks, info, out->blocks, &out->request.block_count);
    if (!err)
        err = find_caches(context, o, info, out);
    if (!err)
        err = check_view(context, out, info, &o->view, &meant);
    if (!err)
        err = plan_usage(context, o, &meant, out);
    dj_trace_request(&o->trace, arguments, &out->request);
    dj_filters_apply(&o->filters, &out->request);
    return err;
}
