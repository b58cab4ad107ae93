// SPDX-License-Identifier: MIT
// Spatial locality: rankings of code with the data that it accesses.
#include <deja/components.h>

#include <math.h>

#include "profile/fields.h"
#include "report/spatial/spatial.h"
#include "view/matches.h"
#include "view/parts.h"

enum { RANKED_MOST = 500 };

typedef struct ranked {
    const char *name, *object, *path, *function;
    uint32_t file, line;
    uint64_t accesses;
    dj_spatial_count all, far;
    int64_t poor;
    double share;
    uint64_t fetched, used, saved;
    const char *advice, *text;
    dj_view_range range; // of poor; NaN: it is exact
    bool weak;
    uint32_t match;
} ranked;

typedef struct ranking {
    const char *by;
    uint64_t pair;
    const char *cache;
    ranked *list;
    size_t count;
    uint64_t left_out;
    int64_t poor_total, poor_left_out;
    dj_ranking *model;
} ranking;

typedef struct rankings {
    ranking *list;
    size_t count;
} rankings;

static const dj_field ranked_fields[] = {
    DJ_AT(TEXT, "name", ranked, name),
    DJ_AT(TEXT, "object", ranked, object),
    DJ_AT(TEXT, "path", ranked, path),
    DJ_AT(TEXT, "function", ranked, function),
    DJ_AT(INDEX, "file", ranked, file),
    DJ_AT(U32, "line", ranked, line),
    DJ_AT(U64, "accesses", ranked, accesses),
    DJ_AT(U64, "reuses", ranked, all.reuses),
    DJ_AT(U64, "effective", ranked, all.effective),
    DJ_AT(U64, "far_reuses", ranked, far.reuses),
    DJ_AT(U64, "far_effective", ranked, far.effective),
    DJ_AT(I64, "poor", ranked, poor),
    DJ_AT(REAL, "share", ranked, share),
    DJ_AT(U64, "fetched", ranked, fetched),
    DJ_AT(U64, "used", ranked, used),
    DJ_AT(U64, "saved", ranked, saved),
    DJ_AT(TEXT, "advice", ranked, advice),
    DJ_AT(TEXT, "text", ranked, text),
    DJ_AT(REAL, "low", ranked, range.low),
    DJ_AT(REAL, "high", ranked, range.high),
    DJ_AT(BOOL, "weak", ranked, weak),
    DJ_AT(INDEX, "match", ranked, match),
    DJ_END,
};
static const dj_table ranked_table = {ranked_fields, sizeof(ranked), DJ_ROW_OBJECT};

static const dj_field ranking_fields[] = {
    DJ_AT(TEXT, "by", ranking, by),
    DJ_AT(U64, "pair", ranking, pair),
    DJ_AT(TEXT, "cache", ranking, cache),
    {DJ_FIELD_ROWS("rows", ranking, list, count, ranked_table)},
    DJ_AT(U64, "left_out", ranking, left_out),
    DJ_AT(I64, "poor_total", ranking, poor_total),
    DJ_AT(I64, "poor_left_out", ranking, poor_left_out),
    DJ_END,
};
static const dj_table ranking_table = {ranking_fields, sizeof(ranking), DJ_ROW_OBJECT};
static const dj_field rankings_fields[] = {
    {DJ_FIELD_ROWS("rankings", rankings, list, count, ranking_table)},
    DJ_END,
};

static ranked describe(const dj_attribution *a, const dj_ranking *from, const dj_rank_row *row)
{
    const dj_spatial_range *poor = &row->far_range.poor;
    return (ranked){.name = row->name,
                    .object = row->object_name,
                    .path = row->path,
                    .function = row->function == DJ_NOWHERE ? "" : a->functions[row->function].name,
                    .file = row->file,
                    .line = row->line == DJ_NOWHERE ? 0 : row->line,
                    .accesses = row->accesses,
                    .all = row->all,
                    .far = row->far,
                    .poor = row->poor,
                    .share = row->share,
                    .fetched = row->usage.fetched,
                    .used = row->usage.used,
                    .saved = row->saved,
                    .advice = dj_spatial_advice_name(row->advice),
                    .text = row->text,
                    .range = from->ranged ? (dj_view_range){poor->low, poor->high}
                                          : (dj_view_range){(double)NAN, (double)NAN},
                    .weak = from->ranged && row->weak};
}

