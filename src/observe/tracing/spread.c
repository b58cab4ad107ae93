// SPDX-License-Identifier: MIT
// Observers `spread` and `slices`: the accesses of each place by group of bursts, or by slice of a sample of
// the blocks, in the tallies of observer `places`. The differences between the groups give the error of every
// sum over places. A burst belongs to the group with the fewest accesses so far, since some bursts are much
// longer than others.
#include <deja/observer_options.h>
#include <deja/tracing.h>

#include <math.h>
#include <stdlib.h>

#include "base/grow.h"
#include "base/verdicts.h"
#include "observe/observers.h"
#include "observe/sample_slices.h"
#include "profile/spread.h"

enum { LATER = DJ_SPREAD_GROUPS - 1 };

typedef struct burst {
    uint32_t number; // in column `device`
    uint32_t group;
    uint64_t length; // in units of the tracer
} burst;

typedef struct spread {
    dj_spread_kind kind;
    uint64_t *edges; // between levels, increasing
    size_t levels;
    // Seen as batches pass.
    burst *ended;
    size_t ended_count, ended_capacity;
    uint32_t gaps;
    // Seen with distances.
    burst *begun;
    size_t begun_count, begun_capacity;
    uint64_t accesses[DJ_SPREAD_GROUPS]; // of each group
    uint64_t unknown;                    // of the current burst
    uint32_t number, group;
    uint32_t **places; // counts of each; NULL: none yet
    size_t place_capacity;
} spread;

static void destroy(void *state)
{
    spread *s = state;
    for (size_t i = 0; s && i < s->place_capacity; i++)
        free(s->places[i]);
    if (s) {
        free(s->places);
        free(s->begun);
        free(s->ended);
        free(s->edges);
    }
    free(s);
}

static dj_spread_kind kind_of(const dj_setup *setup)
{
    const dj_lane_id *first = &setup->lanes[0], *last = &setup->lanes[setup->lane_count - 1];
    return (dj_spread_kind){first->sampling < 1 ? (unsigned)-lround(log2(first->sampling)) : 0,
                            (double)last->block_bytes / (double)first->block_bytes};
}

