// SPDX-License-Identifier: MIT
#include "measure/attribute.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include <deja/observer_options.h>
#include <deja/sample.h>
#include <deja/tracing.h>

#include "base/text.h"
#include "base/text_stream.h"
#include "locate/saved.h"
#include "measure/names.h"
#include "measure/site_totals.h"
#include "profile/missed.h"

struct dj_attribute {
    dj_attribute_config config;
    uint64_t *cuts; // in blocks
    char **cut_names;
    dj_symbols *symbols;
    dj_locator *locator;
    dj_region *region;
    dj_statements *statements; // NULL: every access counts
    dj_source *merged, *located, *counted;
    dj_places_options places;
    char why[512];
};

static int keep_cuts(dj_context *context, dj_attribute *a)
{
    size_t count = a->config.cut_count;
    a->cuts = calloc(count + 1, sizeof *a->cuts);
    a->cut_names = calloc(count + 1, sizeof *a->cut_names);
    if (!a->cuts || !a->cut_names)
        return dj_fail_memory(context, "the attribution", 0);
    for (; a->places.cut_count < count; a->places.cut_count++) {
        const dj_attribute_cut *cut = &a->config.cuts[a->places.cut_count];
        a->cuts[a->places.cut_count] = cut->blocks;
        int err = dj_copy_text(context, cut->name, &a->cut_names[a->places.cut_count]);
        if (err)
            return err;
    }
    a->places.cuts = a->cuts;
    a->places.pair_from = count ? 0 : a->config.long_from;
    return DJ_OK;
}

static int merge_statements(dj_context *context, dj_attribute *a, dj_source *inner)
{
    dj_statements_options options = {.mark = a->config.mark_statements};
    if (a->config.statements == DJ_STATEMENTS_ANY)
        options.lookup = dj_lookup_symbols(a->symbols);
    int err = dj_statements_create(context, &options, &a->statements);
    return err ? err : dj_statements_source(context, a->statements, inner, &a->merged);
}

static int count_part(dj_context *context, dj_attribute *a, dj_source *inner)
{
    int err = dj_region_create(context, &a->config.counting, a->locator, a->symbols, &a->region);
    return err || a->config.mark_statements ? err : dj_region_source(context, a->region, inner, &a->counted);
}

static bool is_cut(const dj_attribute *a)
{
    return a->config.counting.skip || a->config.counting.stop_after;
}

static int identify(void *user, dj_context *context, dj_place_identities *out)
{
    const dj_attribute *a = user;
    return dj_located_identify(context, dj_locator_get(a->locator), out);
}

static int build(dj_context *context, dj_attribute *a, dj_source *inner)
{
    int err = dj_symbols_create_searching(context, a->config.symbols, !a->config.in_program, &a->symbols);
    if (!err && a->config.statements != DJ_STATEMENTS_OFF) {
        err = merge_statements(context, a, inner);
        inner = a->merged;
    }
    if (err || a->config.no_places)
        return !err && is_cut(a) ? count_part(context, a, inner) : err;
    const dj_locator_options locating = {.lookup = dj_lookup_symbols(a->symbols),
                                         .fresh_heap = a->config.fresh_heap,
                                         .offsets = a->config.offsets,
                                         .sampled = a->config.sampled};
    err = dj_locator_create(context, &locating, &a->locator);
    if (!err)
        err = dj_locator_source(context, a->locator, inner, &a->located);
    if (!err)
        err = count_part(context, a, a->located);
    if (!err)
        a->places.places = &dj_locator_get(a->locator)->places;
    a->places.identify = identify;
    a->places.user = a;
    return err;
}

int dj_attribute_create(dj_context *context, const dj_attribute_config *config, dj_source *inner,
                        dj_attribute **out)
{
    dj_attribute *a = calloc(1, sizeof *a);
    if (!a)
        return dj_fail_memory(context, "the attribution", sizeof *a);
    a->config = *config;
    int err = keep_cuts(context, a);
    if (!err)
        err = build(context, a, inner);
    if (err) {
        dj_attribute_end(a);
        return err;
    }
    *out = a;
    return DJ_OK;
}

dj_source *dj_attribute_source(const dj_attribute *attribute)
{
    return attribute->counted   ? attribute->counted
           : attribute->located ? attribute->located
                                : attribute->merged;
}

bool dj_attribute_has_places(const dj_attribute *attribute)
{
    return !attribute->config.no_places;
}

const dj_located *dj_attribute_located(const dj_attribute *attribute)
{
    return dj_locator_get(attribute->locator);
}

