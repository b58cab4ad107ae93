// SPDX-License-Identifier: MIT
// Observer `spatial-bursts`: spatial locality of a trace or run of which only bursts were read. Turns what
// observers `spatial` and `spatial-places` have counted in the bursts into an estimate for all of it.
//
// The number of reuses at each distance is what observer `tracing` estimates. How they change when the block
// size doubles is known from those reuses at that distance that a burst could follow.
#include <math.h>
#include <stdlib.h>

#include "observe/observers.h"
#include "observe/spatial/bursts_places.h"
#include "observe/spatial/cells.h"
#include "observe/spatial/seen.h"

#include <deja/tracing.h>

typedef struct bursts {
    dj_spatial_cells *first, *later; // the first burst stands for itself
    dj_seen_groups seen;             // the others
    uint32_t number;                 // of the current burst
    uint32_t place;                  // the first one of later bursts
} bursts;

static void destroy(void *state)
{
    bursts *b = state;
    if (!b)
        return;
    dj_spatial_cells_destroy(b->first);
    dj_spatial_cells_destroy(b->later);
    dj_seen_free(&b->seen);
    free(b);
}

static int create(dj_context *context, const dj_setup *setup, void **state)
{
    bursts *b = calloc(1, sizeof *b);
    if (!b)
        return dj_fail_memory(context, "observer spatial-bursts", sizeof *b);
    int err = dj_spatial_cells_create(context, setup, &b->first);
    if (!err)
        err = dj_spatial_cells_create(context, setup, &b->later);
    if (!err)
        err = dj_seen_create(context, b->first->pair_count, b->first->cache_count, b->first->cuts, &b->seen);
    if (err)
        destroy(b);
    else
        *state = b;
    return err;
}

static int see_first(bursts *b, dj_context *context, const dj_view *view, uint32_t from, uint32_t end)
{
    const uint32_t *place = view->batch->column.place;
    int err = DJ_OK;
    dj_spatial_cells_count(b->first, view->lanes, from, end - from);
    for (uint32_t i = from; place && !err && i < end; i++) {
        b->place = place[i] >= b->place ? place[i] + 1 : b->place;
        err = dj_seen_count_first(&b->seen, context, view->lanes, place, i);
    }
    return err;
}

static int see_later(bursts *b, dj_context *context, const dj_view *view, uint32_t from, uint32_t end)
{
    int err = DJ_OK;
    dj_spatial_cells_count(b->later, view->lanes, from, end - from);
    for (uint32_t i = from; !err && i < end; i++)
        err = dj_seen_count(&b->seen, context, view->lanes, view->batch->column.place, i);
    return err;
}

static int see(void *state, dj_context *context, const dj_view *view)
{
    bursts *b = state;
    const uint32_t *device = view->batch->column.device, count = view->batch->count;
    int err = DJ_OK;
    for (uint32_t from = 0, end; !err && from < count; from = end) {
        const uint32_t number = device ? device[from] : b->number;
        for (end = from + 1; end < count && (!device || device[end] == number);)
            end++;
        if (number != b->number)
            err = b->number > 0 ? dj_seen_end_burst(&b->seen, context) : dj_seen_end_first(&b->seen, context);
        b->number = number;
        if (!err)
            err =
                number == 0 ? see_first(b, context, view, from, end) : see_later(b, context, view, from, end);
    }
    return err;
}

// How many accesses of the lane have a distance of each class.
static int count_classes(const dj_spatial_cells *cells, dj_context *context, uint32_t number,
                         const dj_lane_profile *lane, double **out)
{
    double *counts = calloc(cells->classes, sizeof *counts);
    if (!counts)
        return dj_fail_memory(context, "a profile", cells->classes * sizeof *counts);
    for (uint64_t d = 0, n; (n = dj_histogram_next(lane->distance, &d)) != 0; d++)
        counts[dj_spatial_cells_class(cells, number, d)] += (double)n;
    counts[cells->classes - 1] = (double)lane->cold;
    *out = counts;
    return DJ_OK;
}

static uint64_t sum_of(const uint64_t *cells, size_t count)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += cells[i];
    return sum;
}

