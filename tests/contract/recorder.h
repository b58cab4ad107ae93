// SPDX-License-Identifier: MIT
// An observer for tests that records everything it is shown, by position.
#ifndef TESTS_CONTRACT_RECORDER_H
#define TESTS_CONTRACT_RECORDER_H

#include "contract/sample.h"
#include <deja/observer.h>

typedef struct recorder {
    sample_piece *pieces; // by position
    uint8_t *times_seen;
    uint32_t count;   // total seen
    uint32_t watched; // accesses seen by watch
    uint32_t events, events_out_of_order;
    uint64_t next_event;
} recorder;

enum { RECORDER_MOST = SAMPLE_MOST * 60 };

static int recorder_create(dj_context *context, const dj_setup *setup, void **state)
{
    (void)context;
    (void)setup;
    recorder *r = calloc(1, sizeof *r);
    r->pieces = calloc(RECORDER_MOST, sizeof *r->pieces);
    r->times_seen = calloc(RECORDER_MOST, 1);
    *state = r;
    return DJ_OK;
}

static void recorder_destroy(void *state)
{
    recorder *r = state;
    free(r->pieces);
    free(r->times_seen);
    free(r);
}

static int recorder_watch(void *state, dj_context *context, const dj_view *view)
{
    (void)context;
    recorder *r = state;
    for (uint32_t i = 0; i < view->batch->event_count; i++) {
        const dj_event *event = &view->batch->events[i];
        bool good = event->index <= view->batch->count && strcmp(event->text, "sample") == 0 &&
                    (r->events == 0 || event->a > r->next_event);
        r->events_out_of_order += !good;
        r->next_event = event->a;
        r->events++;
    }
    r->watched += view->batch->count;
    return DJ_OK;
}

static int recorder_see(void *state, dj_context *context, const dj_view *view)
{
    (void)context;
    recorder *r = state;
    const dj_columns *c = &view->batch->column;
    for (uint32_t i = 0; i < view->batch->count; i++) {
        uint64_t at = dj_batch_time(view->batch, i);
        if (at >= RECORDER_MOST)
            return dj_fail(context, DJ_ERR_USAGE, "position %llu", (unsigned long long)at);
        sample_piece *p = &r->pieces[at];
        r->times_seen[at]++;
        r->count++;
        p->access = (sample_access){.address = c->address[i],
                                    .size = c->size[i],
                                    .offset = c->offset ? c->offset[i] : 0,
                                    .device = c->device[i],
                                    .site = c->site[i],
                                    .place = c->place[i],
                                    .kind = c->kind[i]};
        for (uint32_t lane = 0; lane < view->lane_count; lane++) {
            p->lanes[lane].key = view->lanes[lane].key[i];
            p->lanes[lane].distance = view->lanes[lane].distance[i];
            p->lanes[lane].prev_tag = view->lanes[lane].prev_tag[i];
            p->lanes[lane].prev_time = view->lanes[lane].prev_time ? view->lanes[lane].prev_time[i] : 0;
            p->lanes[lane].byte_distance =
                view->lanes[lane].byte_distance ? view->lanes[lane].byte_distance[i] : 0;
        }
    }
    return DJ_OK;
}

static int recorder_merge(void *state, dj_context *context, const void *other, uint64_t position)
{
    (void)context;
    recorder *r = state;
    const recorder *o = other;
    for (uint64_t i = 0; i < RECORDER_MOST - position; i++) {
        if (!o->times_seen[i])
            continue;
        r->pieces[position + i] = o->pieces[i];
        for (uint32_t lane = 0; lane < SAMPLE_LANES; lane++)
            r->pieces[position + i].lanes[lane].prev_time += position;
        r->times_seen[position + i] = (uint8_t)(r->times_seen[position + i] + o->times_seen[i]);
    }
    r->count += o->count;
    r->watched += o->watched;
    r->events += o->events;
    r->events_out_of_order += o->events_out_of_order;
    return DJ_OK;
}

// The test examines the last recorder that was finished, and takes ownership of it.
static recorder recorder_result;

static int recorder_finish(void *state, dj_context *context, dj_profile *profile)
{
    (void)context;
    (void)profile;
    recorder *r = state;
    recorder_result = *r;
    r->pieces = NULL;
    r->times_seen = NULL;
    return DJ_OK;
}

static const dj_observer_ops recorder_ops = {
    .name = "recorder",
    .needs =
        DJ_NEED_EXACT | DJ_NEED_PER_ACCESS | DJ_NEED_TAGS | DJ_NEED_FINER | DJ_NEED_TIMES | DJ_NEED_WEIGHTS,
    .create = recorder_create,
    .destroy = recorder_destroy,
    .watch = recorder_watch,
    .see = recorder_see,
    .merge = recorder_merge,
    .finish = recorder_finish,
};

#endif
