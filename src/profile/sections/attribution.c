// SPDX-License-Identifier: MIT
// Section `attribution`: the code and data that accesses belong to. In JSON a row is a list of its cells.
#include "profile/attribution_check.h"
#include "profile/spread.h"

#include <deja/sharing.h>

#include <inttypes.h>
#include <stdlib.h>

#include "profile/fields.h"
#include "profile/json.h"
#include "profile/spatial_check.h"

const char *const dj_object_kinds[] = {
    [DJ_OBJECT_UNKNOWN] = "unknown", [DJ_OBJECT_GLOBAL] = "global", [DJ_OBJECT_LOCAL] = "local",
    [DJ_OBJECT_FRAME] = "frame",     [DJ_OBJECT_HEAP] = "heap",     [DJ_OBJECT_MAPPED] = "mapped",
    [DJ_OBJECT_MODULE] = "module",   [DJ_OBJECT_MODULE + 1] = NULL,
};

static const char *const module_states[] = {
    [DJ_MODULE_FOUND] = "found",
    [DJ_MODULE_UNVERIFIED] = "unverified",
    [DJ_MODULE_NO_FILE] = "no file",
    [DJ_MODULE_MISSING] = "missing",
    [DJ_MODULE_UNREADABLE] = "unreadable",
    [DJ_MODULE_STALE] = "stale",
    [DJ_MODULE_CODELESS] = "debug file",
    [DJ_MODULE_UNKNOWN] = "unknown",
    [DJ_MODULE_STATES] = NULL,
};

const char *const dj_carried_kinds[] = {
    [DJ_CARRIED_UNKNOWN] = "unknown",
    [DJ_CARRIED_BY_LOOP] = "loop",
    [DJ_CARRIED_BY_NONE] = "none",
    [DJ_CARRIED_KINDS] = NULL,
};

#define CELL(type_, row_, member_, ...) DJ_AT(type_, #member_, row_, member_, __VA_ARGS__)
#define INDEX(row_, member_, of_) CELL(INDEX, row_, member_, .of = (of_))
#define OPTIONAL(row_, member_, of_) CELL(INDEX, row_, member_, .of = (of_), .flags = DJ_FIELD_OPTIONAL)
#define ROWS(name_, row_, ...)                                                                               \
    static const dj_field name_##_cells[] = {__VA_ARGS__, DJ_END};                                           \
    static const dj_table name_##_row = {name_##_cells, sizeof(row_), DJ_ROW_CELLS}
#define SPLICED(name_, row_, ...)                                                                            \
    static const dj_field name_##_cells[] = {__VA_ARGS__, DJ_END};                                           \
    static const dj_table name_##_row = {name_##_cells, sizeof(row_), DJ_ROW_SPLICED}

SPLICED(count, dj_spatial_count, CELL(U64, dj_spatial_count, reuses), CELL(U64, dj_spatial_count, effective));
SPLICED(cache, dj_spatial_cache, DJ_AT(U64, "own reuses", dj_spatial_cache, own.reuses),
        DJ_AT(U64, "own effective", dj_spatial_cache, own.effective),
        DJ_AT(U64, "all reuses", dj_spatial_cache, all.reuses),
        DJ_AT(U64, "all effective", dj_spatial_cache, all.effective));
ROWS(doubling, dj_spatial_counts, CELL(U32, dj_spatial_counts, bin_first),
     CELL(LIST, dj_spatial_counts, bins, .rows = &count_row, .flags = DJ_FIELD_COUNT32,
          .count_at = offsetof(dj_spatial_counts, bin_count), .most = DJ_SPATIAL_BINS),
     CELL(LIST, dj_spatial_counts, caches, .rows = &cache_row,
          .count_at = offsetof(dj_spatial_counts, cache_count), .most = DJ_SPATIAL_CACHES_MOST));

// The strides and their counts are two consecutive arrays.
static const dj_field stride_cells[] = {
    {.name = "stride", .type = DJ_FIELD_I64},
    {.name = "count of a stride",
     .type = DJ_FIELD_U64,
     .offset = offsetof(dj_usage, stride_count) - offsetof(dj_usage, stride)},
    DJ_END,
};
static const dj_table stride_row = {stride_cells, sizeof(int64_t), DJ_ROW_SPLICED};

static size_t count_strides(const void *row)
{
    const dj_usage *usage = row;
    size_t count = 0;
    while (count < DJ_STRIDES && usage->stride_count[count])
        count++;
    return count;
}

