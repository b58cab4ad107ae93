// SPDX-License-Identifier: MIT
// Observer `tracing`: a run that was traced in bursts. The source numbers the bursts in column `device`, so
// that each has blocks of its own, and reports their lengths in events DJ_EVENT_GAP. At the end, what was
// counted in the bursts becomes an estimate for the whole run: the first burst, which begins with the
// program, stands for itself, and the others also for everything between them.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/ratio.h"
#include "observe/observers.h"
#include "observe/tracing/traced.h"

typedef struct lane_bursts {
    dj_traced_burst burst; // the current one
    uint32_t number;
    dj_histogram *first; // distances of the first burst
    uint64_t first_accesses, first_cold;
    dj_traced_bursts later;
    dj_sketch blocks; // of all bursts
} lane_bursts;

// Sums over the later bursts that have ended, of their lengths and accesses.
typedef struct lengths {
    double count, length, accesses, squares, products, access_squares;
} lengths;

// As in DJ_EVENT_BUDGET and DJ_EVENT_COST.
typedef struct budget {
    uint64_t factor, rate, unsampled, cost;
} budget;

typedef struct tracing {
    bool in_first;                 // the first burst has not ended
    double left_out, first_length; // in units of the tracer
    lengths later;
    budget budget;
    uint64_t since;   // accesses since the last event
    uint64_t cut_off; // accesses of later bursts that the end of the program cut off: their length is unknown
    uint32_t place;   // the first one of later bursts
    uint64_t first[3]; // bytes, reads, writes of the first burst
    uint32_t lane_count;
    lane_bursts lanes[];
} tracing;

static void destroy(void *state)
{
    tracing *t = state;
    for (uint32_t i = 0; t && i < t->lane_count; i++) {
        dj_traced_free(&t->lanes[i].later);
        dj_histogram_destroy(t->lanes[i].first);
    }
    free(t);
}

static int create(dj_context *context, const dj_setup *setup, void **state)
{
    tracing *t = calloc(1, sizeof *t + setup->lane_count * sizeof t->lanes[0]);
    if (!t)
        return dj_fail_memory(context, "the bursts", setup->lane_count * sizeof t->lanes[0]);
    t->in_first = true;
    t->lane_count = setup->lane_count;
    int err = DJ_OK;
    for (uint32_t i = 0; !err && i < t->lane_count; i++)
        err = dj_histogram_create(context, &t->lanes[i].first);
    if (err)
        destroy(t);
    else
        *state = t;
    return err;
}

static void end_part(tracing *t, const dj_event *gap)
{
    const double length = (double)gap->c, accesses = (double)t->since;
    t->left_out += (double)gap->b;
    if (gap->c && !t->in_first) {
        t->later.count++;
        t->later.length += length;
        t->later.accesses += accesses;
        t->later.squares += length * length;
        t->later.products += length * accesses;
        t->later.access_squares += accesses * accesses;
    }
    if (!gap->c && !t->in_first)
        t->cut_off += t->since;
    if (t->in_first)
        t->first_length = length;
    t->in_first = false;
    t->since = 0;
}

static void note_budget(tracing *t, const dj_event *event)
{
    const uint64_t cost = t->budget.cost;
    if (event->type == DJ_EVENT_BUDGET)
        t->budget = (budget){event->a, event->b, event->c, cost};
    if (event->type == DJ_EVENT_COST)
        t->budget.cost = event->a;
}

// Of the later bursts. One that was cut off has about as many accesses for its length as the others.
static double traced_length(const tracing *t)
{
    const double cut_off = (double)(t->cut_off + (t->in_first ? 0 : t->since));
    return t->later.accesses > 0 ? t->later.length * (1 + cut_off / t->later.accesses) : t->later.length;
}

static void tell_budget(const tracing *t, dj_tracing *to)
{
    const double length = t->first_length + traced_length(t) + t->left_out;
    if (t->budget.factor == 0)
        return;
    to->budget = (double)t->budget.factor / 1e3;
    to->cost = (double)t->budget.cost / 1e3;
    to->rate = (double)t->budget.rate / 1e6;
    to->unsampled = fmin((double)t->budget.unsampled, t->left_out) / length;
}

