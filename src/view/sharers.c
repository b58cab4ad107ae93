// SPDX-License-Identifier: MIT
#include "view/sharers.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/arena.h"
#include "profile/fields.h"
#include "view/cut.h"
#include "view/histograms.h"

// Up to ALL_SHOWN, every one is in the page; their classes of blocks are known, too.
enum { ALL_SHOWN = 64, SHOWN_MOST = 63, DISTANCES = 3, DISTANCES_LEAST = 4096 };

int dj_view_sharers_choose(dj_context *context, const dj_sharing *sharing, dj_view_sharers *out)
{
    dj_view_cut cut = {.count = 0};
    *out = (dj_view_sharers){.index_of = malloc((sharing->count + 1) * sizeof *out->index_of)};
    if (!out->index_of)
        return dj_fail_memory(context, "a page", sharing->count * sizeof *out->index_of);
    const bool all = sharing->count <= ALL_SHOWN;
    int err = all ? DJ_OK : dj_view_cut_create(context, sharing->count, SHOWN_MOST, &cut);
    for (size_t i = 0; !err && !all && i < sharing->count; i++)
        cut.weights[i] = sharing->sharers[i].standalone.lane.accesses;
    if (!err && !all)
        dj_view_cut_keep(&cut);
    for (size_t i = 0; !err && i < sharing->count; i++)
        out->index_of[i] = all || cut.kept[i] ? (uint32_t)out->count++ : DJ_NOWHERE;
    for (size_t i = 0; !err && i < sharing->count; i++)
        if (out->index_of[i] == DJ_NOWHERE)
            out->index_of[i] = (uint32_t)out->count;
    out->count += !all;
    dj_view_cut_free(&cut);
    if (err)
        dj_view_sharers_free(out);
    return err;
}

bool dj_view_is_shown(const dj_view_sharers *sharers, const dj_sharing *sharing, size_t sharer)
{
    return sharers->count >= sharing->count || sharers->index_of[sharer] + 1 < sharers->count;
}

void dj_view_sharers_free(dj_view_sharers *sharers)
{
    free(sharers->index_of);
    *sharers = (dj_view_sharers){.count = 0};
}

// The section while it is made. Histograms that the profile does not have belong to it.
typedef struct made {
    dj_context *context;
    const dj_sharing *from;
    dj_view_sharers chosen;
    dj_sharing shown;
    dj_sharer_profile rest;
    dj_histogram **owned;
    size_t owned_count;
    char name[48];
    dj_arena arena;
} made;

static dj_sharer_distances *distances_of(dj_sharer_profile *sharer, size_t which)
{
    dj_sharer_distances *const fixed[] = {&sharer->standalone, &sharer->concurrent, &sharer->separate};
    return which < DISTANCES ? fixed[which] : &sharer->groups[which - DISTANCES];
}

static int merge(made *m, dj_sharer_distances *to, const dj_sharer_distances *from)
{
    int err = DJ_OK;
    if (!to->lane.distance) {
        err = dj_histogram_create(m->context, &to->lane.distance);
        if (err)
            return err;
        m->owned[m->owned_count++] = to->lane.distance;
    }
    to->sharers_per_cache = from->sharers_per_cache;
    to->lane.accesses += from->lane.accesses;
    to->lane.distinct += from->lane.distinct;
    to->lane.cold += from->lane.cold;
    to->lane.binned |= from->lane.binned;
    to->invalidated += from->invalidated;
    return dj_histogram_merge(to->lane.distance, m->context, from->lane.distance);
}

static int add_to_rest(made *m, dj_sharer_profile *from)
{
    dj_sharer_profile *to = &m->rest;
    to->blocks += from->blocks;
    to->shared += from->shared;
    to->shared_accesses += from->shared_accesses;
    to->cpu_seconds += from->cpu_seconds;
    to->native_cpu_seconds += from->native_cpu_seconds;
    to->kinds_unknown |= from->kinds_unknown;
    to->counts.broken += from->counts.broken;
    to->counts.shortened += from->counts.shortened;
    to->counts.stretched += from->counts.stretched;
    to->counts.found += from->counts.found;
    to->counts.true_sharing += from->counts.true_sharing;
    to->counts.false_sharing += from->counts.false_sharing;
    int err = DJ_OK;
    for (size_t i = 0; !err && i < DISTANCES + to->group_count && i < DISTANCES + from->group_count; i++)
        err = merge(m, distances_of(to, i), distances_of(from, i));
    return err;
}