ROWS(usage, dj_usage, CELL(U64, dj_usage, steps), CELL(U64, dj_usage, fetched), CELL(U64, dj_usage, used),
     CELL(U64, dj_usage, grain), DJ_AT(U64, "way", dj_usage, step_sum),
     CELL(LIST, dj_usage, stride, .rows = &stride_row, .flags = DJ_FIELD_IN_PLACE, .most = DJ_STRIDES,
          .count = count_strides));
SPLICED(part, dj_spatial_tally_part, CELL(U32, dj_spatial_tally_part, key),
        CELL(U32, dj_spatial_tally_part, count));
ROWS(parts, dj_spatial_parts,
     CELL(LIST, dj_spatial_parts, list, .rows = &part_row, .count_at = offsetof(dj_spatial_parts, count),
          .most = DJ_SPATIAL_PARTS_MOST));
ROWS(spatial, dj_spatial_tally,
     CELL(LIST, dj_spatial_tally, pairs, .rows = &doubling_row,
          .count_at = offsetof(dj_spatial_tally, pair_count), .most = DJ_SPATIAL_PAIRS_MOST),
     CELL(OBJECT, dj_spatial_tally, usage, .rows = &usage_row),
     CELL(POINTER, dj_spatial_tally, parts, .rows = &parts_row, .flags = DJ_FIELD_LATER, .since = 6));
ROWS(tally, dj_tally, CELL(U64, dj_tally, accesses), CELL(U64, dj_tally, cold), CELL(U64, dj_tally, writes),
     CELL(U64, dj_tally, sum), CELL(U64, dj_tally, square_low), CELL(U64, dj_tally, square_high),
     CELL(U64, dj_tally, min), CELL(U64, dj_tally, max), CELL(U32, dj_tally, bin_first),
     DJ_NUMBER_LIST("bins", dj_tally, bins, bin_count, .flags = DJ_FIELD_COUNT32),
     CELL(POINTER, dj_tally, spatial, .rows = &spatial_row, .flags = DJ_FIELD_LATER));

enum { SHARING_CACHES_MOST = 64 };
#define COUNT(member_) DJ_AT(U64, #member_, dj_sharing_tally, counts.member_)
SPLICED(misses, dj_sharing_misses, CELL(U64, dj_sharing_misses, misses), CELL(U64, dj_sharing_misses, cold),
        CELL(U64, dj_sharing_misses, invalidated), CELL(U64, dj_sharing_misses, alone));
ROWS(sharing, dj_sharing_tally, COUNT(broken), COUNT(shortened), COUNT(stretched), COUNT(found),
     COUNT(true_sharing), COUNT(false_sharing), CELL(U64, dj_sharing_tally, sharers),
     CELL(LIST, dj_sharing_tally, caches, .rows = &misses_row,
          .count_at = offsetof(dj_sharing_tally, cache_count), .most = SHARING_CACHES_MOST));

enum { SPREAD_MOST = 1 << 13 };
ROWS(spread, dj_spread, DJ_NUMBER_LIST("counts", dj_spread, counts, count, .most = SPREAD_MOST));

SPLICED(level, dj_level_counts, CELL(U64, dj_level_counts, misses), CELL(U64, dj_level_counts, cold),
        CELL(U64, dj_level_counts, conflict), CELL(U64, dj_level_counts, writebacks));
ROWS(levels, dj_level_tally,
     CELL(LIST, dj_level_tally, levels, .rows = &level_row, .count_at = offsetof(dj_level_tally, level_count),
          .most = DJ_LEVELS_MOST));

enum { MISSED_MOST = 2 * DJ_MISS_CLASSES * DJ_MISS_BINS };
ROWS(missed, dj_miss_counts, DJ_NUMBER_LIST("counts", dj_miss_counts, counts, count, .most = MISSED_MOST));

ROWS(cut, dj_cut, CELL(TEXT, dj_cut, name), CELL(U64, dj_cut, blocks));
ROWS(module, dj_module_row, CELL(TEXT, dj_module_row, path), CELL(BOOL, dj_module_row, has_lines),
     CELL(BOOL, dj_module_row, has_types),
     CELL(ENUM, dj_module_row, state, .names = module_states, .flags = DJ_FIELD_LATER, .since = 2),
     CELL(TEXT, dj_module_row, identity, .flags = DJ_FIELD_LATER, .since = 2),
     CELL(TEXT, dj_module_row, reason, .flags = DJ_FIELD_LATER, .since = 3));
