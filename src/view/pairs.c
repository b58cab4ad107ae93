// SPDX-License-Identifier: MIT
// Section `pairs`: which phases, sharers and hills of two profiles correspond.
#include <deja/phases.h>
#include <deja/predict.h>
#include <deja/sharing.h>

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "profile/fields.h"
#include "view/parts.h"
#include "view/sharers.h"

typedef struct pair {
    uint32_t before, after;
} pair;

typedef struct pairs {
    pair *phases, *sharers, *hills;
    size_t phase_count, sharer_count, hill_count;
} pairs;

static const dj_field pair_fields[] = {
    DJ_AT(U32, "before", pair, before),
    DJ_AT(U32, "after", pair, after),
    DJ_END,
};
static const dj_table pair_table = {pair_fields, sizeof(pair), DJ_ROW_OBJECT};
static const dj_field fields[] = {
    {DJ_FIELD_ROWS("phases", pairs, phases, phase_count, pair_table)},
    {DJ_FIELD_ROWS("sharers", pairs, sharers, sharer_count, pair_table)},
    {DJ_FIELD_ROWS("hills", pairs, hills, hill_count, pair_table)},
    DJ_END,
};

static const dj_windows *windows_of(const dj_profile *profile)
{
    const dj_windows *windows = dj_lane_windows(&profile->lanes[0]);
    return windows && windows->count > 0 ? windows : NULL;
}

static int pair_phases(dj_context *context, dj_profile *const profiles[DJ_VIEW_PROFILES], dj_arena *arena,
                       pairs *to)
{
    const dj_windows *windows[] = {windows_of(profiles[0]), windows_of(profiles[1])};
    dj_phase_list lists[DJ_VIEW_PROFILES] = {{0}, {0}};
    size_t match[DJ_PHASES_MOST];
    if (!windows[0] || !windows[1])
        return DJ_OK;
    int err = dj_phases_find(context, windows[0], &lists[0]);
    if (!err)
        err = dj_phases_find(context, windows[1], &lists[1]);
    to->phases = err ? NULL : dj_arena_alloc(arena, lists[0].phase_count + 1, sizeof *to->phases);
    if (to->phases) {
        dj_phases_match(&lists[0], &lists[1], match);
        for (size_t i = 0; i < lists[0].phase_count; i++)
            if (match[i] != SIZE_MAX)
                to->phases[to->phase_count++] = (pair){(uint32_t)i, (uint32_t)match[i]};
    }
    dj_phase_list_free(&lists[0]);
    dj_phase_list_free(&lists[1]);
    return err;
}

// Threads are numbered in the order in which they are created; programs have names.
static bool corresponds(const dj_sharer_profile *a, const dj_sharer_profile *b)
{
    if (a->is_thread != b->is_thread)
        return false;
    return a->is_thread ? a->thread == b->thread : a->name && b->name && strcmp(a->name, b->name) == 0;
}

// Those that a page has; the others are one sharer in it, which corresponds to none.
static int pair_sharers(dj_context *context, dj_profile *const profiles[DJ_VIEW_PROFILES], dj_arena *arena,
                        pairs *to)
{
    const dj_sharing *before = dj_profile_sharing(profiles[0]), *after = dj_profile_sharing(profiles[1]);
    dj_view_sharers chosen[DJ_VIEW_PROFILES] = {{.count = 0}, {.count = 0}};
    if (!before || !after)
        return DJ_OK;
    int err = dj_view_sharers_choose(context, before, &chosen[0]);
    if (!err)
        err = dj_view_sharers_choose(context, after, &chosen[1]);
    to->sharers = err ? NULL : dj_arena_alloc(arena, before->count + 1, sizeof *to->sharers);
    bool *taken = dj_arena_alloc(arena, after->count + 1, sizeof *taken);
    for (size_t i = 0; to->sharers && taken && i < before->count; i++) {
        if (!dj_view_is_shown(&chosen[0], before, i))
            continue;
        for (size_t j = 0; j < after->count; j++)
            if (!taken[j] && dj_view_is_shown(&chosen[1], after, j) &&
                corresponds(&before->sharers[i], &after->sharers[j])) {
                taken[j] = true;
                to->sharers[to->sharer_count++] = (pair){chosen[0].index_of[i], chosen[1].index_of[j]};
                break;
            }
    }
    dj_view_sharers_free(&chosen[0]);
    dj_view_sharers_free(&chosen[1]);
    return err;
}

// How many doublings of the distance two hills have in common.
static double overlap(const dj_hill *a, const dj_hill *b)
{
    const double lo = (double)(a->lo > b->lo ? a->lo : b->lo), hi = (double)(a->hi < b->hi ? a->hi : b->hi);
    return lo <= hi ? log2((hi + 2) / (lo + 1)) : 0;
}

// The hill that has most in common with `hill`; the number of hills if there is none.
static size_t closest(const dj_hill *hill, const dj_hills *hills)
{
    size_t best = hills->count;
    double most = 0;
    for (size_t i = 0; i < hills->count; i++) {
        const double common = overlap(hill, &hills->list[i]);
        if (common > most) {
            best = i;
            most = common;
        }
    }
    return best;
}

// Hills correspond if each of them has most in common with the other.
static int pair_hills(dj_context *context, dj_profile *const profiles[DJ_VIEW_PROFILES],
                      const dj_view_breakdowns *const sides[DJ_VIEW_PROFILES], dj_arena *arena, pairs *to)
{
    dj_hills *made[DJ_VIEW_PROFILES] = {NULL, NULL};
    const dj_hills *hills[DJ_VIEW_PROFILES];
    int err = DJ_OK;
    for (int i = 0; !err && i < DJ_VIEW_PROFILES; i++) {
        if (!sides[i])
            err = dj_hills_find(context, profiles[i], &made[i]);
        hills[i] = sides[i] ? sides[i]->hills : made[i];
    }
    to->hills = err ? NULL : dj_arena_alloc(arena, hills[0]->count + 1, sizeof *to->hills);
    for (size_t i = 0; to->hills && i < hills[0]->count; i++) {
        const size_t j = closest(&hills[0]->list[i], hills[1]);
        if (j < hills[1]->count && closest(&hills[1]->list[j], hills[0]) == i)
            to->hills[to->hill_count++] = (pair){(uint32_t)i, (uint32_t)j};
    }
    dj_hills_destroy(made[0]);
    dj_hills_destroy(made[1]);
    return err;
}

int dj_view_add_pairs(dj_view_sections *sections, const dj_view_request *request,
                      const dj_view_breakdowns *const sides[DJ_SIDES])
{
    dj_arena arena = {0};
    pairs all = {.phase_count = 0};
    int err = pair_phases(sections->context, request->profiles, &arena, &all);
    if (!err)
        err = pair_hills(sections->context, request->profiles, sides, &arena, &all);
    if (!err)
        err = pair_sharers(sections->context, request->profiles, &arena, &all);
    if (!err && arena.failed)
        err = dj_fail_memory(sections->context, "a page", 0);
    if (!err && all.phase_count + all.sharer_count + all.hill_count > 0)
        err = dj_view_add(sections, "pairs", DJ_VIEW_VERSION, 0, fields, &all);
    dj_arena_free(&arena);
    return err;
}
