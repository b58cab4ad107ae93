// SPDX-License-Identifier: MIT
#include "observe/places/carriers.h"

#include "base/grow.h"

#include <stdlib.h>

void dj_carriers_free(dj_carriers *c)
{
    for (size_t i = 0; i < c->count; i++)
        free(c->threads[i].levels);
    free(c->threads);
    if (c->created)
        dj_dictionary_destroy(&c->ids);
}

static int thread_of(dj_carriers *c, dj_context *context, uint64_t id, dj_carrier_thread **out)
{
    uint32_t index;
    bool fresh;
    int err = c->created ? DJ_OK : dj_dictionary_create(&c->ids, context);
    c->created = !err;
    if (!err)
        err = dj_dictionary_value(&c->ids, context, id & UINT32_MAX, &index, &fresh);
    if (!err && fresh)
        err =
            dj_grow(context, "the threads", &c->threads, &c->capacity, (size_t)index + 1, sizeof *c->threads);
    if (err)
        return err;
    c->count = index >= c->count ? (size_t)index + 1 : c->count;
    *out = &c->threads[index];
    return DJ_OK;
}

static bool is_present(const dj_lane_view *lane, uint32_t i)
{
    return !lane->verdict || lane->verdict[i] == DJ_VERDICT_COUNT || lane->verdict[i] == DJ_VERDICT_FILL;
}

// A time after that of the last access before index `until`.
static uint64_t time_before(const dj_carriers *c, const dj_view *view, uint32_t until)
{
    while (until > 0 && !is_present(&view->lanes[0], until - 1))
        until--;
    return until > 0 ? dj_lane_view_time(view, 0, until - 1) + 1 : c->now;
}

static void lose(dj_carrier_thread *t, uint64_t now)
{
    t->depth = 0;
    t->known_from = now;
}

// Events may come from a file, so none is impossible.
static int change(dj_carrier_thread *t, dj_context *context, const dj_event *e, uint64_t now)
{
    const uint32_t depth = (uint32_t)e->b;
    const bool active = depth < t->depth;
    switch ((enum dj_loop_change)e->c) {
    case DJ_LOOP_MARK:
        t->mark = now;
        t->marked = true;
        return DJ_OK;
    case DJ_LOOP_ENTERED:
        if (depth > t->depth)
            break;
        int err = dj_grow(context, "the active loops", &t->levels, &t->capacity, (size_t)depth + 1,
                          sizeof *t->levels);
        if (err)
            return err;
        t->levels[depth] =
            (dj_carrier_level){(uint32_t)e->a, now, now, depth > 0 ? t->levels[depth - 1].unsure : 0};
        t->depth = depth + 1;
        return DJ_OK;
    case DJ_LOOP_ITERATED:
        if (!active)
            break;
        t->levels[depth].began = now;
        t->depth = depth + 1;
        return DJ_OK;
    case DJ_LOOP_LEFT:
        t->depth = active ? depth : t->depth;
        return DJ_OK;
    case DJ_LOOP_UNSURE:
        if (!active)
            break;
        for (uint32_t i = depth; i < t->depth; i++)
            t->levels[i].unsure = now;
        return DJ_OK;
    case DJ_LOOP_LOST:
        break;
    }
    lose(t, now);
    return DJ_OK;
}

static int see_event(dj_carriers *c, dj_context *context, const dj_view *view, const dj_event *e)
{
    dj_carrier_thread *t;
    if (e->type == DJ_EVENT_THREAD)
        c->current = e->a;
    if (e->type == DJ_EVENT_GAP) {
        const uint64_t now = time_before(c, view, e->index);
        for (size_t i = 0; i < c->count; i++)
            lose(&c->threads[i], now);
    }
    if (e->type != DJ_EVENT_LOOP)
        return DJ_OK;
    int err = thread_of(c, context, e->b >> 32, &t);
    return err ? err : change(t, context, e, time_before(c, view, e->index));
}

static uint32_t find_carrier(const dj_carrier_thread *t, uint64_t before)
{
    if (!t->marked || before >= t->mark || before < t->known_from)
        return dj_carrier_code(DJ_CARRIED_UNKNOWN, DJ_NOWHERE);
    uint32_t k = 0, end = t->depth; // a program may recurse very deeply
    while (k < end) {
        const uint32_t middle = k + (end - k) / 2;
        if (t->levels[middle].began <= before)
            k = middle + 1;
        else
            end = middle;
    }
    if (t->depth > 0 && t->levels[k < t->depth ? k : t->depth - 1].unsure > before)
        return dj_carrier_code(DJ_CARRIED_UNKNOWN, DJ_NOWHERE);
    if (k < t->depth && t->levels[k].entered <= before)
        return dj_carrier_code(DJ_CARRIED_BY_LOOP, t->levels[k].site);
    return dj_carrier_code(DJ_CARRIED_BY_NONE, k > 0 ? t->levels[k - 1].site : DJ_NOWHERE);
}

int dj_carriers_see(dj_carriers *c, dj_context *context, const dj_view *view, const dj_place_table *places,
                    uint32_t count)
{
    const dj_batch *batch = view->batch;
    const dj_lane_view *lane = &view->lanes[0];
    const bool known = lane->prev_time && view->in_order && !lane->partition && !batch->column.sharer;
    dj_carrier_thread *t = NULL;
    uint32_t e = 0;
    int err = DJ_OK;
    for (uint32_t k = 0; !err && known && k <= count; k++) {
        const uint32_t until = k < count ? c->listed[k] : batch->count;
        for (; !err && e < batch->event_count && batch->events[e].index <= until; e++) {
            t = batch->events[e].type == DJ_EVENT_THREAD || batch->events[e].type == DJ_EVENT_LOOP ? NULL : t;
            err = see_event(c, context, view, &batch->events[e]);
        }
        if (!err && !t)
            err = thread_of(c, context, c->current, &t);
        if (err || k == count)
            break;
        const bool same = lane->prev_tag[until] == batch->column.place[until] ||
                          dj_place_get(places, lane->prev_tag[until])->thread ==
                              dj_place_get(places, batch->column.place[until])->thread;
        c->codes[k] = same ? find_carrier(t, lane->prev_time[until]) : 0;
    }
    for (uint32_t k = 0; !known && k < count; k++)
        c->codes[k] = 0;
    c->now = known ? time_before(c, view, batch->count) : c->now;
    return err;
}
