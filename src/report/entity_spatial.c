// SPDX-License-Identifier: MIT
#include "report/entity_spatial.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "report/spatial/spatial.h"

// One pair, for the accesses of a tally.
typedef struct numbers {
    dj_spatial_count all, far;
    int64_t poor;
    dj_spatial_tally_range all_range, far_range;
    bool weak;
} numbers;

static dj_ranking_options options_of(const dj_entity_spatial *e, size_t pair)
{
    dj_ranking_options options = *e->ranked;
    options.pair = pair;
    return options;
}

static numbers numbers_of(const dj_entity_spatial *e, const dj_tally *tally, size_t pair)
{
    const dj_ranking_options options = options_of(e, pair);
    numbers n = {.poor = 0};
    if (tally->spatial) {
        n.all = dj_spatial_all(&tally->spatial->pairs[pair]);
        n.far = dj_spatial_far(&tally->spatial->pairs[pair], &options);
        n.poor = (int64_t)n.far.reuses - 2 * (int64_t)n.far.effective;
    }
    if (e->ranged && dj_spatial_all_tally_range(e->profile, tally, pair, &n.all_range) &&
        dj_spatial_far_tally_range(e->profile, tally, &options, &n.far_range))
        n.weak = dj_spatial_is_weak(&n.far_range, (double)n.poor, e->above[pair]);
    return n;
}

int dj_entity_spatial_create(dj_context *context, const dj_profile *profile, const dj_breakdown *b,
                             const dj_ranking_options *ranked, dj_entity_spatial *out)
{
    dj_spatial_tally_range range;
    *out = (dj_entity_spatial){.profile = profile, .spatial = dj_profile_spatial(profile), .ranked = ranked};
    if (!out->spatial || !dj_spatial_all_tally_range(profile, &b->total, 0, &range))
        return DJ_OK;
    double *above = calloc(out->spatial->pair_count + 1, sizeof *above);
    if (!above)
        return dj_fail_memory(context, "a table", 0);
    for (size_t pair = 0; pair < out->spatial->pair_count; pair++)
        for (size_t i = 0; i < b->count; i++) {
            const numbers n = numbers_of(out, &b->entities[i].exclusive, pair);
            above[pair] += n.poor > 0 ? (double)n.poor : 0;
        }
    out->above = above;
    out->ranged = true;
    return DJ_OK;
}

void dj_entity_spatial_free(dj_entity_spatial *e)
{
    free(e->above);
}

void dj_json_count_range(dj_json_writer *json, const char *name, double low, double high)
{
    dj_json_begin_list(json, name);
    dj_json_int(json, NULL, llround(low));
    dj_json_int(json, NULL, llround(high));
    dj_json_end_list(json);
}

static void write_score_range(dj_json_writer *json, const char *name, dj_spatial_range range)
{
    dj_json_begin_list(json, name);
    dj_json_real(json, NULL, range.low);
    dj_json_real(json, NULL, range.high);
    dj_json_end_list(json);
}

void dj_json_spatial_ranges(dj_json_writer *json, const dj_spatial_json_ranges *r)
{
    dj_json_begin_object(json, "ranges");
    if (r->accesses)
        dj_json_count_range(json, "accesses", r->accesses->low, r->accesses->high);
    dj_json_count_range(json, "reuses", r->all->reuses.low, r->all->reuses.high);
    write_score_range(json, "score", r->all->score);
    dj_json_count_range(json, "long_reuses", r->far->reuses.low, r->far->reuses.high);
    write_score_range(json, "long_score", r->far->score);
    dj_json_count_range(json, "poor", r->far->poor.low, r->far->poor.high);
    dj_json_bool(json, "weak", r->weak);
    dj_json_end_object(json);
}

static void write_pair(dj_json_writer *json, const dj_entity_spatial *e, uint64_t block, const numbers *n)
{
    dj_json_begin_object(json, NULL);
    dj_json_uint(json, "block", block);
    dj_json_uint(json, "reuses", n->all.reuses);
    dj_json_uint(json, "effective", n->all.effective);
    dj_json_real(json, "score", dj_spatial_score(n->all.reuses, n->all.effective));
    dj_json_uint(json, "long_reuses", n->far.reuses);
    dj_json_uint(json, "long_effective", n->far.effective);
    dj_json_real(json, "long_score", dj_spatial_score(n->far.reuses, n->far.effective));
    dj_json_int(json, "poor", n->poor);
    if (e->ranged)
        dj_json_spatial_ranges(json, &(dj_spatial_json_ranges){NULL, &n->all_range, &n->far_range, n->weak});
    dj_json_end_object(json);
}

void dj_json_entity_spatial(dj_json_writer *json, const dj_entity_spatial *e, const dj_tally *tally)
{
    const dj_spatial *spatial = e->spatial;
    if (!spatial)
        return;
    dj_json_begin_list(json, "spatial");
    for (size_t i = 0; i < spatial->pair_count; i++) {
        const numbers n = numbers_of(e, tally, i);
        write_pair(json, e, spatial->pairs[i].block_bytes, &n);
    }
    dj_json_end_list(json);
    if (spatial->usage_block == 0)
        return;
    static const dj_usage none = {0};
    dj_json_begin_object(json, "usage");
    dj_json_usage(json, tally->spatial ? &tally->spatial->usage : &none);
    dj_json_end_object(json);
}