// Rows correspond if their code and data do.
static int match(dj_view_sections *sections, const dj_attribution *a, const dj_ranking_options *options,
                 const dj_rank_row *row, uint32_t *out)
{
    const dj_view_matches *m = sections->matches;
    const unsigned run = sections->profile;
    const uint32_t loop = dj_view_match_row(m, run, DJ_BY_LOOP, row->loop);
    const uint32_t line = dj_view_match_place(m, run, DJ_BY_LINE, row->place);
    const dj_view_references references = {
        DJ_MATCHED_RANKED,
        {options->by, options->by == DJ_RANK_LOOP ? loop : line,
         options->by == DJ_RANK_LINE_CALLING_CONTEXT
             ? dj_view_match_row(m, run, DJ_BY_CALLING_CONTEXT, row->cct_node)
             : DJ_NOWHERE,
         dj_view_match_row(m, run, DJ_BY_OBJECT, row->object)},
        4,
        dj_view_part_of(a, row->object, row->object_name)};
    return dj_view_match(sections->matches, sections->context, &references, out);
}

static int fill(dj_view_sections *sections, const dj_profile *profile, const dj_ranking_options *options,
                dj_arena *arena, ranking *to)
{
    static const char *const names[] = {
        [DJ_RANK_LINE] = "line", [DJ_RANK_LINE_CALLING_CONTEXT] = "line in context", [DJ_RANK_LOOP] = "loop"};
    const dj_spatial *spatial = dj_profile_spatial(profile);
    int err = dj_ranking_create(sections->context, profile, options, &to->model);
    if (err)
        return err;
    const dj_ranking *from = to->model;
    to->by = names[options->by];
    to->pair = spatial->pairs[options->pair].block_bytes;
    to->cache = options->cache < spatial->cache_count ? spatial->caches[options->cache].name : "";
    to->poor_total = from->poor;
    to->list = dj_arena_alloc(arena, from->count + 1, sizeof *to->list);
    const dj_attribution *a = dj_profile_attribution(profile);
    for (size_t i = 0; !err && to->list && i < from->count; i++) {
        if (i < RANKED_MOST) {
            ranked *added = &to->list[to->count++];
            *added = describe(a, from, &from->rows[i]);
            err = match(sections, a, options, &from->rows[i], &added->match);
            continue;
        }
        to->left_out++;
        to->poor_left_out += from->rows[i].poor;
    }
    return err;
}

int dj_view_add_rankings(dj_view_sections *sections, const dj_profile *profile)
{
    dj_context *context = sections->context;
    const dj_spatial *spatial = dj_profile_spatial(profile);
    dj_ranking_options options;
    dj_arena arena = {0};
    rankings all = {.count = 0};
    int err = dj_spatial_view_find(context, profile, NULL, &options);
    all.list = dj_arena_alloc(&arena, DJ_RANK_COUNT * spatial->pair_count + 1, sizeof *all.list);
    for (unsigned by = 0; !err && all.list && by < DJ_RANK_COUNT; by++)
        for (size_t pair = 0; !err && pair < spatial->pair_count; pair++) {
            options.by = (enum dj_rank_by)by;
            options.pair = pair;
            err = fill(sections, profile, &options, &arena, &all.list[all.count++]);
        }
    if (!err && arena.failed)
        err = dj_fail_memory(context, "a page", 0);
    if (!err)
        err = dj_view_add(sections, "spatial_rows", DJ_VIEW_VERSION, 0, rankings_fields, &all);
    for (size_t i = 0; i < all.count; i++)
        dj_ranking_destroy(all.list[i].model);
    dj_arena_free(&arena);
    return err;
}
