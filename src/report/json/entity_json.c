// SPDX-License-Identifier: MIT
// Breakdowns as lists in JSON; docs/formats.md describes them.
#include "report/json/entity_json.h"

#include <deja/tracing.h>

#include <math.h>

#include "model/breakdown/own.h"
#include "profile/json.h"
#include "report/entity_spatial.h"
#include "report/json/stall_json.h"

// What is written for each entity of a breakdown.
typedef struct listing {
    const dj_profile *profile;
    const dj_breakdown *breakdown;
    dj_entity_spatial spatial;
    const dj_own_lines *own; // of lines; NULL: rows have none
} listing;

static void write_distinct(dj_json_writer *json, const dj_distinct *distinct)
{
    if (!distinct->known) {
        dj_json_null(json, "distinct");
        return;
    }
    dj_json_uint(json, "distinct", distinct->blocks);
    dj_json_bool(json, "distinct_exact", distinct->exact);
}

// The edges between the same powers of two as edge `bin`: *first to *end.
static void octave(const dj_attribution *a, uint32_t bin, uint32_t *first, uint32_t *end)
{
    unsigned log2 = dj_log2_bin(a->edges[bin]);
    for (*first = bin; *first > 0 && dj_log2_bin(a->edges[*first - 1]) == log2;)
        --*first;
    for (*end = bin + 1; *end < a->edge_count && dj_log2_bin(a->edges[*end]) == log2;)
        ++*end;
}

// Joins the bins of an attribution, which are finer than people need, to bins that start at powers of two.
static void write_bins(dj_json_writer *json, const dj_attribution *a, const dj_tally *tally)
{
    uint32_t last = tally->bin_first + tally->bin_count;
    dj_json_begin_list(json, "histogram");
    for (uint32_t bin = tally->bin_first, first, end; bin < last; bin = end) {
        uint64_t count = 0;
        octave(a, bin, &first, &end);
        for (uint32_t i = bin; i < end && i < last; i++)
            count += tally->bins[i - tally->bin_first];
        if (count == 0)
            continue;
        dj_json_begin_object(json, NULL);
        dj_json_uint(json, "lo", a->edges[first]);
        dj_json_uint(json, "hi", end == a->edge_count ? tally->max : a->edges[end] - 1);
        dj_json_uint(json, "count", count);
        dj_json_end_object(json);
    }
    dj_json_end_list(json);
}

static void write_misses(dj_json_writer *json, const dj_attribution *a, const dj_tally *tally,
                         const uint64_t *misses)
{
    dj_json_begin_object(json, "misses");
    for (size_t i = 0; i < a->cut_count; i++)
        dj_json_uint(json, a->cuts[i].name,
                     misses ? misses[i] : (uint64_t)llround(dj_tally_misses(tally, a, a->cuts[i].blocks)));
    dj_json_end_object(json);
}

static void write_distance(dj_json_writer *json, const dj_attribution *a, const dj_tally *tally)
{
    dj_moments moments = dj_tally_moments(tally, a);
    dj_json_moments(json, "distance", &moments);
}

void dj_json_tally(dj_json_writer *json, const dj_attribution *a, const dj_tally *tally,
                   const uint64_t *misses)
{
    write_distance(json, a, tally);
    write_bins(json, a, tally);
    write_misses(json, a, tally, misses);
}

static void write_counts(dj_json_writer *json, const dj_tally *tally, const dj_distinct *distinct)
{
    dj_json_uint(json, "accesses", tally->accesses);
    dj_json_uint(json, "reads", tally->accesses - tally->writes);
    dj_json_uint(json, "writes", tally->writes);
    write_distinct(json, distinct);
    dj_json_uint(json, "cold", tally->cold);
}

// Of an estimate.
static void write_ranges(dj_json_writer *json, const dj_profile *profile, const dj_tally *tally)
{
    const dj_attribution *a = dj_profile_attribution(profile);
    dj_row_range range;
    if (!dj_tally_range(profile, tally, a->cut_count, &range))
        return;
    dj_json_begin_object(json, "ranges");
    dj_json_count_range(json, "accesses", range.low, range.high);
    dj_json_begin_object(json, "misses");
    for (size_t i = 0; i < a->cut_count && dj_tally_range(profile, tally, i, &range); i++)
        dj_json_count_range(json, a->cuts[i].name, range.low, range.high);
    dj_json_end_object(json);
    dj_json_end_object(json);
}

// Without a histogram: contexts share most of theirs with their callees, and there are many.
static void write_inclusive(dj_json_writer *json, const listing *l, const dj_entity *entity)
{
    const dj_attribution *a = dj_profile_attribution(l->profile);
    dj_json_begin_object(json, "inclusive");
    if (l->breakdown->timed)
        dj_json_stall(json, &entity->inclusive, &entity->inclusive_stall);
    write_counts(json, &entity->inclusive, &entity->inclusive_distinct);
    write_distance(json, a, &entity->inclusive);
    write_misses(json, a, &entity->inclusive, entity->inclusive_misses);
    write_ranges(json, l->profile, &entity->inclusive);
    dj_json_entity_spatial(json, &l->spatial, &entity->inclusive);
    dj_json_entity_caches(json, l->profile, &entity->inclusive);
    dj_json_end_object(json);
}

static void write_object(dj_json_writer *json, const dj_object_row *row)
{
    dj_json_text(json, "kind", dj_object_kinds[row->kind]);
    dj_json_text(json, "type", row->type ? row->type : "");
    dj_json_uint(json, "bytes", row->bytes);
    dj_json_uint(json, "blocks", row->blocks);
}