static void count_first(tracing *t, const dj_batch *batch, uint32_t from, uint32_t end)
{
    const dj_columns *column = &batch->column;
    for (uint32_t i = from; t->in_first && i < end; i++) {
        const bool writes =
            column->kind && (column->kind[i] == DJ_KIND_WRITE || column->kind[i] == DJ_KIND_MODIFY);
        t->first[0] += column->size ? column->size[i] : 0;
        t->first[1] += column->kind && column->kind[i] == DJ_KIND_READ;
        t->first[2] += writes;
        if (column->place && column->place[i] >= t->place)
            t->place = column->place[i] + 1;
    }
}

static int watch(void *state, dj_context *context, const dj_view *view)
{
    (void)context;
    tracing *t = state;
    uint32_t done = 0;
    for (uint32_t i = 0; i < view->batch->event_count; i++) {
        const dj_event *event = &view->batch->events[i];
        note_budget(t, event);
        if (event->type != DJ_EVENT_GAP)
            continue;
        count_first(t, view->batch, done, event->index);
        t->since += event->index - done;
        done = event->index;
        end_part(t, event);
    }
    count_first(t, view->batch, done, view->batch->count);
    t->since += view->batch->count - done;
    return DJ_OK;
}

static int begin_burst(lane_bursts *lane, dj_context *context, uint32_t number)
{
    int err = lane->number > 0 ? dj_traced_add(&lane->later, context, &lane->burst) : DJ_OK;
    if (!err && lane->number == 0) {
        lane->first_accesses = lane->burst.accesses;
        lane->first_cold = lane->burst.unknown;
    }
    lane->burst = (dj_traced_burst){0};
    lane->number = number;
    return err;
}

// Without gaps, devices are not bursts.
static int see_lane(lane_bursts *lane, dj_context *context, const dj_batch *batch, const dj_lane_view *view,
                    bool gaps)
{
    const uint32_t *device = gaps ? batch->column.device : NULL;
    const uint64_t *distance = view->distance;
    int err = DJ_OK;
    for (uint32_t i = 0; !err && i < batch->count; i++) {
        if (device && device[i] != lane->number)
            err = begin_burst(lane, context, device[i]);
        lane->burst.accesses++;
        if (distance[i] != DJ_COLD) {
            lane->burst.reuses[dj_traced_index(distance[i])]++;
            if (lane->number == 0 && !err)
                err = dj_histogram_add(lane->first, context, distance[i], 1);
            continue;
        }
        lane->burst.unknown++;
        dj_sketch_add(&lane->blocks, batch->column.address[i] / view->id->block_bytes);
    }
    return err;
}

static int see(void *state, dj_context *context, const dj_view *view)
{
    tracing *t = state;
    int err = DJ_OK;
    for (uint32_t i = 0; !err && i < t->lane_count; i++)
        err = see_lane(&t->lanes[i], context, view->batch, &view->lanes[i], !t->in_first);
    return err;
}

// The relative error of the number of accesses: those left out are estimated by accesses per length.
static double error_of_accesses(const lengths *l, double weight)
{
    const dj_ratio_sums sums = {l->access_squares, l->products, l->squares};
    if (l->count < 2)
        return 1;
    return (1 - 1 / weight) * dj_ratio_error(&sums, l->accesses / l->length, l->count, l->accesses);
}

// The later bursts of a lane, including the current one; more accesses may follow. If there is only the
// first, it stands for all.
static int copy_later(const lane_bursts *lane, dj_context *context, dj_traced_bursts *out)
{
    *out = lane->later;
    out->limits = malloc((out->limit_count + 1) * sizeof *out->limits);
    out->limit_capacity = out->limit_count + 1;
    if (!out->limits)
        return dj_fail_memory(context, "the bursts", out->limit_count * sizeof *out->limits);
    if (out->limit_count)
        memcpy(out->limits, lane->later.limits, out->limit_count * sizeof *out->limits);
    return dj_traced_add(out, context, &lane->burst);
}

static int subtract(dj_context *context, const dj_histogram *all, const dj_histogram *part,
                    dj_histogram **out)
{
    int err = dj_histogram_create(context, out);
    for (uint64_t d = 0, n; !err && (n = dj_histogram_next(all, &d)) != 0; d++) {
        const uint64_t less = dj_histogram_sum(part, d, d + 1);
        if (n > less)
            err = dj_histogram_add(*out, context, d, n - less);
    }
    return err;
}

