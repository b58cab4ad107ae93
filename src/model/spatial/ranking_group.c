// SPDX-License-Identifier: MIT
#include "model/spatial/ranking.h"

#include "base/grow.h"
#include "model/breakdown/grouping.h"

#include <stdlib.h>
#include <xxhash.h>

dj_spatial_count dj_spatial_all(const dj_spatial_counts *counts)
{
    return dj_spatial_counts_from(counts, 0);
}

dj_spatial_count dj_spatial_far(const dj_spatial_counts *counts, const dj_ranking_options *options)
{
    if (options->cache != SIZE_MAX)
        return counts->caches[options->cache].all;
    return dj_spatial_counts_from(counts, dj_log2_bin(options->limits.near_blocks));
}

bool dj_spatial_far_tally_range(const dj_profile *profile, const dj_tally *tally,
                                const dj_ranking_options *options, dj_spatial_tally_range *out)
{
    return dj_tally_spatial_range(profile, tally, options->pair, dj_log2_bin(options->limits.near_blocks),
                                  options->cache, out);
}

bool dj_spatial_all_tally_range(const dj_profile *profile, const dj_tally *tally, size_t pair,
                                dj_spatial_tally_range *out)
{
    return dj_tally_spatial_range(profile, tally, pair, 0, SIZE_MAX, out);
}

bool dj_spatial_is_weak(const dj_spatial_tally_range *range, double poor, double above)
{
    return dj_range_is_weak(&(dj_row_range){range->poor.low, range->poor.high}, poor, above);
}

static int64_t poor_of(dj_spatial_count far)
{
    return (int64_t)far.reuses - 2 * (int64_t)far.effective;
}

static uint32_t own_loop(const dj_attribution *a, uint32_t site)
{
    uint32_t loop = dj_row_is(site, a->site_count) ? a->sites[site].loop : DJ_NOWHERE;
    return dj_row_is(loop, a->loop_count) ? loop : DJ_NOWHERE;
}

// Parents precede their children.
static int find_loops(dj_ranking_work *w, dj_context *context)
{
    const dj_attribution *a = w->a;
    w->cct_loop = malloc((a->cct_count + 1) * sizeof *w->cct_loop);
    if (!w->cct_loop)
        return dj_fail_memory(context, "a ranking", a->cct_count * sizeof *w->cct_loop);
    for (uint32_t i = 0; i < a->cct_count; i++) {
        const dj_cct_node *row = &a->cct[i];
        uint32_t loop = own_loop(a, row->call_site);
        bool outer = loop == DJ_NOWHERE && row->parent < i;
        w->cct_loop[i] = outer ? w->cct_loop[row->parent] : loop;
    }
    return DJ_OK;
}

uint32_t dj_ranking_loop(const dj_ranking_work *w, const dj_place_row *place)
{
    uint32_t loop = own_loop(w->a, place->site);
    bool called = loop == DJ_NOWHERE && dj_row_is(place->cct_node, w->a->cct_count);
    return called ? w->cct_loop[place->cct_node] : loop;
}

// Code without line numbers is grouped by instruction.
static uint64_t line_key(const dj_attribution *a, uint32_t site)
{
    uint64_t key = dj_key_of(a, DJ_BY_LINE, site, DJ_NOWHERE, DJ_NOWHERE);
    return dj_key_is_rest(key) ? DJ_KEY_REST | site : key;
}

static uint64_t loop_key(const dj_ranking_work *w, const dj_place_row *place)
{
    uint32_t loop = dj_ranking_loop(w, place);
    return loop != DJ_NOWHERE
               ? loop
               : DJ_KEY_REST | dj_key_of(w->a, DJ_BY_FUNCTION, place->site, DJ_NOWHERE, DJ_NOWHERE);
}

bool dj_ranking_is_together(const dj_ranking_work *w, const dj_place_row *a, const dj_place_row *b)
{
    return loop_key(w, a) == loop_key(w, b);
}

static uint64_t key_of_place(const dj_ranking_work *w, const dj_place_row *place)
{
    uint64_t key[] = {w->options->by == DJ_RANK_LOOP ? loop_key(w, place) : line_key(w->a, place->site),
                      place->object, DJ_NOWHERE};
    if (w->options->by == DJ_RANK_LINE_CALLING_CONTEXT)
        key[2] = place->cct_node;
    return XXH3_64bits(key, sizeof key);
}

bool dj_ranking_is_same_row(const dj_ranking_work *w, const dj_place_row *a, const dj_place_row *b)
{
    return key_of_place(w, a) == key_of_place(w, b);
}

int64_t dj_ranking_unsaved(const dj_ranking_work *w, const dj_spatial_tally *tally)
{
    size_t cache = w->options->cache == SIZE_MAX ? 0 : w->options->cache;
    return cache < tally->cache_count ? poor_of(tally->pairs[w->options->pair].caches[cache].all) : 0;
}

typedef struct tip {
    int64_t poor;    // of the place that represents the row
    int64_t unsaved; // of all places of the row
    dj_tally sum;    // of an estimate, likewise
} tip;