// Adds what all of the trace has to the first burst, which has `count` accesses of a class.
static void estimate_row(const dj_spatial_cells *later, size_t row, double count, dj_spatial_cells *to)
{
    const size_t cells = later->classes * 2;
    uint64_t *sums = to->sums + row * DJ_SPATIAL_TURNS;
    uint64_t *all = to->cells + row * cells * DJ_SPATIAL_TURNS;
    const uint64_t *known = later->cells + row * cells * DJ_SPATIAL_TURNS;
    const double first = (double)sum_of(all, cells * DJ_SPATIAL_TURNS);
    const double found = (double)sum_of(known, cells * DJ_SPATIAL_TURNS);
    if (!(found > 0 && count > first))
        return;
    const double weight = (count - first) / found;
    for (size_t i = 0; i < cells; i++)
        all[i * DJ_SPATIAL_TURNS] +=
            (uint64_t)llround(weight * (double)dj_spatial_all_turns(known + i * DJ_SPATIAL_TURNS));
    sums[0] += (uint64_t)(weight * (double)dj_spatial_all_turns(later->sums + row * DJ_SPATIAL_TURNS));
}

static int copy_counts(const dj_spatial_cells *from, dj_context *context, dj_spatial_cells *to)
{
    const size_t cells = dj_spatial_cells_size(to) * DJ_SPATIAL_TURNS,
                 sums = dj_spatial_cells_sums(to) * DJ_SPATIAL_TURNS;
    to->cells = calloc(cells, sizeof *to->cells);
    to->sums = calloc(sums, sizeof *to->sums);
    if (!to->cells || !to->sums)
        return dj_fail_memory(context, "a profile", cells * sizeof *to->cells);
    for (size_t i = 0; from && i < cells; i++)
        to->cells[i] = from->cells[i];
    for (size_t i = 0; from && i < sums; i++)
        to->sums[i] = from->sums[i];
    return DJ_OK;
}

// `first` may be NULL.
static int estimate(const dj_spatial_cells *first, const dj_spatial_cells *later, dj_context *context,
                    const dj_profile *profile, dj_spatial **out)
{
    dj_spatial_cells all = *later;
    int err = copy_counts(first, context, &all);
    for (uint32_t p = 0; !err && p < all.pair_count; p++) {
        double *counts = NULL;
        err = count_classes(&all, context, p, &profile->lanes[p], &counts);
        for (size_t class = 0; !err && class < all.classes; class ++)
            estimate_row(later, p * all.classes + class, counts[class], &all);
        free(counts);
    }
    if (!err)
        err = dj_spatial_cells_fill(&all, context, out);
    free(all.cells);
    free(all.sums);
    return err;
}

static int replace(dj_context *context, dj_profile *profile, dj_spatial *all)
{
    const dj_spatial *counted = dj_profile_spatial(profile);
    all->usage_block = counted->usage_block;
    all->usage_cache = counted->usage_cache;
    dj_profile_drop_section(profile, &dj_section_spatial);
    return dj_profile_give_section(context, profile, &dj_section_spatial, all);
}

static int finish(void *state, dj_context *context, dj_profile *profile)
{
    const bursts *b = state;
    const dj_tracing *tracing = dj_lane_tracing(&profile->lanes[0]);
    dj_spatial *first = NULL, *later = NULL, *all = NULL;
    if (!tracing)
        return DJ_OK;
    const bool only = b->number == 0; // then it stands for all
    int err = estimate(only ? NULL : b->first, only ? b->first : b->later, context, profile, &all);
    if (!err)
        err = dj_spatial_cells_fill(only ? b->first : b->later, context, &later);
    if (!err && !only)
        err = dj_spatial_cells_fill(b->first, context, &first);
    const double own = first ? (double)dj_spatial_accesses(&first->pairs[0]) : 0;
    const double rest = (double)profile->lanes[0].accesses - own;
    if (!err)
        err = dj_seen_fill(&b->seen, context, first, rest, all);
    if (!err && dj_profile_attribution(profile)) {
        const dj_spatial_estimate made = {.weight = rest / (double)dj_spatial_accesses(&later->pairs[0]),
                                          .first_place = only ? 0 : b->place,
                                          .first = first,
                                          .known = later,
                                          .all = all};
        err = dj_spatial_estimate_places(&made, context, dj_profile_attribution(profile));
        all->by_place = true;
    }
    if (!err && all->by_place)
        err = dj_seen_places_fill(&b->seen.places, context, dj_profile_attribution(profile));
    dj_spatial_destroy(first);
    dj_spatial_destroy(later);
    if (err)
        dj_spatial_destroy(all);
    return err ? err : replace(context, profile, all);
}

static const dj_section_ops *const after[] = {&dj_section_spatial, &dj_section_tracing, NULL};

const dj_observer_ops dj_observer_spatial_bursts = {
    .name = "spatial-bursts",
    .summary = "estimates of spatial locality from bursts",
    .needs = DJ_NEED_EXACT | DJ_NEED_PER_ACCESS | DJ_NEED_FINER,
    .fills = &dj_section_spatial,
    .after = after,
    .create = create,
    .destroy = destroy,
    .see = see,
    .finish = finish,
};