dj_region *dj_attribute_region(const dj_attribute *attribute)
{
    return attribute->region;
}

dj_symbols *dj_attribute_symbols(const dj_attribute *attribute)
{
    return attribute->symbols;
}

bool dj_attribute_has_offsets(const dj_attribute *attribute)
{
    return attribute->config.offsets;
}

const dj_place_table *dj_attribute_places(const dj_attribute *attribute)
{
    return attribute->places.places;
}

dj_observer_choice dj_attribute_observer(const dj_attribute *attribute)
{
    return (dj_observer_choice){dj_observer_find("places"), &attribute->places};
}

int dj_attribute_check_symbols(const dj_attribute *a, dj_context *context, bool all)
{
    const char *fault = dj_symbols_fault(a->symbols);
    const char *user = a->config.counting.start_at                 ? "--start-at"
                       : a->config.counting.within                 ? "--within"
                       : a->config.statements == DJ_STATEMENTS_ANY ? "--statements"
                       : all                                       ? "a part of a trace"
                                                                   : NULL;
    int err = dj_symbols_check(a->symbols, context);
    if (err || !fault || !user)
        return err;
    return dj_fail(context, DJ_ERR_MEMORY, "%s needs the program's symbols; %s", user, fault);
}

// The first module whose functions are unknown, because its file is missing or has changed; NULL: none.
static const char *find_lost_module(const dj_attribute *a)
{
    const dj_located *located = a->locator ? dj_locator_get(a->locator) : NULL;
    for (size_t i = 0; located && i < located->module_count; i++) {
        dj_module_info info = dj_symbols_module(a->symbols, (uint32_t)i);
        if (dj_module_is_lost(&(dj_module_row){.state = info.state}) && located->modules[i].path)
            return located->modules[i].path;
    }
    return NULL;
}

int dj_attribute_selection(const dj_attribute *a, dj_context *context, bool part, char **out)
{
    const dj_region_options *counting = &a->config.counting;
    dj_text_stream text;
    const char *comma = "";
    if (!dj_text_stream_open(&text))
        return dj_fail_memory(context, "a profile", 0);
    if (counting->start_at)
        comma = (fprintf(text.file, "start at %s", counting->start_at), ", ");
    if (counting->within)
        comma = (fprintf(text.file, "%swithin %s", comma, counting->within), ", ");
    if (counting->skip && !part)
        comma = (fprintf(text.file, "%sskip %" PRIu64, comma, counting->skip), ", ");
    if (counting->stop_after && !part)
        comma = (fprintf(text.file, "%sstop after %" PRIu64, comma, counting->stop_after), ", ");
    if (a->config.fresh_heap)
        fprintf(text.file, "%sfresh heap", comma);
    *out = dj_text_stream_close(&text, NULL);
    return *out ? DJ_OK : dj_fail_memory(context, "a profile", 0);
}

// The first module that has the function, not inlined; NULL: none.
static const char *find_definition(const dj_attribute *a, const char *name)
{
    const dj_located *located = dj_locator_get(a->locator);
    uint32_t found;
    for (size_t i = 0; i < located->module_count; i++)
        if (dj_symbols_find_function(a->symbols, (uint32_t)i, name, &found, 1) > 0)
            return located->modules[i].path;
    return NULL;
}

// The program, if inlined functions are unknown there; otherwise NULL.
static const char *find_undescribed(const dj_attribute *a)
{
    const dj_located *located = dj_locator_get(a->locator);
    return located->module_count && !dj_symbols_module(a->symbols, 0).has_types ? located->modules[0].path
                                                                                : NULL;
}

static void explain_unmet(dj_attribute *a)
{
    const dj_region_options *counting = &a->config.counting;
    const char *option = counting->start_at ? "--start-at" : "--within";
    const char *name = counting->start_at ? counting->start_at : counting->within;
    const char *lost = find_lost_module(a), *defined = find_definition(a, name);
    const char *bare = find_undescribed(a);
    if (lost)
        snprintf(
            a->why, sizeof a->why,
            "%s: no function or region '%s' was entered; the functions of %.200s are unknown, because the "
            "file is missing, unreadable or has changed: name the folder of the right one with --symbols",
            option, name, lost);
    else if (defined)
        snprintf(a->why, sizeof a->why, "%s: the function '%s' of %.200s made no accesses in this run",
                 option, name, defined);
    else if (bare)
        snprintf(a->why, sizeof a->why,
                 "%s: no function or region '%s' was entered; functions that were inlined cannot be found in "
                 "%.200s, which has no debug information; names are those of 'deja run --by function'",
                 option, name, bare);
    else
        snprintf(a->why, sizeof a->why,
                 "%s: no function or region '%s' was entered, nor code of such a function that was inlined; "
                 "names are those of 'deja run --by function'",
                 option, name);
}

