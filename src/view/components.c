// SPDX-License-Identifier: MIT
// The components of spatial locality: ranges of the reuse distance.
#include <deja/components.h>

#include <math.h>
#include <stdlib.h>

#include "profile/fields.h"
#include "report/spatial/spatial.h"
#include "view/parts.h"

typedef struct component {
    uint64_t pair;
    const char *kind, *cache;
    uint64_t lo;
    int64_t hi; // -1: no end
    uint64_t reuses, effective, intercepted;
    double size, score, mean;
    bool good_temporal, good_spatial, serious;
    dj_view_range sizes, scores; // NaN: exact
} component;

// The conclusion for a pair, and the scores of its reuses and of its long ones.
typedef struct explained {
    uint64_t pair;
    const char *text;
    dj_view_range all, far; // NaN: exact
} explained;

typedef struct components {
    dj_spatial_limits limits;
    explained *explained;
    size_t explained_count;
    component *list;
    size_t count;
} components;

static const dj_field component_fields[] = {
    DJ_AT(U64, "pair", component, pair),
    DJ_AT(TEXT, "kind", component, kind),
    DJ_AT(TEXT, "cache", component, cache),
    DJ_AT(U64, "lo", component, lo),
    DJ_AT(I64, "hi", component, hi),
    DJ_AT(U64, "reuses", component, reuses),
    DJ_AT(U64, "effective", component, effective),
    DJ_AT(U64, "intercepted", component, intercepted),
    DJ_AT(REAL, "size", component, size),
    DJ_AT(REAL, "score", component, score),
    DJ_AT(REAL, "mean", component, mean),
    DJ_AT(BOOL, "good_temporal", component, good_temporal),
    DJ_AT(BOOL, "good_spatial", component, good_spatial),
    DJ_AT(BOOL, "serious", component, serious),
    DJ_AT(REAL, "size_low", component, sizes.low),
    DJ_AT(REAL, "size_high", component, sizes.high),
    DJ_AT(REAL, "score_low", component, scores.low),
    DJ_AT(REAL, "score_high", component, scores.high),
    DJ_END,
};
static const dj_table component_table = {component_fields, sizeof(component), DJ_ROW_OBJECT};
static const dj_field explained_fields[] = {
    DJ_AT(U64, "pair", explained, pair),
    DJ_AT(TEXT, "text", explained, text),
    DJ_AT(REAL, "score_low", explained, all.low),
    DJ_AT(REAL, "score_high", explained, all.high),
    DJ_AT(REAL, "far_low", explained, far.low),
    DJ_AT(REAL, "far_high", explained, far.high),
    DJ_END,
};
static const dj_table explained_table = {explained_fields, sizeof(explained), DJ_ROW_OBJECT};
static const dj_field components_fields[] = {
    DJ_AT(REAL, "size", components, limits.size),
    DJ_AT(U64, "near_blocks", components, limits.near_blocks),
    DJ_AT(REAL, "good", components, limits.good),
    {DJ_FIELD_ROWS("explain", components, explained, explained_count, explained_table)},
    {DJ_FIELD_ROWS("rows", components, list, count, component_table)},
    DJ_END,
};

static dj_view_range range_of(const dj_spatial *spatial, dj_spatial_range range)
{
    return dj_spatial_is_estimate(spatial) ? (dj_view_range){range.low, range.high}
                                           : (dj_view_range){(double)NAN, (double)NAN};
}

static component describe_component(const dj_spatial *spatial, const dj_component *c)
{
    const bool peak = c->kind == DJ_COMPONENT_PEAK;
    return (component){.pair = spatial->pairs[c->pair].block_bytes,
                       .kind = peak ? "peak" : "cache",
                       .cache = peak ? "" : spatial->caches[c->cache].name,
                       .lo = c->lo,
                       .hi = c->hi == UINT64_MAX ? -1 : (int64_t)c->hi,
                       .reuses = c->reuses,
                       .effective = c->effective,
                       .intercepted = peak ? c->intercepted : 0,
                       .size = c->size,
                       .score = c->score,
                       .mean = c->mean_distance,
                       .good_temporal = c->good_temporal,
                       .good_spatial = c->good_spatial,
                       .serious = c->serious,
                       .sizes = range_of(spatial, c->size_range),
                       .scores = range_of(spatial, c->score_range)};
}

static int find_components(dj_context *context, const dj_spatial *spatial, dj_arena *arena, components *to)
{
    const size_t most = spatial->pair_count * (DJ_SPATIAL_BINS + spatial->cache_count);
    int err = DJ_OK;
    to->list = dj_arena_alloc(arena, most + 1, sizeof *to->list);
    for (size_t at = 0; !err && to->list && at < 2 * spatial->pair_count; at++) {
        dj_component *list = NULL;
        size_t count = 0;
        err = dj_components(context, spatial, at / 2, at % 2 ? DJ_COMPONENT_CACHE : DJ_COMPONENT_PEAK,
                            &to->limits, &list, &count);
        for (size_t i = 0; !err && i < count && to->count < most; i++)
            to->list[to->count++] = describe_component(spatial, &list[i]);
        free(list);
    }
    return err;
}

static int explain(dj_context *context, const dj_profile *profile, dj_document *document, dj_arena *arena,
                   components *to)
{
    static const dj_spatial_view usual = {.limits = DJ_SPATIAL_LIMITS};
    dj_spatial_page page = {
        .profile = profile, .spatial = dj_profile_spatial(profile), .view = &usual, .document = document};
    int err = dj_spatial_view_find(context, profile, &usual, &page.options);
    to->limits = page.options.limits;
    to->explained = dj_arena_alloc(arena, page.spatial->pair_count + 1, sizeof *to->explained);
    for (size_t i = 0; !err && to->explained && i < page.spatial->pair_count; i++) {
        page.options.pair = i;
        to->explained[to->explained_count++] =
            (explained){page.spatial->pairs[i].block_bytes, dj_spatial_verdict(&page),
                        range_of(page.spatial, dj_spatial_score_range(page.spatial, i, 0, DJ_SPATIAL_BINS)),
                        range_of(page.spatial, dj_spatial_far_range(&page, i))};
    }
    return err;
}

static int fill(dj_context *context, const dj_profile *profile, dj_document *document, dj_arena *arena,
                components *to)
{
    int err = explain(context, profile, document, arena, to);
    if (!err)
        err = find_components(context, dj_profile_spatial(profile), arena, to);
    return !err && arena->failed ? dj_fail_memory(context, "a page", 0) : err;
}

int dj_view_add_components(dj_view_sections *sections, const dj_profile *profile)
{
    dj_arena arena = {0};
    components all = {.count = 0};
    dj_document *made = NULL, *document = NULL;
    int err = dj_document_create(sections->context, &made);
    if (!err)
        err = fill(sections->context, profile, made, &arena, &all);
    if (made)
        err = dj_document_finish(sections->context, err, made, &document);
    if (!err)
        err = dj_view_add(sections, "components", DJ_VIEW_VERSION, 0, components_fields, &all);
    dj_document_destroy(document);
    dj_arena_free(&arena);
    return err;
}