// The more sharers, the fewer distances each may have.
static int shorten(made *m, dj_sharer_profile *sharer)
{
    const size_t most = DJ_VIEW_DISTANCES_MOST / (m->chosen.count + 1);
    dj_sharer_distances *groups = dj_arena_alloc(&m->arena, sharer->group_count + 1, sizeof *groups);
    int err = groups ? DJ_OK : dj_fail_memory(m->context, "a page", 0);
    for (size_t i = 0; !err && i < sharer->group_count; i++)
        groups[i] = sharer->groups[i];
    sharer->groups = groups;
    for (size_t i = 0; !err && i < DISTANCES + sharer->group_count; i++) {
        dj_lane_profile *lane = &distances_of(sharer, i)->lane;
        dj_histogram *binned = NULL;
        err = dj_view_bin(m->context, lane->distance, most < DISTANCES_LEAST ? DISTANCES_LEAST : most, NULL,
                          &binned);
        if (!binned)
            continue;
        lane->moments = dj_lane_moments(lane);
        lane->distance = binned;
        lane->binned = true;
        m->owned[m->owned_count++] = binned;
    }
    return err;
}

// Of how many histograms the section can have its own.
static size_t owned_most(const made *m, size_t groups)
{
    size_t most = 2 * (DISTANCES + groups);
    for (size_t i = 0; i < m->from->count; i++)
        most += DISTANCES + m->from->sharers[i].group_count;
    return most;
}

// Spreads are known of single sharers and of all, not of the others together.
static int choose_spreads(made *m)
{
    const dj_schedules *from = m->from->schedules;
    const size_t shown = m->chosen.count - 1;
    dj_schedules *to = dj_arena_alloc(&m->arena, 1, sizeof *to);
    if (to)
        *to = *from;
    dj_mean_range *distances = dj_arena_alloc(&m->arena, shown + 1, sizeof *distances);
    dj_schedule_misses *caches = dj_arena_alloc(&m->arena, from->cache_count + 1, sizeof *caches);
    for (size_t i = 0; distances && i < from->distance_count && i < m->from->count; i++)
        if (m->chosen.index_of[i] < shown)
            distances[m->chosen.index_of[i]] = from->distances[i];
    for (size_t c = 0; caches && c < from->cache_count; c++) {
        const dj_schedule_misses *cache = &from->caches[c];
        dj_count_range *sharers = dj_arena_alloc(&m->arena, shown + 1, sizeof *sharers);
        for (size_t i = 0; sharers && i < cache->count && i < m->from->count; i++)
            if (m->chosen.index_of[i] < shown)
                sharers[m->chosen.index_of[i]] = cache->sharers[i];
        caches[c] = *cache;
        caches[c].sharers = sharers;
        caches[c].count = shown;
    }
    if (m->arena.failed || !to)
        return dj_fail_memory(m->context, "a page", 0);
    to->distances = distances;
    to->distance_count = shown;
    to->caches = caches;
    m->shown.schedules = to;
    return DJ_OK;
}

// All sharers have the same, unless a file says otherwise.
static size_t fewest_groups(const dj_sharing *sharing)
{
    size_t fewest = sharing->count > 0 ? sharing->sharers[0].group_count : 0;
    for (size_t i = 1; i < sharing->count; i++)
        fewest = sharing->sharers[i].group_count < fewest ? sharing->sharers[i].group_count : fewest;
    return fewest;
}

static int fill(made *m)
{
    const dj_sharing *from = m->from;
    const size_t groups = fewest_groups(from);
    const bool cut = m->chosen.count < from->count;
    size_t left = 0;
    m->shown = *from;
    m->shown.count = m->chosen.count;
    m->shown.sharers = dj_arena_alloc(&m->arena, m->chosen.count + 1, sizeof *m->shown.sharers);
    m->owned = dj_arena_alloc(&m->arena, owned_most(m, groups), sizeof *m->owned);
    m->rest.groups = dj_arena_alloc(&m->arena, groups + 1, sizeof *m->rest.groups);
    m->rest.group_count = groups;
    if (m->arena.failed)
        return dj_fail_memory(m->context, "a page", 0);
    int err = DJ_OK;
    for (size_t i = 0; !err && i < from->count; i++) {
        const uint32_t at = m->chosen.index_of[i];
        if (cut && at + 1 == m->chosen.count) {
            left++;
            err = add_to_rest(m, &from->sharers[i]);
        } else
            m->shown.sharers[at] = from->sharers[i];
    }
    if (cut) {
        snprintf(m->name, sizeof m->name, "%zu more", left);
        m->rest.name = m->name;
        m->shown.sharers[m->chosen.count - 1] = m->rest;
    }
    for (size_t i = 0; !err && i < m->shown.count; i++)
        err = shorten(m, &m->shown.sharers[i]);
    return !err && cut && from->schedules ? choose_spreads(m) : err;
}

int dj_view_add_sharing(dj_view_sections *sections, const dj_sharing *sharing)
{
    const dj_section_ops *ops = &dj_section_sharing;
    made m = {.context = sections->context, .from = sharing};
    int err = dj_view_sharers_choose(m.context, sharing, &m.chosen);
    if (!err)
        err = fill(&m);
    if (!err)
        err = dj_view_add(sections, ops->name, ops->version, 0, ops->table.fields, &m.shown);
    for (size_t i = 0; i < m.owned_count; i++)
        dj_histogram_destroy(m.owned[i]);
    dj_view_sharers_free(&m.chosen);
    dj_arena_free(&m.arena);
    return err;
}
