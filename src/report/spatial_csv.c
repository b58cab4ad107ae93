// SPDX-License-Identifier: MIT
// The numbers behind the figures of spatial locality as one table: sizes and
// scores by distance, and of components with their mean distances.
#include <inttypes.h>
#include <stdlib.h>

#include "report/csv.h"
#include "report/spatial.h"

static void put_range(FILE *out, uint64_t lo, uint64_t hi)
{
    fprintf(out, ",%" PRIu64 ",", lo);
    if (hi != UINT64_MAX)
        fprintf(out, "%" PRIu64, hi);
}

// From `kind` to `score`.
static void put_counts(FILE *out, const dj_spatial_pair *pair, const char *kind, const char *name,
                       const dj_component *c)
{
    fprintf(out, "%" PRIu64 ",%" PRIu64 ",%s,", pair->block_bytes, 2 * pair->block_bytes, kind);
    dj_csv_text(name, out);
    put_range(out, c->lo, c->hi);
    fprintf(out, ",%" PRIu64 ",%" PRIu64 ",", c->reuses, c->effective);
    if (c->kind == DJ_COMPONENT_PEAK)
        fprintf(out, "%" PRIu64, c->intercepted);
    fprintf(out, ",%.17g", c->size);
    if (c->reuses > 0)
        fprintf(out, ",%.17g,%.17g", c->score, c->mean_distance);
    else
        fputs(",,", out);
}

static void put_bins(FILE *out, const dj_spatial_pair *pair)
{
    uint64_t whole = dj_spatial_whole(pair).reuses;
    for (unsigned bin = 0; bin < DJ_SPATIAL_BINS; bin++) {
        dj_spatial_count row = dj_spatial_row(pair, bin);
        char name[16];
        if (row.reuses == 0)
            continue;
        const dj_component c = {.lo = dj_spatial_bin_lo(bin),
                                .hi = dj_spatial_bin_hi(bin),
                                .reuses = row.reuses,
                                .effective = row.effective,
                                .intercepted = pair->intercepted[bin],
                                .size = (double)row.reuses / (double)whole,
                                .score = dj_spatial_score(row.reuses, row.effective),
                                .mean_distance = (double)pair->distance_sum[bin] / (double)row.reuses};
        snprintf(name, sizeof name, "%u", bin);
        put_counts(out, pair, "bin", name, &c);
        fputs(",,,\n", out);
    }
}

static int put_components(dj_context *context, const dj_spatial *spatial, const dj_ranking_options *options,
                          size_t pair, enum dj_component_kind kind, FILE *out)
{
    dj_component *list = NULL;
    size_t count = 0;
    char number[32];
    int err = dj_components(context, spatial, pair, kind, &options->limits, &list, &count);
    for (size_t i = 0; !err && i < count; i++) {
        const dj_component *c = &list[i];
        snprintf(number, sizeof number, "c%zu", i + 1);
        bool peak = kind == DJ_COMPONENT_PEAK;
        put_counts(out, &spatial->pairs[pair], peak ? "peak" : "cache",
                   peak ? number : spatial->caches[c->cache].name, c);
        if (c->reuses > 0)
            fprintf(out, ",%d,%d,%d\n", c->good_temporal, c->good_spatial, c->serious);
        else
            fputs(",,,\n", out);
    }
    free(list);
    return err;
}

int dj_report_csv_spatial(dj_context *context, const dj_profile *profile, const dj_spatial_view *view,
                          FILE *out)
{
    const dj_spatial *s = dj_profile_spatial(profile);
    dj_ranking_options options;
    int err = dj_spatial_view_find(context, profile, view, &options);
    if (err)
        return err;
    fputs("block,double_block,kind,name,lo,hi,reuses,effective,intercepted,size,score,mean_distance,"
          "good_temporal,good_spatial,serious\n",
          out);
    for (size_t i = 0; !err && i < s->pair_count; i++) {
        put_bins(out, &s->pairs[i]);
        err = put_components(context, s, &options, i, DJ_COMPONENT_PEAK, out);
        if (!err)
            err = put_components(context, s, &options, i, DJ_COMPONENT_CACHE, out);
    }
    return err;
}
