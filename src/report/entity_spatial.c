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

static void put_names(const dj_spatial *spatial, const char *prefix, FILE *out)
{
    static const char *const names[] = {"reuses",      "effective",      "score",
                                        "long_reuses", "long_effective", "poor"};
    for (size_t i = 0; i < spatial->pair_count; i++)
        for (size_t k = 0; k < sizeof names / sizeof *names; k++)
            fprintf(out, ",%s%s_%" PRIu64, prefix, names[k], spatial->pairs[i].block_bytes);
    if (spatial->usage_block)
        fprintf(out, ",%sfetched,%sused", prefix, prefix);
}

void dj_csv_entity_spatial_names(const dj_spatial *spatial, FILE *out)
{
    if (!spatial)
        return;
    put_names(spatial, "", out);
    if (spatial->usage_block)
        fputs(",steps,stride,stride_count", out);
    put_names(spatial, "inclusive_", out);
}

static void put_numbers(const dj_spatial *spatial, const dj_tally *tally, const dj_ranking_options *ranked,
                        FILE *out)
{
    for (size_t i = 0; i < spatial->pair_count; i++) {
        if (!tally || !tally->spatial) {
            fputs(",,,,,,", out);
            continue;
        }
        numbers n = numbers_of(tally, i, ranked);
        fprintf(out, ",%" PRIu64 ",%" PRIu64 ",%.17g,%" PRIu64 ",%" PRIu64 ",%" PRId64, n.all.reuses,
                n.all.effective, dj_spatial_score(n.all.reuses, n.all.effective), n.far.reuses,
                n.far.effective, n.poor);
    }
    if (spatial->usage_block && tally && tally->spatial)
        fprintf(out, ",%" PRIu64 ",%" PRIu64, tally->spatial->usage.fetched, tally->spatial->usage.used);
    else if (spatial->usage_block)
        fputs(",,", out);
}

// The most frequent stride; that of many places together would tell little.
static void put_stride(const dj_tally *tally, FILE *out)
{
    const dj_usage *usage = tally->spatial ? &tally->spatial->usage : NULL;
    if (usage && usage->stride_count[0])
        fprintf(out, ",%" PRIu64 ",%" PRId64 ",%" PRIu64, usage->steps, usage->stride[0],
                usage->stride_count[0]);
    else
        fputs(",,,", out);
}

void dj_csv_entity_spatial(const dj_spatial *spatial, const dj_tally *exclusive, const dj_tally *inclusive,
                           const dj_ranking_options *ranked, FILE *out)
{
    if (!spatial)
        return;
    put_numbers(spatial, exclusive, ranked, out);
    if (spatial->usage_block)
        put_stride(exclusive, out);
    put_numbers(spatial, inclusive, ranked, out);
}