ROWS(function, dj_function_row, CELL(TEXT, dj_function_row, name),
     OPTIONAL(dj_function_row, module, "modules"), OPTIONAL(dj_function_row, file, "files"),
     CELL(U32, dj_function_row, line));
ROWS(loop, dj_loop_row, INDEX(dj_loop_row, function, "functions"), OPTIONAL(dj_loop_row, parent, "loops"),
     CELL(U32, dj_loop_row, depth), OPTIONAL(dj_loop_row, file, "files"), CELL(U32, dj_loop_row, first_line),
     CELL(U32, dj_loop_row, last_line), CELL(U64, dj_loop_row, iterations, .flags = DJ_FIELD_LATER));
ROWS(inlined, dj_inlined_row, INDEX(dj_inlined_row, function, "functions"),
     OPTIONAL(dj_inlined_row, file, "files"), CELL(U32, dj_inlined_row, line),
     OPTIONAL(dj_inlined_row, inlined, "inlined"));
ROWS(site, dj_site_row, OPTIONAL(dj_site_row, module, "modules"), CELL(U64, dj_site_row, offset),
     OPTIONAL(dj_site_row, function, "functions"), OPTIONAL(dj_site_row, file, "files"),
     CELL(U32, dj_site_row, line), OPTIONAL(dj_site_row, loop, "loops"),
     OPTIONAL(dj_site_row, inlined, "inlined"), CELL(SKETCH, dj_site_row, sketch));
ROWS(thread, dj_thread_row, CELL(U64, dj_thread_row, id), CELL(TEXT, dj_thread_row, name),
     CELL(U64, dj_thread_row, distinct));
ROWS(cct, dj_cct_node, OPTIONAL(dj_cct_node, parent, "contexts"), INDEX(dj_cct_node, thread, "threads"),
     OPTIONAL(dj_cct_node, function, "functions"), OPTIONAL(dj_cct_node, call_site, "sites"),
     CELL(BOOL, dj_cct_node, recursive), CELL(U64, dj_cct_node, calls), CELL(SKETCH, dj_cct_node, sketch));
ROWS(object, dj_object_row, CELL(TEXT, dj_object_row, name), CELL(TEXT, dj_object_row, type),
     CELL(ENUM, dj_object_row, kind, .names = dj_object_kinds), OPTIONAL(dj_object_row, file, "files"),
     CELL(U32, dj_object_row, line),
     DJ_AT(INDEX, "context", dj_object_row, cct_node, .of = "contexts", .flags = DJ_FIELD_OPTIONAL),
     CELL(U64, dj_object_row, bytes), CELL(U64, dj_object_row, blocks), CELL(U64, dj_object_row, distinct));
ROWS(place, dj_place_row, INDEX(dj_place_row, site, "sites"),
     DJ_AT(INDEX, "context", dj_place_row, cct_node, .of = "contexts"),
     INDEX(dj_place_row, object, "objects"), CELL(TEXT, dj_place_row, element),
     CELL(TEXT, dj_place_row, example), CELL(OBJECT, dj_place_row, tally, .rows = &tally_row),
     DJ_AT(POINTER, "sharing", dj_place_row, tally.sharing, .rows = &sharing_row, .flags = DJ_FIELD_LATER,
           .since = 4),
     DJ_AT(POINTER, "spread", dj_place_row, tally.spread, .rows = &spread_row, .flags = DJ_FIELD_LATER,
           .since = 5),
     DJ_AT(POINTER, "levels", dj_place_row, tally.levels, .rows = &levels_row, .flags = DJ_FIELD_LATER,
           .since = 8),
     DJ_AT(POINTER, "missed", dj_place_row, tally.missed, .rows = &missed_row, .flags = DJ_FIELD_LATER,
           .since = 9));
ROWS(pair, dj_pair_row, INDEX(dj_pair_row, from, "places"), INDEX(dj_pair_row, to, "places"),
     CELL(OBJECT, dj_pair_row, tally, .rows = &tally_row),
     CELL(ENUM, dj_pair_row, carried, .names = dj_carried_kinds, .flags = DJ_FIELD_LATER, .since = 7),
     CELL(INDEX, dj_pair_row, carrier, .of = "loops", .flags = DJ_FIELD_OPTIONAL | DJ_FIELD_LATER,
          .since = 7));
ROWS(invalidation, dj_invalidation_row, INDEX(dj_invalidation_row, from, "places"),
     INDEX(dj_invalidation_row, to, "places"), CELL(U64, dj_invalidation_row, true_sharing),
     CELL(U64, dj_invalidation_row, false_sharing), CELL(TEXT, dj_invalidation_row, written),
     CELL(TEXT, dj_invalidation_row, missed));

