// SPDX-License-Identifier: MIT
#include "measure/sharing.h"

#include <deja/sharers.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/text.h"
#include "base/tracers.h"

enum { ORDER_BYTES = 256, THREAD_BYTES = 32 };

// The numbers of sharers per cache besides one and all, once each.
static void choose_widths(const dj_sharing_request *request, dj_sharing_plan *plan)
{
    plan->sharers_per_cache[0] = 1;
    plan->options = (dj_sharing_options){
        .sharers_per_cache = plan->sharers_per_cache, .count = 1, .only_distances = request->only_distances};
    for (size_t i = 0; i < request->cache_count; i++) {
        uint32_t width = request->caches[i].sharers;
        bool known = width >= DJ_SHARED_BY_ALL;
        for (size_t k = 0; k < plan->options.count; k++)
            known |= plan->sharers_per_cache[k] == width;
        if (!known)
            plan->sharers_per_cache[plan->options.count++] = width;
    }
}

// Misses of all caches of the machine are counted by place.
static void choose_cuts(const dj_sharing_request *request, uint64_t block_bytes, const dj_place_table *places,
                        dj_sharing_plan *plan)
{
    plan->options.places = places;
    plan->options.cuts = plan->cuts;
    plan->options.cut_count = request->cache_count;
    for (size_t i = 0; i < request->cache_count; i++) {
        const dj_shared_cache *cache = &request->caches[i];
        plan->cuts[i] = (dj_sharing_cut){cache->bytes / block_bytes,
                                         cache->sharers >= DJ_SHARED_BY_ALL ? 0 : cache->sharers};
    }
}

int dj_sharing_plan_make(dj_context *context, const dj_sharing_request *request, const dj_lane_group *group,
                         const dj_place_table *places, dj_sharing_plan *plan)
{
    *plan = (dj_sharing_plan){.groups = calloc(request->cache_count + 3, sizeof *plan->groups),
                              .sharers_per_cache = calloc(request->cache_count + 1, sizeof(uint32_t)),
                              .cuts = calloc(request->cache_count + 1, sizeof *plan->cuts)};
    if (!plan->groups || !plan->sharers_per_cache || !plan->cuts)
        return dj_fail_memory(context, "the shared caches", 0);
    choose_widths(request, plan);
    choose_cuts(request, group->blocks[0], places, plan);
    plan->joint.lanes = 1 << DJ_LANE_OWN;
    plan->group_count = DJ_LANE_COHERENT + plan->options.count;
    for (size_t i = 0; i < plan->group_count; i++) {
        plan->groups[i] = *group;
        plan->groups[i].partition = i > DJ_LANE_SHARED ? DJ_PARTITION_CACHE : DJ_PARTITION_NONE;
        plan->groups[i].coherent = i >= DJ_LANE_COHERENT;
        plan->groups[i].sharers_per_cache =
            i >= DJ_LANE_COHERENT ? plan->sharers_per_cache[i - DJ_LANE_COHERENT] : 1;
    }
    return DJ_OK;
}

void dj_sharing_plan_free(dj_sharing_plan *plan)
{
    free(plan->groups);
    free(plan->sharers_per_cache);
    free(plan->cuts);
    *plan = (dj_sharing_plan){0};
}

// Threads without a name are numbered.
static int name_sharer(dj_context *context, const dj_sharing_request *request, const dj_sharer *sharer,
                       char **out)
{
    char text[THREAD_BYTES];
    if (!request->by_thread || (sharer->name && *sharer->name))
        return dj_copy_text(context, sharer->name, out);
    snprintf(text, sizeof text, "thread %" PRIu64, sharer->thread);
    return dj_copy_text(context, text, out);
}

static void add_times(const dj_sharing_request *request, dj_sharer_profile *sharer)
{
    for (size_t i = 0; i < request->thread_count; i++)
        if (request->threads[i].thread == sharer->thread) {
            sharer->cpu_seconds = request->threads[i].cpu_seconds;
            sharer->native_cpu_seconds = request->threads[i].native_cpu_seconds;
        }
}

// A merged source has no events from which the pipeline could tell.
static int name_thread_order(dj_context *context, const dj_sharing_request *request, const dj_source *source,
                             size_t count, dj_provenance *from)
{
    if (!request->by_thread || request->interleave.order != DJ_INTERLEAVE_RECORDED || count < 2)
        return DJ_OK;
    free(from->thread_order);
    from->thread_order = NULL;
    return dj_copy_text(context, dj_tracer_thread_order(dj_source_get_info(source)->tracer),
                        &from->thread_order);
}

int dj_sharing_name(dj_context *context, const dj_sharing_request *request, const dj_source *source,
                    dj_profile *profile)
{
    dj_sharing *s = dj_profile_sharing(profile);
    size_t count;
    char order[ORDER_BYTES];
    const dj_sharer *sharers = dj_source_sharers(source, &count);
    dj_interleave_describe(&request->interleave, request->by_thread, order, sizeof order);
    free(s->order);
    s->order = NULL;
    s->random = request->interleave.order == DJ_INTERLEAVE_RANDOM ||
                request->interleave.order == DJ_INTERLEAVE_SCHEDULE;
    int err = dj_copy_text(context, order, &s->order);
    for (size_t i = 0; !err && i < s->count && i < count; i++) {
        free(s->sharers[i].name);
        s->sharers[i].name = NULL;
        s->sharers[i].is_thread = request->by_thread && sharers[i].thread != DJ_NO_THREAD;
        s->sharers[i].thread = s->sharers[i].is_thread ? sharers[i].thread : 0;
        s->sharers[i].speed = sharers[i].speed;
        s->sharers[i].kinds_unknown = sharers[i].kinds_unknown;
        add_times(request, &s->sharers[i]);
        err = name_sharer(context, request, &sharers[i], &s->sharers[i].name);
    }
    if (!err)
        err = name_thread_order(context, request, source, count, &profile->provenance);
    return err ? err : dj_sharing_set_caches(context, s, request->caches, request->cache_count);
}