static int finish_lane(const tracing *t, dj_context *context, uint32_t number, double weight,
                       dj_attribution *attribution, dj_lane_profile *lane)
{
    const lane_bursts *from = &t->lanes[number];
    dj_histogram *none = NULL;
    dj_traced_first first = {from->first_accesses, from->first_cold, from->first};
    dj_traced_bursts later = {0};
    dj_tracing *to = NULL;
    dj_histogram *seen = NULL, *estimated = NULL;
    uint64_t cold = 0;
    int err = copy_later(from, context, &later);
    if (!err && from->number == 0) {
        err = dj_histogram_create(context, &none);
        first.distance = none;
    }
    const uint64_t accesses = (uint64_t)llround((double)later.accesses * weight);
    if (!err)
        err = dj_lane_add_section(context, lane, &dj_section_tracing, &to);
    if (!err) {
        *to = (dj_tracing){.bursts = later.count + (from->number > 0),
                           .accesses = lane->accesses,
                           .unknown = later.unknown,
                           .error = error_of_accesses(&t->later, weight),
                           .weight = weight};
        tell_budget(t, to);
        err = dj_traced_bands(&later, context, &first, weight, to);
    }
    if (!err)
        err = subtract(context, lane->distance, first.distance, &seen);
    if (!err)
        err = dj_traced_distances(&later, context, seen, accesses, &estimated, &cold);
    if (!err && attribution) {
        const dj_traced_estimate estimate = {
            weight, from->number > 0 ? t->place : 0, later.unknown, seen, estimated, cold};
        err = dj_traced_places(&estimate, context, attribution);
    }
    if (!err)
        err = dj_histogram_merge(estimated, context, first.distance);
    if (!err) {
        dj_histogram *old = lane->distance;
        lane->distance = estimated;
        estimated = old;
        lane->accesses = first.accesses + accesses;
        lane->cold = first.cold + cold;
        lane->distinct = (uint64_t)llround(dj_sketch_count(&from->blocks));
        to->share = (double)to->accesses / (double)lane->accesses;
    }
    dj_histogram_destroy(estimated);
    dj_histogram_destroy(seen);
    dj_histogram_destroy(none);
    dj_traced_free(&later);
    return err;
}

static void scale(uint64_t *count, uint64_t first, double weight)
{
    *count = *count > first ? first + (uint64_t)llround((double)(*count - first) * weight) : *count;
}

static int finish(void *state, dj_context *context, dj_profile *profile)
{
    const tracing *t = state;
    dj_attribution *attribution = dj_profile_attribution(profile);
    int err = DJ_OK;
    if (!(t->left_out > 0))
        return DJ_OK;
    const bool only = t->lanes[0].number == 0;
    const double traced = only ? t->first_length : traced_length(t);
    const double weight = traced > 0 ? (traced + t->left_out) / traced : 1;
    for (uint32_t i = 0; !err && i < t->lane_count; i++)
        err = finish_lane(t, context, i, weight, i == 0 ? attribution : NULL, &profile->lanes[i]);
    scale(&profile->accesses, t->lanes[0].first_accesses, weight);
    scale(&profile->requests, t->lanes[0].first_accesses, weight);
    scale(&profile->bytes, only ? 0 : t->first[0], weight);
    scale(&profile->reads, only ? 0 : t->first[1], weight);
    scale(&profile->writes, only ? 0 : t->first[2], weight);
    profile->provenance.exact = false;
    if (!err)
        profile->provenance.sampling = dj_lane_tracing(&profile->lanes[0])->share;
    return err;
}

static const dj_section_ops *const after[] = {&dj_section_histogram, &dj_section_traffic, NULL};

const dj_observer_ops dj_observer_tracing = {
    .name = "tracing",
    .summary = "estimates for a run that was traced in bursts",
    .needs = DJ_NEED_PER_ACCESS,
    .fills = &dj_section_tracing,
    .after = after,
    .create = create,
    .destroy = destroy,
    .watch = watch,
    .see = see,
    .finish = finish,
};