static void write_code(dj_json_writer *json, const dj_attribution *a, enum dj_by by, const dj_entity *entity)
{
    if (by != DJ_BY_FUNCTION && entity->function != DJ_NOWHERE)
        dj_json_text(json, "function", a->functions[entity->function].name);
    if (by != DJ_BY_CALLING_CONTEXT && entity->module != DJ_NOWHERE)
        dj_json_text(json, "module", a->modules[entity->module].path);
    if (by == DJ_BY_CALLING_CONTEXT && entity->row != DJ_NOWHERE) {
        const dj_cct_node *row = &a->cct[entity->row];
        dj_json_uint(json, "calls", row->calls);
        dj_json_bool(json, "recursive", row->recursive);
    }
    if (by != DJ_BY_LOOP && by != DJ_BY_CALLING_CONTEXT)
        return;
    if (entity->parent == DJ_NOWHERE)
        dj_json_null(json, "parent");
    else
        dj_json_uint(json, "parent", entity->parent);
    dj_json_uint(json, "depth", entity->depth);
}

static void write_own(dj_json_writer *json, const listing *l, const dj_entity *entity)
{
    const dj_entity *own = dj_own_find(l->own->own, entity);
    const dj_tally none = {0};
    dj_json_begin_object(json, "own");
    dj_json_uint(json, "accesses", own ? own->exclusive.accesses : 0);
    write_misses(json, dj_profile_attribution(l->profile), own ? &own->exclusive : &none,
                 own ? own->misses : NULL);
    dj_json_end_object(json);
}

static void write_entity(dj_json_writer *json, const listing *l, const dj_entity *entity)
{
    const dj_attribution *a = dj_profile_attribution(l->profile);
    const dj_breakdown *breakdown = l->breakdown;
    dj_json_begin_row(json, NULL);
    dj_json_text(json, "name", entity->name);
    if (entity->file != DJ_NOWHERE)
        dj_json_text(json, "file", a->files[entity->file]);
    if (entity->line > 0)
        dj_json_uint(json, "line", entity->line);
    if (breakdown->by == DJ_BY_LOOP && entity->line > 0)
        dj_json_uint(json, "last_line", entity->last_line);
    if (entity->iterations > 0)
        dj_json_uint(json, "iterations", entity->iterations);
    if (breakdown->by == DJ_BY_OBJECT && entity->row != DJ_NOWHERE)
        write_object(json, &a->objects[entity->row]);
    if (breakdown->by == DJ_BY_THREAD && entity->row != DJ_NOWHERE)
        dj_json_uint(json, "id", a->threads[entity->row].id);
    if (breakdown->by != DJ_BY_OBJECT && breakdown->by != DJ_BY_THREAD)
        write_code(json, a, breakdown->by, entity);
    write_counts(json, &entity->exclusive, &entity->distinct);
    dj_json_tally(json, a, &entity->exclusive, entity->misses);
    if (breakdown->timed)
        dj_json_stall(json, &entity->exclusive, &entity->stall);
    write_ranges(json, l->profile, &entity->exclusive);
    dj_json_entity_spatial(json, &l->spatial, &entity->exclusive);
    if (breakdown->by == DJ_BY_OBJECT && entity->row < a->shared_block_count)
        dj_json_uint(json, "shared_blocks", a->shared_blocks[entity->row]);
    dj_json_entity_sharing(json, l->profile, &entity->exclusive);
    dj_json_entity_caches(json, l->profile, &entity->exclusive);
    if (breakdown->has_inclusive)
        write_inclusive(json, l, entity);
    if (l->own)
        write_own(json, l, entity);
    dj_json_end_object(json);
}

int dj_json_breakdown(dj_json_writer *json, dj_context *context, const dj_profile *profile, enum dj_by by,
                      const dj_ranking_options *ranked, const dj_stall_model *stall, const char *own)
{
    dj_own_lines lines = {0};
    dj_breakdown *breakdown = NULL;
    int err = dj_breakdown_create_timed(context, dj_profile_attribution(profile), by, stall, &breakdown);
    if (err)
        return err;
    listing l = {.profile = profile, .breakdown = breakdown};
    if (by == DJ_BY_LINE) {
        err = dj_own_lines_create(context, dj_profile_attribution(profile), own, breakdown, false, &lines);
        l.breakdown = &lines.lines;
        l.own = lines.differs ? &lines : NULL;
    }
    if (!err)
        err = dj_entity_spatial_create(context, profile, l.breakdown, ranked, &l.spatial);
    dj_json_begin_list(json, dj_by_plural(by));
    for (size_t i = 0; !err && i < l.breakdown->count; i++)
        write_entity(json, &l, &l.breakdown->entities[i]);
    dj_json_end_list(json);
    dj_entity_spatial_free(&l.spatial);
    dj_own_lines_free(&lines);
    dj_breakdown_destroy(breakdown);
    return err;
}

void dj_json_place(dj_json_writer *json, const dj_attribution *a, const char *const keys[3], const char *name,
                   uint32_t place)
{
    const dj_site_row *site = &a->sites[a->places[place].site];
    dj_json_text(json, keys[0], name);
    if (site->file != DJ_NOWHERE)
        dj_json_text(json, keys[1], a->files[site->file]);
    if (site->line > 0)
        dj_json_uint(json, keys[2], site->line);
}