static void add_place(const dj_ranking_work *w, uint32_t place, dj_rank_row *row, tip *at, bool first)
{
    const dj_tally *tally = &w->a->places[place].tally;
    row->accesses += tally->accesses;
    dj_spatial_count far = {0, 0};
    if (tally->spatial) {
        const dj_spatial_counts *counts = &tally->spatial->pairs[w->options->pair];
        dj_spatial_count all = dj_spatial_all(counts);
        far = dj_spatial_far(counts, w->options);
        row->all.reuses += all.reuses;
        row->all.effective += all.effective;
        row->far.reuses += far.reuses;
        row->far.effective += far.effective;
        dj_usage_add(&row->usage, &tally->spatial->usage);
        at->unsaved += dj_ranking_unsaved(w, tally->spatial);
    }
    if (first || poor_of(far) > at->poor) {
        at->poor = poor_of(far);
        row->place = place;
    }
}

// Takes the properties of a row from its place.
static void describe(const dj_ranking_work *w, dj_rank_row *row)
{
    const dj_attribution *a = w->a;
    const dj_place_row *place = &a->places[row->place];
    row->object = place->object;
    row->cct_node = w->options->by == DJ_RANK_LINE_CALLING_CONTEXT ? place->cct_node : DJ_NOWHERE;
    row->loop = dj_ranking_loop(w, place);
    row->function = row->file = DJ_NOWHERE;
    if (w->options->by == DJ_RANK_LOOP && row->loop != DJ_NOWHERE) {
        row->function = a->loops[row->loop].function;
        row->file = a->loops[row->loop].file;
        row->line = a->loops[row->loop].first_line;
    } else if (dj_row_is(place->site, a->site_count)) {
        const dj_site_row *site = &a->sites[place->site];
        row->function = site->function;
        row->file = w->options->by == DJ_RANK_LOOP ? DJ_NOWHERE : site->file;
        row->line = w->options->by == DJ_RANK_LOOP ? 0 : site->line;
    }
}

static void sum_up(dj_ranking_work *w, const tip *tips)
{
    dj_ranking *out = w->out;
    for (size_t i = 0; i < out->count; i++) {
        dj_rank_row *row = &out->rows[i];
        describe(w, row);
        row->poor = poor_of(row->far);
        row->saved = tips[i].unsaved > 0 ? (uint64_t)tips[i].unsaved / 2 : 0;
        out->all.reuses += row->all.reuses;
        out->all.effective += row->all.effective;
        out->far.reuses += row->far.reuses;
        out->far.effective += row->far.effective;
        out->poor_above += row->poor > 0 ? (uint64_t)row->poor : 0;
    }
    out->poor = poor_of(out->far);
    for (size_t i = 0; i < out->count; i++)
        if (out->rows[i].poor > 0)
            out->rows[i].share = (double)out->rows[i].poor / (double)out->poor_above;
}

static int add_places(dj_ranking_work *w, dj_context *context, dj_dictionary *ids, tip *tips)
{
    int err = DJ_OK;
    for (uint32_t i = 0; i < w->a->place_count && !err; i++) {
        bool fresh;
        err = dj_dictionary_value(ids, context, key_of_place(w, &w->a->places[i]), &w->row_of[i], &fresh);
        if (!err)
            err = dj_grow(context, "a ranking", &w->out->rows, &w->capacity, (size_t)w->row_of[i] + 1,
                          sizeof *w->out->rows);
        if (err)
            break;
        w->out->count += fresh;
        add_place(w, i, &w->out->rows[w->row_of[i]], &tips[w->row_of[i]], fresh);
        if (dj_spatial_is_estimate(dj_profile_spatial(w->profile)))
            err = dj_tally_add(&tips[w->row_of[i]].sum, context, &w->a->places[i].tally);
    }
    return err;
}

// Of an estimate: the ranges of the rows.
static void find_ranges(dj_ranking_work *w, const tip *tips)
{
    const dj_profile *profile = w->profile;
    for (size_t i = 0; i < w->out->count; i++) {
        dj_rank_row *row = &w->out->rows[i];
        const dj_tally *sum = &tips[i].sum;
        w->out->ranged = dj_tally_range(profile, sum, w->a->cut_count, &row->accesses_range) &&
                         dj_spatial_all_tally_range(profile, sum, w->options->pair, &row->all_range) &&
                         dj_spatial_far_tally_range(profile, sum, w->options, &row->far_range);
        if (!w->out->ranged)
            return;
        row->weak = dj_spatial_is_weak(&row->far_range, (double)row->poor, (double)w->out->poor_above);
    }
}

int dj_ranking_group(dj_ranking_work *w, dj_context *context)
{
    size_t places = w->a->place_count + 1;
    dj_dictionary ids = {0};
    tip *tips = calloc(places, sizeof *tips);
    w->row_of = calloc(places, sizeof *w->row_of);
    if (!tips || !w->row_of) {
        free(tips);
        return dj_fail_memory(context, "a ranking", places * sizeof *tips);
    }
    int err = find_loops(w, context);
    if (!err)
        err = dj_dictionary_create(&ids, context);
    if (!err)
        err = add_places(w, context, &ids, tips);
    if (!err) {
        sum_up(w, tips);
        find_ranges(w, tips);
    }
    dj_dictionary_destroy(&ids);
    for (size_t i = 0; i < w->out->count; i++)
        dj_tally_free(&tips[i].sum);
    free(tips);
    return err;
}
