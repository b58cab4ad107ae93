// SPDX-License-Identifier: MIT
#include "measure/request.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/tracers.h"
#include "measure/filters.h"
#include "measure/spatial.h"
#include "trace/source/bursts.h"

// Reuses of sharers from this distance on are long, if no cache says which are.
enum { LONG_FROM = 512 };

struct dj_prepared {
    dj_measurement measurement;
    uint64_t *blocks;
    size_t block_count, block_capacity;
    dj_cache_size *caches; // increasing in blocks, without duplicates
    size_t cache_count;
    dj_observer_list observers;
    dj_source *bursts; // NULL: everything is read
    // Options of the observers.
    dj_hierarchy_options hierarchy;
    dj_spatial_cache_size *spatial_caches;
    dj_spatial_options spatial;
    dj_usage_options usage;
};

static int add_observer(dj_context *context, dj_observer_list *list, dj_observer_choice observer)
{
    int err = dj_grow(context, "the observers", &list->items, &list->capacity, list->count + 1,
                      sizeof *list->items);
    if (!err)
        list->items[list->count++] = observer;
    return err;
}

int dj_observer_list_add(dj_context *context, dj_observer_list *list, const char *name, const void *options)
{
    const dj_observer_ops *ops = dj_observer_find(name);
    return ops ? add_observer(context, list, (dj_observer_choice){ops, options})
               : dj_fail(context, DJ_ERR_USAGE, "unknown observer '%s'", name);
}

void dj_observer_list_free(dj_observer_list *list)
{
    free(list->items);
    *list = (dj_observer_list){0};
}

static int add_block(dj_context *context, dj_prepared *p, uint64_t block)
{
    int err = dj_grow(context, "block sizes", &p->blocks, &p->block_capacity, p->block_count + 1,
                      sizeof *p->blocks);
    if (!err)
        p->blocks[p->block_count++] = block;
    return err;
}

static int choose_blocks(dj_context *context, const dj_request *request, const dj_source_info *info,
                         dj_prepared *p)
{
    uint64_t first = info->default_block, last = first;
    int err = DJ_OK;
    for (size_t i = 0; !err && i < request->block_count; i++)
        err = add_block(context, p, request->blocks[i]);
    if (err || request->block_count > 0)
        return err;
    if (request->spatial)
        dj_spatial_default_blocks(info, &first, &last);
    for (uint64_t block = first; !err && block <= last; block *= 2)
        err = add_block(context, p, block);
    return err;
}

// Both halves of a larger block are visible only if an access counts in each block that it touches.
static bool choose_split(const dj_request *request, const dj_source_info *info)
{
    bool by_default = info->default_split || (request->spatial && info->kind == DJ_CLASS_MEMORY);
    return request->splitting == DJ_SPLIT_DEFAULT ? by_default : request->splitting == DJ_SPLIT_EACH;
}

// A cache smaller than a block cannot hold any of these blocks.
static int choose_caches(dj_context *context, const dj_request *request, dj_prepared *p)
{
    uint64_t block = p->blocks[0];
    p->caches = calloc(request->cache_count + 1, sizeof *p->caches);
    if (!p->caches)
        return dj_fail_memory(context, "the caches", 0);
    for (size_t i = 0; i < request->cache_count; i++) {
        dj_cache_size cache = request->caches[i];
        size_t at = p->cache_count;
        while (at > 0 && p->caches[at - 1].bytes / block > cache.bytes / block)
            at--;
        if (cache.bytes < block || (at > 0 && p->caches[at - 1].bytes / block == cache.bytes / block))
            continue;
        memmove(p->caches + at + 1, p->caches + at, (p->cache_count - at) * sizeof cache);
        p->caches[at] = cache;
        p->cache_count++;
    }
    return DJ_OK;
}

static int add_hierarchy(dj_context *context, const dj_request *request, dj_prepared *p)
{
    p->hierarchy = (dj_hierarchy_options){
        .levels = request->levels, .level_count = request->level_count, .by_place = request->places};
    int err = dj_observer_list_add(context, &p->observers, "hierarchy", &p->hierarchy);
    return err || !request->places ? err
                                   : dj_observer_list_add(context, &p->observers, "hierarchy-places", NULL);
}