static int by_value(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

static int create(dj_context *context, const dj_setup *setup, void **state)
{
    const dj_places_options *o = setup->options;
    spread *s = o ? calloc(1, sizeof *s) : NULL;
    uint64_t *edges = s ? calloc(DJ_SPREAD_EDGES * (o->cut_count + 1), sizeof *edges) : NULL;
    if (!edges) {
        free(s);
        return o ? dj_fail_memory(context, "the bursts", sizeof *s)
                 : dj_fail(context, DJ_ERR_USAGE, "observer spread needs the options of observer places");
    }
    s->kind = kind_of(setup);
    s->edges = edges;
    s->levels = 1;
    for (size_t i = 0; i < o->cut_count; i++)
        s->levels += dj_spread_edges(&s->kind, o->cuts[i], edges + s->levels - 1);
    qsort(edges, s->levels - 1, sizeof *edges, by_value);
    *state = s;
    return DJ_OK;
}

static size_t counts_of_place(const spread *s)
{
    return DJ_SPREAD_GROUPS * 2 * s->levels;
}

// The source numbers bursts by the gaps before them.
static int watch(void *state, dj_context *context, const dj_view *view)
{
    spread *s = state;
    int err = DJ_OK;
    for (uint32_t i = 0; !err && i < view->batch->event_count; i++) {
        const dj_event *event = &view->batch->events[i];
        if (event->type != DJ_EVENT_GAP)
            continue;
        if (event->c) {
            err = dj_grow(context, "the bursts", &s->ended, &s->ended_capacity, s->ended_count + 1,
                          sizeof *s->ended);
            if (!err)
                s->ended[s->ended_count++] = (burst){s->gaps, 0, event->c};
        }
        s->gaps++;
    }
    return err;
}

static int begin_burst(spread *s, dj_context *context, uint32_t number)
{
    s->number = number;
    s->unknown = 0;
    s->group = 1;
    for (uint32_t g = 2; g < DJ_SPREAD_GROUPS; g++)
        if (s->accesses[g] < s->accesses[s->group])
            s->group = g;
    int err =
        dj_grow(context, "the bursts", &s->begun, &s->begun_capacity, s->begun_count + 1, sizeof *s->begun);
    if (!err)
        s->begun[s->begun_count++] = (burst){number, s->group, 0};
    return err;
}

static int find_place(spread *s, dj_context *context, uint32_t place, uint32_t **out)
{
    int err = place < s->place_capacity ? DJ_OK
                                        : dj_grow(context, "the bursts of places", &s->places,
                                                  &s->place_capacity, (size_t)place + 1, sizeof *s->places);
    if (!err && !s->places[place]) {
        s->places[place] = calloc(counts_of_place(s), sizeof **s->places);
        if (!s->places[place])
            err = dj_fail_memory(context, "the bursts of places", counts_of_place(s) * sizeof **s->places);
    }
    *out = err ? NULL : s->places[place];
    return err;
}

static size_t level_of(const spread *s, uint64_t distance)
{
    size_t level = 0;
    while (level + 1 < s->levels && distance >= s->edges[level])
        level++;
    return level;
}

static int add(spread *s, dj_context *context, uint32_t place, bool unknown, size_t level)
{
    uint32_t *counts;
    int err = find_place(s, context, place, &counts);
    if (err)
        return err;
    uint32_t *count = &counts[(2 * s->group + unknown) * s->levels + level];
    *count += *count < UINT32_MAX;
    return DJ_OK;
}

// The blocks of one block of the largest size are in the same slice.
static int see_sample(void *state, dj_context *context, const dj_view *view)
{
    spread *s = state;
    const dj_lane_view *lane = &view->lanes[0];
    const uint64_t *largest = view->lanes[view->lane_count - 1].key;
    const uint32_t count = view->batch->count;
    int err = DJ_OK;
    for (uint32_t i = 0; !err && i < count; i++) {
        i = lane->verdict ? dj_skip_absent(lane->verdict, i, count) : i;
        if (i == count || (lane->verdict && lane->verdict[i] != DJ_VERDICT_COUNT))
            continue;
        s->group = 1 + dj_sample_slice(largest[i]);
        err = add(s, context, view->batch->column.place[i], false, level_of(s, lane->distance[i]));
    }
    return err;
}

static int see(void *state, dj_context *context, const dj_view *view)
{
    spread *s = state;
    const dj_batch *batch = view->batch;
    const uint32_t *device = batch->column.device;
    const uint64_t *distance = view->lanes[0].distance;
    int err = DJ_OK;
    for (uint32_t i = 0; !err && i < batch->count; i++) {
        if (device && device[i] != s->number)
            err = begin_burst(s, context, device[i]);
        const bool unknown = distance[i] == DJ_COLD;
        const size_t level = level_of(s, unknown ? s->unknown : distance[i]);
        if (!err)
            err = add(s, context, batch->column.place[i], unknown, level);
        s->unknown += unknown;
        s->accesses[s->group]++;
    }
    return err;
}

static uint32_t shortest(const uint64_t *lengths)
{
    uint32_t group = 0;
    for (uint32_t g = 1; g < LATER; g++)
        group = lengths[g] < lengths[group] ? g : group;
    return group;
}

// Both lists are in order. A burst that made no access has no group yet.
static void sum_lengths(const spread *s, uint64_t *lengths)
{
    size_t at = 0;
    for (size_t i = 0; i < s->ended_count; i++) {
        const burst *ended = &s->ended[i];
        while (at < s->begun_count && s->begun[at].number < ended->number)
            at++;
        const bool known = at < s->begun_count && s->begun[at].number == ended->number;
        if (ended->number > 0)
            lengths[known ? s->begun[at].group - 1 : shortest(lengths)] += ended->length;
    }
}

// All bursts are the same part of their interval.
static double longest_part(const spread *s)
{
    double longest = 0, all = 0;
    for (size_t i = 0; i < s->ended_count; i++) {
        const double length = s->ended[i].number > 0 ? (double)s->ended[i].length : 0;
        longest = length > longest ? length : longest;
        all += length;
    }
    return all > 0 ? longest / all : 1;
}

static int put_place(const spread *s, dj_context *context, const uint32_t *counts, dj_tally *tally)
{
    size_t count = counts_of_place(s);
    while (count > 0 && counts[count - 1] == 0)
        count--;
    int err = dj_spread_create(context, count, &tally->spread);
    for (size_t i = 0; !err && i < count; i++)
        tally->spread->counts[i] = counts[i];
    return err;
}

static int put_groups(const spread *s, dj_context *context, dj_tracing *tracing)
{
    tracing->groups = calloc(LATER, sizeof *tracing->groups);
    if (!tracing->groups)
        return dj_fail_memory(context, "the bursts", LATER * sizeof *tracing->groups);
    tracing->group_count = LATER;
    sum_lengths(s, tracing->groups);
    tracing->longest = longest_part(s);
    return DJ_OK;
}

static int finish(void *state, dj_context *context, dj_profile *profile)
{
    const spread *s = state;
    dj_tracing *tracing = dj_lane_section(&profile->lanes[0], &dj_section_tracing);
    dj_attribution *a = dj_profile_attribution(profile);
    if (!a || (!tracing && s->kind.weight_log2 == 0))
        return DJ_OK;
    int err = tracing ? put_groups(s, context, tracing) : DJ_OK;
    for (size_t i = 0; !err && i < a->place_count && i < s->place_capacity; i++)
        if (s->places[i])
            err = put_place(s, context, s->places[i], &a->places[i].tally);
    return err;
}

static const dj_section_ops *const after_tracing[] = {&dj_section_attribution, &dj_section_tracing, NULL};
static const dj_section_ops *const after_places[] = {&dj_section_attribution, NULL};

const dj_observer_ops dj_observer_spread = {
    .name = "spread",
    .summary = "how much the bursts of a run differ, by place",
    .needs = DJ_NEED_PER_ACCESS,
    .fills = &dj_section_attribution,
    .after = after_tracing,
    .create = create,
    .destroy = destroy,
    .watch = watch,
    .see = see,
    .finish = finish,
};

const dj_observer_ops dj_observer_slices = {
    .name = "slices",
    .summary = "how much the slices of a sample differ, by place",
    .needs = DJ_NEED_PER_ACCESS,
    .fills = &dj_section_attribution,
    .after = after_places,
    .create = create,
    .destroy = destroy,
    .see = see_sample,
    .weighs = true,
    .finish = finish,
};
