// SPDX-License-Identifier: MIT
#include "cli/options/attribute.h"

#include <string.h>

static const dj_option table[] = {
    {"by", 0, DJ_OPTION_TEXT, offsetof(dj_attribute_options, by), "LIST",
     "what to break down by: a list of object, function, loop, line, context and thread, or all; none: the "
     "whole alone, which is faster",
     NULL},
    {"start-at", 0, DJ_OPTION_TEXT, offsetof(dj_attribute_options, start_at), "NAME",
     "count from the first time that the function NAME is entered, or the region NAME begins", NULL},
    {"within", 0, DJ_OPTION_TEXT, offsetof(dj_attribute_options, within), "NAME",
     "count only what the function NAME does, and what it calls, or what is done in the region NAME", NULL},
    {"skip", 0, DJ_OPTION_UINT, offsetof(dj_attribute_options, skip), "N",
     "leave out the first N accesses of what would count", NULL},
    {"stop-after", 0, DJ_OPTION_UINT, offsetof(dj_attribute_options, stop_after), "N",
     "stop counting after N accesses", NULL},
    {"fresh-heap", 0, DJ_OPTION_FLAG, offsetof(dj_attribute_options, fresh_heap), NULL,
     "memory that is allocated again is new data; without it, it is the same to a cache", NULL},
    {"statements", 0, DJ_OPTION_FLAG, offsetof(dj_attribute_options, statements), NULL,
     "count each element once in each instance of a statement: by annotations, or by line tables, which "
     "is exact for code compiled with -O0",
     NULL},
    {NULL, 0, 0, 0, NULL, NULL, NULL},
};

int dj_attribute_list(dj_context *context, dj_attribute_options *options, dj_groups *groups)
{
    return dj_groups_add(context, groups, "Attribution", table, options);
}

bool dj_attribute_is_refused(const dj_attribute_options *o)
{
    return o->by && strcmp(o->by, "none") == 0;
}

static bool needs_places(const dj_attribute_options *o)
{
    return o->fresh_heap || o->start_at || o->within;
}

bool dj_attribute_is_needed(const dj_attribute_options *o)
{
    return needs_places(o) || o->skip || o->stop_after;
}

int dj_attribute_check(dj_context *context, const dj_attribute_options *o, enum dj_by *by, size_t *count)
{
    *count = 0;
    if (!dj_attribute_is_refused(o))
        return o->by ? dj_by_parse(context, o->by, by, count) : DJ_OK;
    if (needs_places(o))
        return dj_fail(context, DJ_ERR_USAGE,
                       "--by none leaves out what --fresh-heap, --start-at and --within need");
    return DJ_OK;
}

bool dj_attribute_is_asked(const dj_attribute_options *o)
{
    return o->by || dj_attribute_is_needed(o);
}

bool dj_attribute_is_of_places(const dj_attribute_options *o)
{
    return o->by || needs_places(o);
}

int dj_attribute_request(dj_context *context, const dj_attribute_options *o, const dj_cache_options *caches,
                         uint64_t block_bytes, bool places, dj_request_caches *room, dj_request *request)
{
    request->places = places;
    request->statements = o->statements;
    request->fresh_heap = o->fresh_heap;
    request->start_at = o->start_at;
    request->within = o->within;
    request->skip = o->skip;
    request->stop_after = o->stop_after;
    // Where nothing is attributed, caches are looked at when the profile is printed.
    if (!places && !o->statements && !o->skip && !o->stop_after)
        return DJ_OK;
    int err = dj_caches_for_blocks(context, caches, block_bytes, &room->found);
    if (!err)
        dj_attribute_request_caches(room, block_bytes, request);
    return err;
}

void dj_attribute_request_caches(dj_request_caches *room, uint64_t block_bytes, dj_request *request)
{
    dj_caches_sort(&room->found);
    for (size_t i = 0; i < room->found.count; i++) {
        const dj_cache_shape *shape = &room->found.shapes[i];
        room->sizes[i] = (dj_cache_size){shape->name, shape->size_blocks * block_bytes};
    }
    request->caches = room->sizes;
    request->cache_count = room->found.count;
}