#define LIST(member_, count_, row_, ...)                                                                     \
    DJ_AT(LIST, #member_, dj_attribution, member_, .rows = &(row_),                                          \
          .count_at = offsetof(dj_attribution, count_), __VA_ARGS__)
static const dj_field attribution_fields[] = {
    DJ_AT(U64, "pair_from", dj_attribution, pair_from, .flags = DJ_FIELD_REQUIRED,
          .about = "pairs are recorded for distances from here on"),
    DJ_AT(U64, "contexts_folded", dj_attribution, cct_folded,
          .about = "number of omitted calling contexts, which are counted with their callers"),
    LIST(edges, edge_count, dj_number_cell, .flags = DJ_FIELD_REQUIRED | DJ_FIELD_FLAT,
         .about = "distances at which bins begin; the first is 0"),
    LIST(cuts, cut_count, cut_row, .flags = DJ_FIELD_REQUIRED, .about = "caches whose sizes are edges"),
    LIST(files, file_count, dj_text_cell, .flags = DJ_FIELD_REQUIRED),
    LIST(modules, module_count, module_row, .flags = DJ_FIELD_REQUIRED),
    LIST(functions, function_count, function_row, .flags = DJ_FIELD_REQUIRED),
    LIST(loops, loop_count, loop_row, .flags = DJ_FIELD_REQUIRED),
    LIST(inlined, inlined_count, inlined_row, .flags = DJ_FIELD_REQUIRED),
    LIST(sites, site_count, site_row, .flags = DJ_FIELD_REQUIRED, .about = "instructions"),
    LIST(threads, thread_count, thread_row, .flags = DJ_FIELD_REQUIRED),
    DJ_AT(LIST, "contexts", dj_attribution, cct, .rows = &cct_row,
          .count_at = offsetof(dj_attribution, cct_count), .flags = DJ_FIELD_REQUIRED,
          .about = "the calling-context tree, parents first"),
    LIST(objects, object_count, object_row, .flags = DJ_FIELD_REQUIRED),
    LIST(places, place_count, place_row, .flags = DJ_FIELD_REQUIRED),
    LIST(pairs, pair_count, pair_row, .flags = DJ_FIELD_REQUIRED, .about = "long reuses, by two places"),
    LIST(invalidations, invalidation_count, invalidation_row, .flags = DJ_FIELD_OMIT, .since = 4,
         .about = "misses of private caches, by the place that wrote and the place that missed"),
    LIST(shared_blocks, shared_block_count, dj_number_cell, .flags = DJ_FIELD_OMIT | DJ_FIELD_FLAT,
         .since = 4, .about = "of each object: its blocks that several sharers accessed"),
    DJ_END,
};

int dj_attribution_create(dj_context *context, dj_attribution **out)
{
    *out = calloc(1, sizeof **out);
    return *out ? DJ_OK : dj_fail(context, DJ_ERR_MEMORY, "out of memory for an attribution");
}

void dj_attribution_destroy(dj_attribution *a)
{
    if (!a)
        return;
    dj_fields_free(attribution_fields, a);
    free(a);
}

void dj_tally_free(dj_tally *tally)
{
    free(tally->bins);
    dj_spatial_tally_destroy(tally->spatial);
    dj_sharing_tally_destroy(tally->sharing);
    dj_spread_destroy(tally->spread);
    dj_level_tally_destroy(tally->levels);
    dj_miss_counts_destroy(tally->missed);
    tally->missed = NULL;
    tally->bins = NULL;
    tally->spatial = NULL;
    tally->sharing = NULL;
    tally->spread = NULL;
    tally->levels = NULL;
    tally->bin_count = 0;
}

void dj_spatial_tally_destroy(dj_spatial_tally *tally)
{
    if (!tally)
        return;
    dj_fields_free(spatial_cells, tally);
    free(tally);
}

void dj_sharing_tally_destroy(dj_sharing_tally *tally)
{
    if (!tally)
        return;
    dj_fields_free(sharing_cells, tally);
    free(tally);
}

int dj_attribution_check(dj_context *context, const dj_attribution *attribution)
{
    int err = dj_attribution_check_order(context, attribution);
    if (!err)
        err = dj_fields_check_indexes(context, attribution_fields, attribution);
    return err ? err : dj_attribution_check_values(context, attribution);
}

