// SPDX-License-Identifier: MIT
#include "cli/attribute.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <deja/observer_options.h>

#include "base/text.h"
#include "locate/locate.h"
#include "locate/region.h"

static const dj_option table[] = {
    {"by", 0, DJ_OPTION_TEXT, offsetof(dj_attribute_options, by), "LIST",
     "what to break down by: a list of object, function, loop, line, context and thread, or all; none: the "
     "whole alone, which is faster",
     NULL},
    {"start-at", 0, DJ_OPTION_TEXT, offsetof(dj_attribute_options, start_at), "FUNCTION",
     "count from the first time that FUNCTION is entered", NULL},
    {"within", 0, DJ_OPTION_TEXT, offsetof(dj_attribute_options, within), "FUNCTION",
     "count only what FUNCTION does, and what it calls", NULL},
    {"skip", 0, DJ_OPTION_UINT, offsetof(dj_attribute_options, skip), "N",
     "leave out the first N accesses of what would count", NULL},
    {"stop-after", 0, DJ_OPTION_UINT, offsetof(dj_attribute_options, stop_after), "N",
     "stop counting after N accesses", NULL},
    {"fresh-heap", 0, DJ_OPTION_FLAG, offsetof(dj_attribute_options, fresh_heap), NULL,
     "memory that is allocated again is new data; without it, it is the same to a cache", NULL},
    {NULL, 0, 0, 0, NULL, NULL, NULL},
};

struct dj_attribute {
    const dj_attribute_options *options;
    dj_symbols *symbols;
    dj_locator *locator;
    dj_region *region;
    dj_source *located, *counted;
    dj_caches caches;
    uint64_t cuts[DJ_SHAPES_MAX]; // increasing
    const char *cut_names[DJ_SHAPES_MAX];
    dj_places_options places;
    char why[512];
};

int dj_attribute_list(dj_context *context, dj_attribute_options *options, dj_groups *groups)
{
    return dj_groups_add(context, groups, "Attribution", table, options);
}

bool dj_attribute_is_refused(const dj_attribute_options *o)
{
    return o->by && strcmp(o->by, "none") == 0;
}

bool dj_attribute_is_needed(const dj_attribute_options *o)
{
    return o->fresh_heap || o->start_at || o->within || o->skip || o->stop_after;
}

int dj_attribute_check(dj_context *context, const dj_attribute_options *o, enum dj_by *by, size_t *count)
{
    *count = 0;
    if (!dj_attribute_is_refused(o))
        return o->by ? dj_by_parse(context, o->by, by, count) : DJ_OK;
    if (dj_attribute_is_needed(o))
        return dj_fail(
            context, DJ_ERR_USAGE,
            "--by none leaves out what --fresh-heap, --start-at, --within, --skip and --stop-after need");
    return DJ_OK;
}

bool dj_attribute_is_asked(const dj_attribute_options *o)
{
    return o->by || dj_attribute_is_needed(o);
}

static void find_cuts(dj_attribute *a)
{
    size_t n = 0;
    for (size_t i = 0; i < a->caches.count; i++) {
        uint64_t blocks = a->caches.shapes[i].size_blocks;
        size_t at = 0;
        while (at < n && a->cuts[at] < blocks)
            at++;
        if (at < n && a->cuts[at] == blocks)
            continue;
        memmove(a->cuts + at + 1, a->cuts + at, (n - at) * sizeof *a->cuts);
        memmove(a->cut_names + at + 1, a->cut_names + at, (n - at) * sizeof *a->cut_names);
        a->cuts[at] = blocks;
        a->cut_names[at] = a->caches.shapes[i].name;
        n++;
    }
    a->places.cuts = a->cuts;
    a->places.cut_count = n;
}

static int build(dj_context *context, dj_attribute *a, dj_source *inner)
{
    const dj_attribute_options *o = a->options;
    int err = dj_symbols_create(context, &a->symbols);
    if (err)
        return err;
    const dj_locator_options locating = {.lookup = dj_lookup_symbols(a->symbols),
                                         .fresh_heap = o->fresh_heap};
    err = dj_locator_create(context, &locating, &a->locator);
    if (!err)
        err = dj_locator_source(context, a->locator, inner, &a->located);
    if (err)
        return err;
    const dj_region_options counting = {
        .start_at = o->start_at, .within = o->within, .skip = o->skip, .stop_after = o->stop_after};
    err = dj_region_create(context, &counting, a->locator, a->symbols, &a->region);
    if (!err)
        err = dj_region_source(context, a->region, a->located, &a->counted);
    a->places.places = &dj_locator_get(a->locator)->places;
    return err;
}

int dj_attribute_begin(dj_context *context, const dj_attribute_options *options,
                       const dj_cache_options *caches, uint64_t block_bytes, dj_source *inner,
                       dj_attribute **out)
{
    dj_attribute *a = calloc(1, sizeof *a);
    if (!a)
        return dj_fail_memory(context, "the attribution", sizeof *a);
    a->options = options;
    int err = dj_caches_for_blocks(context, caches, block_bytes, &a->caches);
    if (!err) {
        find_cuts(a);
        err = build(context, a, inner);
    }
    if (err) {
        dj_attribute_end(a);
        return err;
    }
    *out = a;
    return DJ_OK;
}

dj_source *dj_attribute_source(const dj_attribute *attribute)
{
    return attribute->counted;
}

dj_observer_choice dj_attribute_observer(const dj_attribute *attribute)
{
    return (dj_observer_choice){dj_observer_find("places"), &attribute->places};
}

const char *dj_attribute_why_nothing(dj_attribute *a)
{
    bool start = a->options->start_at != NULL;
    if (!dj_region_met(a->region))
        snprintf(
            a->why, sizeof a->why,
            "%s: no function '%s' was seen at work; names are those of 'deja run --by function', and one "
            "that was inlined everywhere cannot be found",
            start ? "--start-at" : "--within", start ? a->options->start_at : a->options->within);
    else if (a->options->skip)
        snprintf(a->why, sizeof a->why, "there are no more accesses than --skip leaves out");
    else
        return NULL;
    return a->why;
}

int dj_attribute_finish(dj_attribute *a, dj_context *context, dj_profile *profile)
{
    dj_attribution *to = profile->attribution;
    for (size_t i = 0; i < to->cut_count; i++) {
        free(to->cuts[i].name);
        int err = dj_copy_text(context, a->cut_names[i], &to->cuts[i].name);
        if (err)
            return err;
    }
    return dj_resolve(context, dj_locator_get(a->locator), a->symbols, to);
}

void dj_attribute_end(dj_attribute *a)
{
    if (!a)
        return;
    dj_source_close(a->counted);
    dj_source_close(a->located);
    dj_region_destroy(a->region);
    dj_locator_destroy(a->locator);
    dj_symbols_destroy(a->symbols);
    free(a);
}
