// SPDX-License-Identifier: MIT
#include "locate/instances.h"

#include <stdlib.h>

#include "base/grow.h"

static const dj_instance outside = {.source = DJ_STATEMENT_OUTSIDE};

static int switch_thread(dj_instances *s, dj_context *context, uint64_t id)
{
    bool fresh;
    int err = dj_dictionary_value(&s->thread_ids, context, id, &s->thread, &fresh);
    if (err || !fresh)
        return err;
    err = dj_grow(context, "the threads", &s->threads, &s->thread_capacity, (size_t)s->thread + 1,
                  sizeof *s->threads);
    if (!err)
        err = dj_thread_create(&s->threads[s->thread].calls, context, id, 0);
    s->thread_count += !err;
    return err;
}

int dj_instances_create(dj_instances *s, dj_context *context, const dj_lookup *lookup)
{
    int err = dj_statement_sites_create(&s->sites, context, lookup);
    if (!err)
        err = dj_dictionary_create(&s->thread_ids, context);
    return err ? err : switch_thread(s, context, 0);
}

void dj_instances_destroy(dj_instances *s)
{
    for (size_t i = 0; i < s->thread_count; i++) {
        dj_thread_destroy(&s->threads[i].calls);
        free(s->threads[i].frames);
    }
    free(s->threads);
    dj_statement_sites_destroy(&s->sites);
    dj_dictionary_destroy(&s->thread_ids);
}

bool dj_instances_go_on(const dj_instances *s, uint32_t thread, uint32_t frame, uint64_t number)
{
    const dj_instance_thread *t = &s->threads[thread];
    return frame < t->calls.depth && t->frames[frame].number == number;
}

// NULL: out of memory.
static dj_instance *current(dj_instances *s, dj_context *context, uint32_t *frame)
{
    dj_instance_thread *t = &s->threads[s->thread];
    *frame = s->annotated ? 0 : (uint32_t)t->calls.depth - 1;
    if (*frame >= t->capacity && dj_grow(context, "the calls of statements", &t->frames, &t->capacity,
                                         (size_t)*frame + 1, sizeof *t->frames) != DJ_OK)
        return NULL;
    uint32_t serial = s->annotated ? dj_thread_frame(&t->calls, 0)->serial : t->calls.top->serial;
    if (t->frames[*frame].serial != serial) {
        t->frames[*frame] = outside;
        t->frames[*frame].serial = serial;
    }
    return &t->frames[*frame];
}

// Instances found by line tables no longer count.
static void turn_to_annotations(dj_instances *s)
{
    s->annotated = true;
    for (size_t i = 0; i < s->thread_count; i++)
        if (s->threads[i].capacity > 0)
            s->threads[i].frames[0] = outside;
}

static int begin_by_event(dj_instances *s, dj_context *context, const dj_event *event)
{
    uint32_t frame;
    if (!s->annotated)
        turn_to_annotations(s);
    dj_instance *at = current(s, context, &frame);
    if (!at)
        return DJ_ERR_MEMORY;
    if (at->number != 0 && at->given == event->b && at->statement == (uint32_t)event->a)
        return DJ_OK; // it continues
    at->source = event->c < DJ_STATEMENT_SOURCES ? (uint8_t)event->c : DJ_STATEMENT_ANNOTATED;
    at->number = at->source == DJ_STATEMENT_OUTSIDE ? 0 : ++s->count;
    at->statement = (uint32_t)event->a;
    at->given = event->b;
    return DJ_OK;
}

int dj_instances_event(dj_instances *s, dj_context *context, const dj_event *event)
{
    dj_thread *calls = &s->threads[s->thread].calls;
    switch (event->type) {
    case DJ_EVENT_THREAD:
        return switch_thread(s, context, event->a);
    case DJ_EVENT_CALL:
        return dj_thread_call(calls, context, 0, event->c);
    case DJ_EVENT_RETURN:
        dj_thread_return(calls, event->c);
        return DJ_OK;
    case DJ_EVENT_STATEMENT:
        return begin_by_event(s, context, event);
    default:
        return dj_statement_sites_event(&s->sites, context, event);
    }
}

// An instance continues as long as the program moves forward within the line. At the same instruction, it
// may read and then write, or process many elements; unoptimized code has no loop of a single access.
static void follow_lines(dj_instances *s, dj_instance *at, const dj_statement_site *site, uint8_t kind)
{
    bool same = at->number != 0 && at->statement == site->statement;
    bool again = site->repeats || site->source == DJ_STATEMENT_LINES ||
                 (at->kind == DJ_KIND_READ && kind == DJ_KIND_WRITE);
    if (!same || site->offset < at->pc || (site->offset == at->pc && !again))
        at->number = ++s->count;
    at->statement = site->statement;
    at->source = site->source;
    at->pc = site->offset;
    at->kind = kind;
}

const dj_instance *dj_instances_at(dj_instances *s, dj_context *context, const dj_batch *batch,
                                   uint32_t index, uint8_t kind, uint32_t *frame)
{
    dj_instance *at = current(s, context, frame);
    if (s->annotated || !at)
        return at;
    if (!batch->column.site)
        return &outside;
    const dj_statement_site *site = dj_statement_sites_get(&s->sites, context, batch->column.site[index]);
    if (!site)
        return NULL;
    if (site->source == DJ_STATEMENT_OUTSIDE)
        return &outside;
    follow_lines(s, at, site, kind);
    return at;
}
