// SPDX-License-Identifier: MIT
#include "report/entity_spatial.h"

#include <inttypes.h>

#include "report/spatial/spatial.h"

// One pair, for the accesses of a tally.
typedef struct numbers {
    dj_spatial_count all, far;
    int64_t poor;
} numbers;

static numbers numbers_of(const dj_tally *tally, size_t pair, const dj_ranking_options *ranked)
{
    numbers n = {.poor = 0};
    if (tally->spatial) {
        n.all = dj_spatial_all(&tally->spatial->pairs[pair]);
        n.far = dj_spatial_far(&tally->spatial->pairs[pair], ranked);
        n.poor = (int64_t)n.far.reuses - 2 * (int64_t)n.far.effective;
    }
    return n;
}

static void write_pair(dj_json_writer *json, uint64_t block, const numbers *n)
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
    dj_json_end_object(json);
}

void dj_json_entity_spatial(dj_json_writer *json, const dj_spatial *spatial, const dj_tally *tally,
                            const dj_ranking_options *ranked)
{
    if (!spatial)
        return;
    dj_json_begin_list(json, "spatial");
    for (size_t i = 0; i < spatial->pair_count; i++) {
        numbers n = numbers_of(tally, i, ranked);
        write_pair(json, spatial->pairs[i].block_bytes, &n);
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

static void add_columns(dj_sheet *table, const dj_spatial *spatial, const char *prefix)
{
    static const char *const names[] = {"reuses",      "effective",      "score",
                                        "long_reuses", "long_effective", "poor"};
    for (size_t i = 0; i < spatial->pair_count; i++)
        for (size_t k = 0; k < sizeof names / sizeof *names; k++)
            add_column(table, prefix, names[k], spatial->pairs[i].block_bytes);
    if (spatial->usage_block) {
        add_column(table, prefix, "fetched", 0);
        add_column(table, prefix, "used", 0);
    }
}

void dj_add_entity_spatial_columns(dj_sheet *table, const dj_spatial *spatial)
{
    static const char *const steps[] = {"steps", "stride", "stride_count"};
    if (!spatial)
        return;
    add_columns(table, spatial, "");
    for (size_t i = 0; spatial->usage_block && i < 3; i++)
        add_column(table, "", steps[i], 0);
    add_columns(table, spatial, "inclusive_");
}

// An empty cell if unknown.
static void put(dj_sheet *table, dj_sheet_row *row, bool known, dj_datum datum)
{
    dj_row_put(table, row, known ? datum : dj_datum_none(""));
}

static void put_numbers(dj_sheet *table, dj_sheet_row *row, const dj_spatial *spatial, const dj_tally *tally,
                        const dj_ranking_options *ranked)
{
    const bool any = tally && tally->spatial;
    for (size_t i = 0; i < spatial->pair_count; i++) {
        numbers n = any ? numbers_of(tally, i, ranked) : (numbers){.poor = 0};
        double score = any ? dj_spatial_score(n.all.reuses, n.all.effective) : 0;
        put(table, row, any, dj_datum_count(n.all.reuses));
        put(table, row, any, dj_datum_count(n.all.effective));
        put(table, row, any, dj_datum_real(DJ_DATUM_REAL, score, 2));
        put(table, row, any, dj_datum_count(n.far.reuses));
        put(table, row, any, dj_datum_count(n.far.effective));
        put(table, row, any, dj_datum_signed(n.poor));
    }
    if (spatial->usage_block) {
        put(table, row, any, dj_datum_count(any ? tally->spatial->usage.fetched : 0));
        put(table, row, any, dj_datum_count(any ? tally->spatial->usage.used : 0));
    }
}

void dj_put_entity_spatial(dj_sheet *table, dj_sheet_row *row, const dj_spatial *spatial,
                           const dj_tally *exclusive, const dj_tally *inclusive,
                           const dj_ranking_options *ranked)
{
    static const dj_usage none = {0};
    if (!spatial)
        return;
    put_numbers(table, row, spatial, exclusive, ranked);
    // The most frequent stride; for many places together it means little.
    const dj_usage *usage = exclusive->spatial ? &exclusive->spatial->usage : &none;
    if (spatial->usage_block) {
        put(table, row, usage->stride_count[0], dj_datum_count(usage->steps));
        put(table, row, usage->stride_count[0], dj_datum_signed(usage->stride[0]));
        put(table, row, usage->stride_count[0], dj_datum_count(usage->stride_count[0]));
    }
    put_numbers(table, row, spatial, inclusive, ranked);
}