// Without places there is no code or data to attribute to, and without bytes line utilization is
// undefined.
static int add_spatial_observers(dj_context *context, const dj_request *request, const dj_source_info *info,
                                 dj_prepared *p)
{
    p->spatial_caches = calloc(p->cache_count + 1, sizeof *p->spatial_caches);
    if (!p->spatial_caches)
        return dj_fail_memory(context, "the caches", 0);
    p->spatial = (dj_spatial_options){.caches = p->spatial_caches};
    for (size_t i = 0; info->unit_bytes && i < p->cache_count; i++)
        p->spatial_caches[p->spatial.cache_count++] =
            (dj_spatial_cache_size){(char *)(uintptr_t)p->caches[i].name, p->caches[i].bytes};
    p->usage =
        dj_spatial_usage(request->spatial, p->blocks, p->block_count, p->caches, p->spatial.cache_count);
    int err = dj_observer_list_add(context, &p->observers, "spatial", &p->spatial);
    if (!err && request->places)
        err = dj_observer_list_add(context, &p->observers, "spatial-places", &p->spatial);
    if (!err && request->places && info->unit_bytes)
        err = dj_observer_list_add(context, &p->observers, "usage", &p->usage);
    return err;
}

// Whether only bursts of the trace or of the program are read.
static bool is_in_bursts(const dj_request *request)
{
    bool traced = request->bursts != NULL;
    for (size_t i = 0; i < request->observer_count; i++)
        traced = traced || request->observers[i].ops == dj_observer_find("tracing");
    return traced;
}

// They refine what the others have found.
static int add_burst_observers(dj_context *context, const dj_request *request, dj_prepared *p)
{
    int err = request->bursts ? dj_observer_list_add(context, &p->observers, "tracing", NULL) : DJ_OK;
    if (!err && request->spatial && is_in_bursts(request))
        err = dj_observer_list_add(context, &p->observers, "spatial-bursts", &p->spatial);
    return err;
}

static int choose_observers(dj_context *context, const dj_request *request, const dj_source_info *info,
                            dj_prepared *p)
{
    int err = dj_observer_list_add(context, &p->observers, "histogram", NULL);
    if (!err)
        err = dj_observer_list_add(context, &p->observers, "traffic", NULL);
    if (!err && request->spatial)
        err = add_spatial_observers(context, request, info, p);
    if (!err && request->level_count > 0)
        err = add_hierarchy(context, request, p);
    if (!err && request->partition != DJ_PARTITION_NONE)
        err = dj_observer_list_add(context, &p->observers, "partitions", NULL);
    for (size_t i = 0; !err && i < request->observer_count; i++)
        err = add_observer(context, &p->observers, request->observers[i]);
    return err ? err : add_burst_observers(context, request, p);
}

bool dj_request_selects(const dj_request *r)
{
    return r->fresh_heap || r->start_at || r->within || r->skip || r->stop_after;
}

// The filters, if one of them samples and nothing between the locator and the lanes changes blocks or drops
// accesses.
static dj_sampled_options sampled_by(const dj_request *r, const dj_prepared *p, const dj_source_info *info)
{
    const dj_measurement filters = {.filters = r->filters, .filter_count = r->filter_count};
    if (!r->places || !dj_filters_sample(&filters) || dj_request_selects(r) || r->statements || r->sharing)
        return (dj_sampled_options){0};
    return (dj_sampled_options){.filters = r->filters,
                                .filter_count = r->filter_count,
                                .largest_block = p->blocks[p->block_count - 1],
                                .split_block = choose_split(r, info) ? p->blocks[0] : 0};
}

// From which distance on reuses are long, if there are no cuts. Caches of sharers are not cuts, but reuses
// beyond the smallest of them are long.
static uint64_t long_from(const dj_request *r, const dj_prepared *p, bool elements)
{
    const dj_sharing_request *sharing = r->sharing;
    if (!sharing)
        return elements ? DJ_LONG_ELEMENTS : 0;
    return sharing->cache_count ? sharing->caches[0].bytes / p->blocks[0] : LONG_FROM;
}

// Maps are exact and need every access; threads in another order have lost their offsets.
static const char *excludes_elements(const dj_request *r)
{
    const dj_measurement filters = {.filters = r->filters, .filter_count = r->filter_count};
    return !r->places                    ? "an analysis without places"
           : dj_filters_sample(&filters) ? "a sample"
           : is_in_bursts(r)             ? "bursts"
           : r->sharing                  ? "caches that several programs or threads share"
                                         : NULL;
}

