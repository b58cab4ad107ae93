// SPDX-License-Identifier: MIT
#include "view/measures.h"

#include <deja/report.h>
#include <deja/tracing.h>

#include <math.h>

#include "profile/fields.h"

static const dj_field tally_fields[] = {
    DJ_AT(U64, "accesses", dj_tally, accesses),
    DJ_AT(U64, "cold", dj_tally, cold),
    DJ_AT(U64, "writes", dj_tally, writes),
    DJ_AT(U64, "sum", dj_tally, sum),
    DJ_AT(U64, "min", dj_tally, min),
    DJ_AT(U64, "max", dj_tally, max),
    DJ_AT(U32, "first", dj_tally, bin_first),
    DJ_NUMBER_LIST("bins", dj_tally, bins, bin_count, .flags = DJ_FIELD_COUNT32),
    DJ_END,
};
const dj_table dj_view_tally_table = {tally_fields, sizeof(dj_tally), DJ_ROW_OBJECT};

#define COUNT(row_, member_) DJ_AT(U64, #member_, row_, member_)
static const dj_field doubling_fields[] = {
    COUNT(dj_view_doubling, block),          COUNT(dj_view_doubling, reuses),
    COUNT(dj_view_doubling, effective),      COUNT(dj_view_doubling, long_reuses),
    COUNT(dj_view_doubling, long_effective), DJ_END,
};
const dj_table dj_view_doubling_table = {doubling_fields, sizeof(dj_view_doubling), DJ_ROW_OBJECT};

static const dj_field stride_fields[] = {
    DJ_AT(I64, "stride", dj_view_stride, stride),
    COUNT(dj_view_stride, count),
    DJ_END,
};
static const dj_table stride_row = {stride_fields, sizeof(dj_view_stride), DJ_ROW_OBJECT};

static size_t count_strides(const void *row)
{
    return ((const dj_view_usage *)row)->stride_count;
}

static const dj_field usage_fields[] = {
    COUNT(dj_view_usage, steps),
    COUNT(dj_view_usage, grain),
    COUNT(dj_view_usage, fetched),
    COUNT(dj_view_usage, used),
    DJ_AT(LIST, "strides", dj_view_usage, strides, .rows = &stride_row, .flags = DJ_FIELD_IN_PLACE,
          .most = DJ_STRIDES, .count = count_strides),
    DJ_END,
};
const dj_table dj_view_usage_table = {usage_fields, sizeof(dj_view_usage), DJ_ROW_OBJECT};

static const dj_field range_fields[] = {
    DJ_AT(REAL, "low", dj_view_range, low),
    DJ_AT(REAL, "high", dj_view_range, high),
    DJ_END,
};
const dj_table dj_view_range_table = {range_fields, sizeof(dj_view_range), DJ_ROW_OBJECT};

static const dj_field misses_fields[] = {
    COUNT(dj_sharing_misses, misses),
    COUNT(dj_sharing_misses, cold),
    COUNT(dj_sharing_misses, invalidated),
    COUNT(dj_sharing_misses, alone),
    DJ_END,
};
static const dj_table misses_row = {misses_fields, sizeof(dj_sharing_misses), DJ_ROW_OBJECT};

#define SHARED(member_) DJ_AT(U64, #member_, dj_view_sharing, counts.member_)
static const dj_field sharing_fields[] = {
    SHARED(broken),
    SHARED(shortened),
    SHARED(stretched),
    SHARED(found),
    SHARED(true_sharing),
    SHARED(false_sharing),
    COUNT(dj_view_sharing, sharers),
    {DJ_FIELD_ROWS("caches", dj_view_sharing, caches, cache_count, misses_row)},
    DJ_END,
};
const dj_table dj_view_sharing_table = {sharing_fields, sizeof(dj_view_sharing), DJ_ROW_OBJECT};

static const dj_field stall_fields[] = {
    COUNT(dj_view_stall, low),
    COUNT(dj_view_stall, estimate),
    COUNT(dj_view_stall, high),
    DJ_END,
};
const dj_table dj_view_stall_table = {stall_fields, sizeof(dj_view_stall), DJ_ROW_OBJECT};

int dj_view_measured_find(dj_context *context, const dj_profile *profile, const dj_machine_costs *costs,
                          dj_view_measured *out)
{
    const dj_attribution *a = dj_profile_attribution(profile);
    *out = (dj_view_measured){.profile = profile, .spatial = dj_profile_spatial(profile)};
    if (costs && a && dj_attribution_has_classes(a))
        out->time = (dj_stall_model){costs, dj_profile_hierarchy(profile)};
    return out->spatial ? dj_spatial_view_find(context, profile, NULL, &out->ranked) : DJ_OK;
}

