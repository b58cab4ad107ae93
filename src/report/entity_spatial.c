// SPDX-License-Identifier: MIT
#include "report/entity_spatial.h"

#include <inttypes.h>

#include "report/spatial.h"

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

static void add_column(dj_sheet *table, const char *prefix, const char *name)
{
    dj_sheet_add_column(table,
                        (dj_sheet_column){.name = dj_document_format(table->document, "%s%s", prefix, name)});
}

static void add_columns(dj_sheet *table, const dj_spatial *spatial, const char *prefix)
{
    static const char *const names[] = {"reuses",      "effective",      "score",
                                        "long_reuses", "long_effective", "poor"};
    for (size_t i = 0; i < spatial->pair_count; i++)
        for (size_t k = 0; k < sizeof names / sizeof *names; k++)
            add_column(
                table, prefix,
                dj_document_format(table->document, "%s_%" PRIu64, names[k], spatial->pairs[i].block_bytes));
    if (spatial->usage_block) {
        add_column(table, prefix, "fetched");
        add_column(table, prefix, "used");
    }
}

void dj_add_entity_spatial_columns(dj_sheet *table, const dj_spatial *spatial)
{
    if (!spatial)
        return;
    add_columns(table, spatial, "");
    if (spatial->usage_block) {
        add_column(table, "", "steps");
        add_column(table, "", "stride");
        add_column(table, "", "stride_count");
    }
    add_columns(table, spatial, "inclusive_");
}

static void put_empty(dj_sheet *table, dj_sheet_row *row, size_t count)
{
    for (size_t i = 0; i < count; i++)
        dj_row_put(table, row, dj_datum_none(""));
}

static void put_numbers(dj_sheet *table, dj_sheet_row *row, const dj_spatial *spatial, const dj_tally *tally,
                        const dj_ranking_options *ranked)
{
    bool any = tally && tally->spatial;
    for (size_t i = 0; i < spatial->pair_count; i++) {
        if (!any) {
            put_empty(table, row, 6);
            continue;
        }
        numbers n = numbers_of(tally, i, ranked);
        dj_row_put(table, row, dj_datum_count(n.all.reuses));
        dj_row_put(table, row, dj_datum_count(n.all.effective));
        dj_row_put(table, row,
                   dj_datum_real(DJ_DATUM_REAL, dj_spatial_score(n.all.reuses, n.all.effective), 2));
        dj_row_put(table, row, dj_datum_count(n.far.reuses));
        dj_row_put(table, row, dj_datum_count(n.far.effective));
        dj_row_put(table, row, dj_datum_signed(n.poor));
    }
    if (spatial->usage_block && !any)
        put_empty(table, row, 2);
    if (spatial->usage_block && any) {
        dj_row_put(table, row, dj_datum_count(tally->spatial->usage.fetched));
        dj_row_put(table, row, dj_datum_count(tally->spatial->usage.used));
    }
}

// The most frequent stride; that of many places together would tell little.
static void put_stride(dj_sheet *table, dj_sheet_row *row, const dj_tally *tally)
{
    const dj_usage *usage = tally->spatial ? &tally->spatial->usage : NULL;
    if (!usage || !usage->stride_count[0]) {
        put_empty(table, row, 3);
        return;
    }
    dj_row_put(table, row, dj_datum_count(usage->steps));
    dj_row_put(table, row, dj_datum_signed(usage->stride[0]));
    dj_row_put(table, row, dj_datum_count(usage->stride_count[0]));
}

void dj_put_entity_spatial(dj_sheet *table, dj_sheet_row *row, const dj_spatial *spatial,
                           const dj_tally *exclusive, const dj_tally *inclusive,
                           const dj_ranking_options *ranked)
{
    if (!spatial)
        return;
    put_numbers(table, row, spatial, exclusive, ranked);
    if (spatial->usage_block)
        put_stride(table, row, exclusive);
    put_numbers(table, row, spatial, inclusive, ranked);
}
