// SPDX-License-Identifier: MIT
// Results of models on spatial locality, as JSON; docs/formats.md describes it.
#include <stdlib.h>

#include "report/entity_spatial.h"
#include "report/spatial/spatial.h"

static void write_component(dj_json_writer *json, const dj_spatial *spatial, const dj_component *c)
{
    uint64_t block = spatial->pairs[c->pair].block_bytes;
    bool peak = c->kind == DJ_COMPONENT_PEAK;
    dj_json_begin_row(json, NULL);
    dj_json_uint(json, "block", block);
    dj_json_uint(json, "double_block", 2 * block);
    dj_json_text(json, "kind", peak ? "peak" : "cache");
    if (!peak)
        dj_json_text(json, "cache", spatial->caches[c->cache].name);
    dj_json_uint(json, "lo", c->lo);
    if (c->hi == UINT64_MAX)
        dj_json_null(json, "hi");
    else
        dj_json_uint(json, "hi", c->hi);
    dj_json_uint(json, "reuses", c->reuses);
    dj_json_uint(json, "effective", c->effective);
    if (peak)
        dj_json_uint(json, "intercepted", c->intercepted);
    dj_json_real(json, "size", c->size);
    if (dj_spatial_is_estimate(spatial)) {
        dj_json_real(json, "size_low", c->size_range.low);
        dj_json_real(json, "size_high", c->size_range.high);
    }
    dj_json_real(json, "score", c->score);
    if (dj_spatial_is_estimate(spatial)) {
        dj_json_real(json, "score_low", c->score_range.low);
        dj_json_real(json, "score_high", c->score_range.high);
    }
    dj_json_real(json, "mean_distance", c->mean_distance);
    dj_json_bool(json, "good_temporal", c->good_temporal);
    dj_json_bool(json, "good_spatial", c->good_spatial);
    dj_json_bool(json, "serious", c->serious);
    dj_json_end_object(json);
}

static int write_kind(dj_json_writer *json, dj_context *context, const dj_spatial *spatial, size_t pair,
                      enum dj_component_kind kind, const dj_spatial_limits *limits)
{
    dj_component *list = NULL;
    size_t count = 0;
    int err = dj_components(context, spatial, pair, kind, limits, &list, &count);
    for (size_t i = 0; !err && i < count; i++)
        write_component(json, spatial, &list[i]);
    free(list);
    return err;
}

static int write_components(dj_json_writer *json, dj_context *context, const dj_spatial *spatial,
                            const dj_spatial_limits *limits)
{
    int err = DJ_OK;
    dj_json_begin_row(json, "limits");
    dj_json_real(json, "size", limits->size);
    dj_json_uint(json, "near_blocks", limits->near_blocks);
    dj_json_real(json, "good", limits->good);
    dj_json_end_object(json);
    dj_json_begin_list(json, "components");
    for (size_t i = 0; !err && i < spatial->pair_count; i++) {
        err = write_kind(json, context, spatial, i, DJ_COMPONENT_PEAK, limits);
        if (!err)
            err = write_kind(json, context, spatial, i, DJ_COMPONENT_CACHE, limits);
    }
    dj_json_end_list(json);
    return err;
}

void dj_json_usage(dj_json_writer *json, const dj_usage *usage)
{
    dj_json_uint(json, "steps", usage->steps);
    dj_json_begin_list(json, "strides");
    for (size_t i = 0; i < DJ_STRIDES && usage->stride_count[i]; i++) {
        dj_json_begin_object(json, NULL);
        dj_json_int(json, "stride", usage->stride[i]);
        dj_json_uint(json, "count", usage->stride_count[i]);
        dj_json_end_object(json);
    }
    dj_json_end_list(json);
    dj_json_uint(json, "grain", usage->grain);
    dj_json_uint(json, "fetched", usage->fetched);
    dj_json_uint(json, "used", usage->used);
}