static void add_spatial(const dj_view_measured *measured, const dj_tally *tally, dj_arena *arena,
                        dj_view_measures *to)
{
    const dj_spatial *spatial = measured->spatial;
    if (!tally->spatial)
        return;
    to->spatial = dj_arena_alloc(arena, spatial->pair_count, sizeof *to->spatial);
    for (size_t i = 0; to->spatial && i < spatial->pair_count; i++) {
        const dj_spatial_counts *counts = &tally->spatial->pairs[i];
        dj_ranking_options options = measured->ranked;
        options.pair = i;
        const dj_spatial_count all = dj_spatial_all(counts), far = dj_spatial_far(counts, &options);
        to->spatial[to->spatial_count++] = (dj_view_doubling){spatial->pairs[i].block_bytes, all.reuses,
                                                              all.effective, far.reuses, far.effective};
    }
}

static void add_usage(const dj_view_measured *measured, const dj_tally *tally, dj_arena *arena,
                      dj_view_measures *to)
{
    if (!tally->spatial || measured->spatial->usage_block == 0)
        return;
    const dj_usage *from = &tally->spatial->usage;
    dj_view_usage *usage = to->usage = dj_arena_alloc(arena, 1, sizeof *usage);
    if (!usage)
        return;
    *usage = (dj_view_usage){
        .steps = from->steps, .grain = from->grain, .fetched = from->fetched, .used = from->used};
    for (size_t i = 0; i < DJ_STRIDES && from->stride_count[i]; i++)
        usage->strides[usage->stride_count++] = (dj_view_stride){from->stride[i], from->stride_count[i]};
}

static void add_ranges(const dj_view_measured *measured, const dj_tally *tally, dj_arena *arena,
                       dj_view_measures *to)
{
    const dj_attribution *a = dj_profile_attribution(measured->profile);
    dj_row_range range;
    if (!a || !dj_tally_range(measured->profile, tally, a->cut_count, &range))
        return;
    to->ranges = dj_arena_alloc(arena, 1 + a->cut_count, sizeof *to->ranges);
    if (!to->ranges)
        return;
    to->ranges[to->range_count++] = (dj_view_range){range.low, range.high};
    for (size_t i = 0; i < a->cut_count && dj_tally_range(measured->profile, tally, i, &range); i++)
        to->ranges[to->range_count++] = (dj_view_range){range.low, range.high};
}

dj_view_measures dj_view_measure(const dj_view_measured *measured, const dj_tally *tally, dj_arena *arena)
{
    dj_view_measures to = {.spatial = NULL};
    if (measured->spatial) {
        add_spatial(measured, tally, arena, &to);
        add_usage(measured, tally, arena, &to);
    }
    add_ranges(measured, tally, arena, &to);
    const dj_sharing_tally *s = tally->sharing;
    to.sharing = s ? dj_arena_alloc(arena, 1, sizeof *to.sharing) : NULL;
    if (to.sharing)
        *to.sharing = (dj_view_sharing){.counts = s->counts,
                                        .sharers = (uint64_t)__builtin_popcountll(s->sharers),
                                        .caches = s->caches,
                                        .cache_count = s->cache_count};
    to.stall = dj_view_stall_of(measured, tally, arena);
    return to;
}

static uint64_t nanoseconds(double seconds)
{
    return (uint64_t)(fmin(seconds * 1e9, 0x1p62) + 0.5);
}

dj_view_stall *dj_view_stall_of(const dj_view_measured *measured, const dj_tally *tally, dj_arena *arena)
{
    dj_view_stall *stall = measured->time.costs ? dj_arena_alloc(arena, 1, sizeof *stall) : NULL;
    if (!stall)
        return NULL;
    const dj_seconds seconds = dj_tally_stall(tally, &measured->time);
    *stall = dj_view_stall_get(&seconds);
    return stall;
}

uint64_t dj_view_stall_estimate(const dj_view_measured *measured, const dj_tally *tally)
{
    return measured->time.costs ? nanoseconds(dj_tally_stall(tally, &measured->time).estimate) : 0;
}

dj_view_stall dj_view_stall_get(const dj_seconds *seconds)
{
    return (dj_view_stall){nanoseconds(seconds->low), nanoseconds(seconds->estimate),
                           nanoseconds(seconds->high)};
}

int64_t dj_view_poor(const dj_view_measured *measured, const dj_tally *tally)
{
    if (!measured->spatial || !tally->spatial)
        return 0;
    const dj_spatial_count far =
        dj_spatial_far(&tally->spatial->pairs[measured->ranked.pair], &measured->ranked);
    return (int64_t)far.reuses - 2 * (int64_t)far.effective;
}
