// SPDX-License-Identifier: MIT
#include "cli/options/attribute.h"

#include <string.h>

_Static_assert(DJ_BY_COUNT == 6, "list every breakdown");
const char *const dj_by_choices[] = {"none",    "object", "function", "loop", "line",
                                     "context", "thread", "all",      NULL};

static const dj_option table[] = {
    {"by", 0, DJ_OPTION_TEXT | DJ_OPTION_COMMON | DJ_OPTION_LIST, offsetof(dj_attribute_options, by), "LIST",
     DJ_BY_HELP ". With none there is no breakdown, which is faster", dj_by_choices},
    {"start-at", 0, DJ_OPTION_TEXT, offsetof(dj_attribute_options, start_at), "NAME",
     "start counting when the function or region NAME is first entered", NULL},
    {"within", 0, DJ_OPTION_TEXT | DJ_OPTION_COMMON, offsetof(dj_attribute_options, within), "NAME",
     "count only accesses within the function (inlined or not) or region NAME, callees included", NULL},
    {"skip", 0, DJ_OPTION_UINT, offsetof(dj_attribute_options, skip), "N",
     "skip the first N accesses that would otherwise count", NULL},
    {"stop-after", 0, DJ_OPTION_UINT, offsetof(dj_attribute_options, stop_after), "N",
     "stop counting after N accesses. A program then continues untraced", NULL},
    {"fresh-heap", 0, DJ_OPTION_FLAG, offsetof(dj_attribute_options, fresh_heap), NULL,
     "treat memory that is freed and allocated again as new data. Without this option it is the same data, "
     "as "
     "it is to a cache",
     NULL},
    {"statements", 0, DJ_OPTION_FLAG, offsetof(dj_attribute_options, statements), NULL,
     "count each element once in each instance of a statement. Instances are known from annotations or from "
     "line tables, which are exact for code compiled with -O0",
     NULL},
    {"elements", 0, DJ_OPTION_FLAG, offsetof(dj_attribute_options, elements), NULL,
     "also count accesses by their position in each data object: element maps, in the profile and on the "
     "page "
     "of deja view. They need every access, so no sample and no bursts",
     NULL},
    {"symbols", 0, DJ_OPTION_TEXT | DJ_OPTION_FOLDER, offsetof(dj_attribute_options, symbols), "DIRS",
     DJ_SYMBOLS_HELP, NULL},
    {NULL, 0, 0, 0, NULL, NULL, NULL},
};

int dj_attribute_list(dj_context *context, dj_attribute_options *options, dj_groups *groups)
{
    return dj_groups_add(context, groups, "Attribution", table, options);
}

bool dj_attribute_is_disabled(const dj_attribute_options *o)
{
    return o->by && strcmp(o->by, "none") == 0;
}

static bool selects_by_place(const dj_attribute_options *o)
{
    return o->fresh_heap || o->start_at || o->within;
}

static bool needs_places(const dj_attribute_options *o)
{
    return selects_by_place(o) || o->elements;
}

bool dj_attribute_selects_accesses(const dj_attribute_options *o)
{
    return selects_by_place(o) || o->skip || o->stop_after;
}

const char *dj_attribute_needs_all(const dj_attribute_options *o)
{
    return o->statements   ? "--statements"
           : o->start_at   ? "--start-at"
           : o->within     ? "--within"
           : o->skip       ? "--skip"
           : o->stop_after ? "--stop-after"
           : o->elements   ? "--elements"
                           : NULL;
}

int dj_attribute_check(dj_context *context, const dj_attribute_options *o, enum dj_by *by, size_t *count)
{
    *count = 0;
    if (!dj_attribute_is_disabled(o))
        return o->by ? dj_by_parse(context, o->by, by, count) : DJ_OK;
    if (needs_places(o))
        return dj_fail(context, DJ_ERR_USAGE,
                       "--by none excludes --elements, --fresh-heap, --start-at and --within, which need "
                       "attribution");
    return DJ_OK;
}

bool dj_attribute_is_requested(const dj_attribute_options *o)
{
    return o->by || dj_attribute_selects_accesses(o);
}

bool dj_attribute_needs_places(const dj_attribute_options *o)
{
    return o->by || needs_places(o);
}

int dj_attribute_request(dj_context *context, const dj_attribute_options *o, const dj_cache_options *caches,
                         uint64_t block_bytes, bool places, dj_request_caches *storage, dj_request *request)
{
    request->places = places;
    request->elements = o->elements;
    request->statements = o->statements;
    request->fresh_heap = o->fresh_heap;
    request->start_at = o->start_at;
    request->within = o->within;
    request->symbols = o->symbols;
    request->skip = o->skip;
    request->stop_after = o->stop_after;
    // Without attribution, caches matter only when the profile is printed.
    if (!block_bytes || (!places && !o->statements && !o->skip && !o->stop_after))
        return DJ_OK;
    int err = dj_caches_for_blocks(context, caches, block_bytes, &storage->found);
    if (!err)
        dj_attribute_request_caches(storage, block_bytes, request);
    return err;
}

int dj_attribute_request_simulated(dj_context *context, const dj_cache_options *caches, uint64_t block_bytes,
                                   bool by_default, const char *unfit, dj_request_caches *storage,
                                   dj_request *request)
{
    if (!block_bytes)
        return DJ_OK;
    bool simulate = false;
    int err = dj_caches_for_blocks(context, caches, block_bytes, &storage->found);
    if (!err)
        err = dj_caches_simulate(context, caches, &storage->found, by_default && request->places, unfit,
                                 &simulate);
    if (err || !simulate)
        return err;
    dj_caches_sort(&storage->found);
    for (size_t i = 0; i < storage->found.count; i++) {
        const dj_cache_shape *shape = &storage->found.shapes[i];
        storage->levels[i] = (dj_hierarchy_level){shape->name, shape->size_blocks, shape->ways};
    }
    request->levels = storage->levels;
    request->level_count = storage->found.count;
    return DJ_OK;
}

void dj_attribute_request_caches(dj_request_caches *storage, uint64_t block_bytes, dj_request *request)
{
    dj_caches_sort(&storage->found);
    for (size_t i = 0; i < storage->found.count; i++) {
        const dj_cache_shape *shape = &storage->found.shapes[i];
        storage->sizes[i] = (dj_cache_size){shape->name, shape->size_blocks * block_bytes};
    }
    request->caches = storage->sizes;
    request->cache_count = storage->found.count;
}