static void write_place(dj_json_writer *json, const dj_attribution *a, const dj_rank_row *row)
{
    dj_json_text(json, "name", row->name);
    dj_json_text(json, "object", row->object_name);
    if (*row->path)
        dj_json_text(json, "path", row->path);
    if (row->function != DJ_NOWHERE)
        dj_json_text(json, "function", a->functions[row->function].name);
    if (row->file != DJ_NOWHERE)
        dj_json_text(json, "file", a->files[row->file]);
    if (row->line > 0 && row->line != DJ_NOWHERE)
        dj_json_uint(json, "line", row->line);
}

static void write_row(dj_json_writer *json, const dj_attribution *a, const dj_rank_row *row, bool ranged)
{
    dj_json_begin_row(json, NULL);
    write_place(json, a, row);
    dj_json_uint(json, "accesses", row->accesses);
    dj_json_uint(json, "reuses", row->all.reuses);
    dj_json_uint(json, "effective", row->all.effective);
    dj_json_real(json, "score", dj_spatial_score(row->all.reuses, row->all.effective));
    dj_json_uint(json, "long_reuses", row->far.reuses);
    dj_json_uint(json, "long_effective", row->far.effective);
    dj_json_real(json, "long_score", dj_spatial_score(row->far.reuses, row->far.effective));
    dj_json_int(json, "poor", row->poor);
    dj_json_real(json, "share", row->share);
    if (ranged)
        dj_json_spatial_ranges(json, &(dj_spatial_json_ranges){&row->accesses_range, &row->all_range,
                                                               &row->far_range, row->weak});
    dj_json_usage(json, &row->usage);
    dj_json_uint(json, "saved", row->saved);
    dj_json_text(json, "advice", dj_spatial_advice_name(row->advice));
    dj_json_text(json, "text", row->text);
    dj_json_end_object(json);
}

// More than anyone reads; programs have hundreds of thousands.
enum { LISTED_MOST = 1000 };

static int write_ranking(dj_json_writer *json, dj_context *context, const dj_profile *profile,
                         const dj_ranking_options *from, enum dj_rank_by by, const char *const keys[2])
{
    dj_ranking_options options = *from;
    dj_ranking *ranking = NULL;
    options.by = by;
    int err = dj_ranking_create(context, profile, &options, &ranking);
    if (err)
        return err;
    dj_json_begin_list(json, keys[0]);
    for (size_t i = 0; i < ranking->count && i < LISTED_MOST; i++)
        write_row(json, dj_profile_attribution(profile), &ranking->rows[i], ranking->ranged);
    dj_json_end_list(json);
    dj_json_uint(json, keys[1], ranking->count > LISTED_MOST ? ranking->count - LISTED_MOST : 0);
    dj_ranking_destroy(ranking);
    return DJ_OK;
}

static int write_rankings(dj_json_writer *json, dj_context *context, const dj_profile *profile,
                          const dj_ranking_options *options)
{
    static const char *const keys[][2] = {
        [DJ_RANK_LINE] = {"ranking", "ranking_left_out"},
        [DJ_RANK_LINE_CALLING_CONTEXT] = {"ranking_by_context", "ranking_by_context_left_out"},
        [DJ_RANK_LOOP] = {"ranking_by_loop", "ranking_by_loop_left_out"}};
    const dj_spatial *s = dj_profile_spatial(profile);
    int err = DJ_OK;
    dj_json_begin_row(json, "ranked");
    dj_json_uint(json, "block", s->pairs[options->pair].block_bytes);
    if (options->cache < s->cache_count)
        dj_json_text(json, "cache", s->caches[options->cache].name);
    else
        dj_json_null(json, "cache");
    dj_json_end_object(json);
    for (unsigned by = 0; !err && by < DJ_RANK_COUNT; by++)
        err = write_ranking(json, context, profile, options, (enum dj_rank_by)by, keys[by]);
    return err;
}

int dj_json_spatial_models(dj_json_writer *json, dj_context *context, const dj_profile *profile,
                           const dj_ranking_options *options)
{
    int err = write_components(json, context, dj_profile_spatial(profile), &options->limits);
    if (!err && dj_spatial_has_places(profile))
        err = write_rankings(json, context, profile, options);
    return err;
}