// Each doubling stores its number of caches; all doublings of a tally must agree.
static bool count_caches(dj_spatial_tally *tally)
{
    tally->cache_count = tally->pair_count ? tally->pairs[0].cache_count : 0;
    for (size_t i = 0; i < tally->pair_count; i++)
        if (tally->pairs[i].cache_count != tally->cache_count)
            return false;
    return true;
}

static int check(dj_context *context, void *value)
{
    dj_attribution *a = value;
    for (size_t i = 0; i < a->pair_count; i++) // older profiles lack both cells
        if (a->pairs[i].carried == DJ_CARRIED_UNKNOWN && a->pairs[i].carrier == 0)
            a->pairs[i].carrier = DJ_NOWHERE;
    for (size_t i = 0; i < a->place_count + a->pair_count; i++) {
        dj_tally *tally = i < a->place_count ? &a->places[i].tally : &a->pairs[i - a->place_count].tally;
        if (tally->spatial && !count_caches(tally->spatial))
            return dj_fail(context, DJ_ERR_INPUT,
                           "caches of spatial locality: their number differs between pairs");
    }
    return dj_attribution_check(context, a);
}

static int check_place(dj_context *context, const dj_spatial *spatial, const dj_spatial_tally *tally,
                       size_t place)
{
    uint64_t most = 0;
    if (!spatial || tally->pair_count != spatial->pair_count || tally->cache_count != spatial->cache_count)
        return dj_fail(context, DJ_ERR_INPUT, "places[%zu] has different pairs or caches than the profile",
                       place);
    if (!__builtin_mul_overflow(tally->usage.fetched, spatial->usage_block, &most) &&
        tally->usage.used > most)
        return dj_fail(context, DJ_ERR_INPUT, "places[%zu] uses more of its blocks than they contain", place);
    return DJ_OK;
}

// DJ_ERR_INPUT unless the bursts of places fit those of the profile.
static int check_parts(dj_context *context, const dj_spatial *spatial, const dj_attribution *a)
{
    dj_spatial_part_sums *sums = calloc(1, sizeof *sums);
    int err = sums ? DJ_OK : dj_fail_memory(context, "a profile", sizeof *sums);
    for (size_t i = 0; !err && i < a->place_count; i++) {
        const dj_spatial_tally *tally = a->places[i].tally.spatial;
        if (tally && tally->parts && !dj_spatial_parts_fit(spatial, tally->parts, sums))
            err = dj_fail(context, DJ_ERR_INPUT, "places[%zu]: its spatial parts do not fit the bursts", i);
    }
    free(sums);
    return err;
}

// DJ_ERR_INPUT unless the tallies count misses for the caches of section `sharing`, or for none.
static int check_sharing(dj_context *context, const dj_profile *profile, const dj_attribution *a)
{
    const dj_sharing *sharing = dj_profile_sharing(profile);
    for (size_t i = 0; i < a->place_count; i++) {
        const dj_sharing_tally *tally = a->places[i].tally.sharing;
        if (tally && (!sharing || (tally->cache_count > 0 && tally->cache_count != sharing->cache_count)))
            return dj_fail(context, DJ_ERR_INPUT,
                           "places[%zu] counts misses of other caches than the sharers", i);
    }
    return DJ_OK;
}

// The spatial parts of places, and what they share, must fit the profile.
static int settle(dj_context *context, dj_profile *profile, dj_lane_profile *none, void *value)
{
    (void)none;
    const dj_attribution *a = value;
    uint64_t accesses = 0;
    int err = DJ_OK;
    for (size_t i = 0; !err && i < a->place_count; i++)
        if (a->places[i].tally.spatial) {
            accesses +=
                a->places[i].tally.accesses; // cannot overflow: all places together have less than 2^64
            err = check_place(context, dj_profile_spatial(profile), a->places[i].tally.spatial, i);
        }
    if (!err && accesses > DJ_SPATIAL_ACCESSES_MOST)
        err = dj_fail(context, DJ_ERR_INPUT, "the places have an impossible number of accesses");
    if (!err)
        err = check_parts(context, dj_profile_spatial(profile), a);
    if (!err)
        err = check_sharing(context, profile, a);
    if (!err)
        err = dj_level_tallies_check(context, profile, a);
    return err ? err : dj_spreads_check(context, profile, a);
}

const dj_section_ops dj_section_attribution = {
    .name = "attribution",
    .summary = "code and data to which the accesses belong",
    .version = 9,
    .scope = DJ_SCOPE_PROFILE,
    .table = {attribution_fields, sizeof(dj_attribution), DJ_ROW_OBJECT},
    .check = check,
    .settle = settle,
};