// Puts the requested stages around the source.
static int choose_attribution(dj_context *context, const dj_request *r, dj_source *source, dj_preparation how,
                              dj_prepared *p)
{
    if (!r->places && (r->fresh_heap || r->start_at || r->within))
        return dj_fail(context, DJ_ERR_USAGE, "start_at, within and fresh_heap need places");
    const char *other = r->elements ? excludes_elements(r) : NULL;
    if (other)
        return dj_fail(context, DJ_ERR_UNSUPPORTED,
                       "element maps cannot be combined with %s; leave out one of the two", other);
    if (!r->places && !r->statements && !r->skip && !r->stop_after)
        return DJ_OK;
    dj_attribute_cut *cuts = calloc(p->cache_count + 1, sizeof *cuts);
    if (!cuts)
        return dj_fail_memory(context, "the caches", 0);
    for (size_t i = 0; i < p->cache_count; i++)
        cuts[i] = (dj_attribute_cut){p->caches[i].name, p->caches[i].bytes / p->blocks[0]};
    const dj_source_info *info = dj_source_get_info(source);
    const bool elements = dj_tracer_counts_elements(info);
    const dj_attribute_config config = {.counting = {.start_at = r->start_at,
                                                     .within = r->within,
                                                     .skip = r->skip,
                                                     .stop_after = r->stop_after},
                                        .statements = !r->statements ? DJ_STATEMENTS_OFF
                                                      : elements     ? DJ_STATEMENTS_ANNOTATED
                                                                     : DJ_STATEMENTS_ANY,
                                        .mark_statements = how.mark_statements,
                                        .no_places = !r->places,
                                        .fresh_heap = r->fresh_heap,
                                        .offsets = r->elements,
                                        .symbols = r->symbols,
                                        .cuts = cuts,
                                        .cut_count = p->cache_count,
                                        .sampled = sampled_by(r, p, info),
                                        .long_from = long_from(r, p, elements)};
    int err = dj_attribute_create(context, &config, source, &p->measurement.attribute);
    free(cuts);
    return err;
}

static void fill_measurement(const dj_request *request, dj_source *source, bool ahead, dj_prepared *p)
{
    dj_measurement *m = &p->measurement;
    const dj_source_info *info = dj_source_get_info(source);
    m->source = source;
    m->ahead = ahead;
    m->blocks = p->blocks;
    m->block_count = p->block_count;
    m->split = choose_split(request, info);
    m->unit = dj_tracer_counts_elements(info) ? "element" : info->kind == DJ_CLASS_KEYS ? "key" : "block";
    m->observers = p->observers.items;
    m->observer_count = p->observers.count;
    m->filters = request->filters;
    m->filter_count = request->filter_count;
    m->partition = request->partition;
    m->sharing = request->sharing;
    m->inputs = request->inputs;
    m->input_count = request->input_count;
    m->command_line = request->command ? request->command : "";
    m->on_progress = request->on_progress;
    m->after_reading = request->after_reading;
    m->is_due = request->is_due;
    m->keep = request->keep;
    m->user = request->user;
}

int dj_request_prepare(dj_context *context, const dj_request *request, dj_source *source, dj_preparation how,
                       dj_prepared **out)
{
    const dj_source_info *info = dj_source_get_info(source);
    dj_prepared *p = calloc(1, sizeof *p);
    if (!p)
        return dj_fail_memory(context, "a measurement", sizeof *p);
    int err =
        dj_engine_preference_make(context, request->engine, request->engine_options, &p->measurement.engine);
    if (!err)
        err = choose_blocks(context, request, info, p);
    if (!err && p->blocks[0] == 0)
        err = dj_fail(context, DJ_ERR_USAGE, "a block cannot have 0 bytes");
    if (!err)
        err = choose_caches(context, request, p);
    if (!err)
        err = choose_observers(context, request, info, p);
    if (!err && request->bursts) {
        err = dj_burst_source(context, source, request->bursts->rate, request->bursts->seed, &p->bursts);
        source = p->bursts;
    }
    if (!err)
        err = choose_attribution(context, request, source, how, p);
    if (err) {
        dj_prepared_destroy(p);
        return err;
    }
    fill_measurement(request, source, how.ahead, p);
    *out = p;
    return DJ_OK;
}

const dj_measurement *dj_prepared_measurement(const dj_prepared *prepared)
{
    return &prepared->measurement;
}

void dj_prepared_destroy(dj_prepared *p)
{
    if (!p)
        return;
    dj_attribute_end(p->measurement.attribute);
    dj_source_close(p->bursts);
    dj_observer_list_free(&p->observers);
    free(p->spatial_caches);
    free(p->caches);
    free(p->blocks);
    free(p);
}