bool dj_attribute_is_blind(const dj_attribute *a)
{
    return a->region && !dj_region_met(a->region) && find_lost_module(a);
}

const char *dj_attribute_why_nothing(dj_attribute *a)
{
    if (!a->region)
        return NULL;
    if (!dj_region_met(a->region))
        explain_unmet(a);
    else if (a->config.counting.skip)
        snprintf(a->why, sizeof a->why, "--skip leaves no accesses to count");
    else
        return NULL;
    return a->why;
}

static int describe_statements(const dj_attribute *a, dj_context *context, dj_profile *profile)
{
    char text[256];
    uint64_t accesses[DJ_STATEMENT_SOURCES] = {0};
    const dj_attribution *counted = dj_profile_attribution(profile);
    for (size_t i = 0; !a->config.no_places && i < counted->place_count; i++)
        accesses[dj_statements_source_of(a->statements, counted->places[i].site)] +=
            counted->places[i].tally.accesses;
    int err = dj_statements_describe(a->statements, context, a->config.no_places ? NULL : accesses, text,
                                     sizeof text);
    if (err)
        return err;
    free(profile->provenance.statements);
    return dj_copy_text(context, text, &profile->provenance.statements);
}

// How many blocks there are: a part of them does not show it, or not with a known error.
static void forget_blocks(dj_attribution *a)
{
    for (size_t i = 0; i < a->object_count; i++)
        a->objects[i].distinct = 0;
    for (size_t i = 0; i < a->thread_count; i++)
        a->threads[i].distinct = 0;
    for (size_t i = 0; i < a->site_count; i++) {
        free(a->sites[i].sketch);
        a->sites[i].sketch = NULL;
    }
    for (size_t i = 0; i < a->cct_count; i++) {
        free(a->cct[i].sketch);
        a->cct[i].sketch = NULL;
    }
}

// What bursts do not show: how often functions were called and loops repeated, and how many of the blocks of
// one burst were also in another.
static void forget_uncounted(dj_attribution *a)
{
    forget_blocks(a);
    dj_misses_forget(a); // between bursts, the sequences of misses are not known
    for (size_t i = 0; i < a->cct_count; i++)
        a->cct[i].calls = 0;
    for (size_t i = 0; i < a->loop_count; i++)
        a->loops[i].iterations = 0;
}

int dj_attribute_finish(dj_attribute *a, dj_context *context, dj_profile *profile)
{
    const bool any = profile->lanes[0].accesses > 0; // an empty selection says nothing about statements
    int described = a->statements && any ? describe_statements(a, context, profile) : DJ_OK;
    if (described || a->config.no_places)
        return described;
    dj_attribution *to = dj_profile_attribution(profile);
    for (size_t i = 0; i < to->cut_count; i++) {
        free(to->cuts[i].name);
        int err = dj_copy_text(context, a->cut_names[i], &to->cuts[i].name);
        if (err)
            return err;
    }
    int err = dj_match_sites(context, a->locator, to);
    if (!err)
        err = dj_resolve(context, dj_locator_get(a->locator), a->symbols, to, dj_profile_elements(profile));
    if (!err && dj_lane_tracing(&profile->lanes[0]))
        forget_uncounted(to);
    else if (!err && dj_lane_sample(&profile->lanes[0]))
        forget_blocks(to);
    return err ? err : dj_names_check(context, a->symbols, profile);
}

int dj_attribute_names(const dj_attribute *a, dj_context *context, uint8_t **bytes, size_t *count)
{
    const dj_named named = {dj_locator_get(a->locator), a->symbols, a->cut_names, a->places.cut_count};
    return dj_names_pack(context, &named, bytes, count);
}

void dj_attribute_detach(dj_attribute *a)
{
    dj_source_close(a->counted);
    dj_source_close(a->located);
    dj_source_close(a->merged);
    a->counted = a->located = a->merged = NULL;
}

void dj_attribute_end(dj_attribute *a)
{
    if (!a)
        return;
    dj_attribute_detach(a);
    dj_region_destroy(a->region);
    dj_locator_destroy(a->locator);
    dj_statements_destroy(a->statements);
    dj_symbols_destroy(a->symbols);
    for (size_t i = 0; i < a->places.cut_count; i++)
        free(a->cut_names[i]);
    free(a->cut_names);
    free(a->cuts);
    free(a);
}