static void add_column(dj_sheet *table, const char *prefix, const char *name, uint64_t block)
{
    dj_document *document = table->document;
    const char *whole = block ? dj_document_format(document, "%s%s_%" PRIu64, prefix, name, block)
                              : dj_document_format(document, "%s%s", prefix, name);
    dj_sheet_add_column(table, (dj_sheet_column){.name = whole});
}

static void add_columns(dj_sheet *table, const dj_entity_spatial *e, const char *prefix)
{
    static const char *const names[] = {
        "reuses", "effective", "score", "long_reuses", "long_effective", "poor",
        // of an estimate
        "reuses_low", "reuses_high", "score_low", "score_high", "long_reuses_low", "long_reuses_high",
        "long_score_low", "long_score_high", "poor_low", "poor_high", "weak"};
    const size_t count = e->ranged ? sizeof names / sizeof *names : 6;
    const dj_spatial *spatial = e->spatial;
    for (size_t i = 0; i < spatial->pair_count; i++)
        for (size_t k = 0; k < count; k++)
            add_column(table, prefix, names[k], spatial->pairs[i].block_bytes);
    if (spatial->usage_block) {
        add_column(table, prefix, "fetched", 0);
        add_column(table, prefix, "used", 0);
    }
}

void dj_add_entity_spatial_columns(dj_sheet *table, const dj_entity_spatial *e)
{
    static const char *const steps[] = {"steps", "stride", "stride_count"};
    if (!e->spatial)
        return;
    add_columns(table, e, "");
    for (size_t i = 0; e->spatial->usage_block && i < 3; i++)
        add_column(table, "", steps[i], 0);
    add_columns(table, e, "inclusive_");
}

// An empty cell if unknown.
static void put(dj_sheet *table, dj_sheet_row *row, bool known, dj_datum datum)
{
    dj_row_put(table, row, known ? datum : dj_datum_none(""));
}

static void put_ranges(dj_sheet *table, dj_sheet_row *row, bool any, const numbers *n)
{
    const dj_spatial_tally_range *all = &n->all_range, *far = &n->far_range;
    const double counts[][2] = {{all->reuses.low, all->reuses.high},
                                {far->reuses.low, far->reuses.high},
                                {far->poor.low, far->poor.high}};
    const dj_spatial_range scores[] = {all->score, far->score};
    for (size_t i = 0; i < 3; i++) {
        for (size_t end = 0; end < 2; end++)
            put(table, row, any, dj_datum_signed(llround(counts[i][end])));
        if (i == 2)
            break;
        put(table, row, any, dj_datum_real(DJ_DATUM_REAL, scores[i].low, 2));
        put(table, row, any, dj_datum_real(DJ_DATUM_REAL, scores[i].high, 2));
    }
    put(table, row, any, dj_datum_count(n->weak));
}

static void put_numbers(dj_sheet *table, dj_sheet_row *row, const dj_entity_spatial *e, const dj_tally *tally)
{
    const dj_spatial *spatial = e->spatial;
    const bool any = tally && tally->spatial;
    for (size_t i = 0; i < spatial->pair_count; i++) {
        const numbers n = any ? numbers_of(e, tally, i) : (numbers){.poor = 0};
        double score = any ? dj_spatial_score(n.all.reuses, n.all.effective) : 0;
        put(table, row, any, dj_datum_count(n.all.reuses));
        put(table, row, any, dj_datum_count(n.all.effective));
        put(table, row, any, dj_datum_real(DJ_DATUM_REAL, score, 2));
        put(table, row, any, dj_datum_count(n.far.reuses));
        put(table, row, any, dj_datum_count(n.far.effective));
        put(table, row, any, dj_datum_signed(n.poor));
        if (e->ranged)
            put_ranges(table, row, any, &n);
    }
    if (spatial->usage_block) {
        put(table, row, any, dj_datum_count(any ? tally->spatial->usage.fetched : 0));
        put(table, row, any, dj_datum_count(any ? tally->spatial->usage.used : 0));
    }
}

void dj_put_entity_spatial(dj_sheet *table, dj_sheet_row *row, const dj_entity_spatial *e,
                           const dj_tally *exclusive, const dj_tally *inclusive)
{
    static const dj_usage none = {0};
    const dj_spatial *spatial = e->spatial;
    if (!spatial)
        return;
    put_numbers(table, row, e, exclusive);
    // The most frequent stride; for many places together it means little.
    const dj_usage *usage = exclusive->spatial ? &exclusive->spatial->usage : &none;
    if (spatial->usage_block) {
        put(table, row, usage->stride_count[0], dj_datum_count(usage->steps));
        put(table, row, usage->stride_count[0], dj_datum_signed(usage->stride[0]));
        put(table, row, usage->stride_count[0], dj_datum_count(usage->stride_count[0]));
    }
    put_numbers(table, row, e, inclusive);
}
