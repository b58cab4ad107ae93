// SPDX-License-Identifier: MIT
#include "trace/source/bursts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"

enum {
    FIRST = 4096,    // accesses of the first burst
    SHORTEST = 1024, // of others
    PARTS = 32,      // an interval is this part of everything before it, unless its burst would be shorter
};

typedef struct bursts {
    dj_source *inner;
    double rate;
    uint64_t seed;
    uint64_t position;     // accesses of the trace so far
    uint64_t begin, end;   // of this burst, or of the next one
    uint64_t interval_end; // of this interval
    uint64_t intervals;
    uint32_t number;        // of the burst
    uint64_t last, dropped; // accesses of the burst that ended last; those after it
    bool over;              // all has been read
    int err;                // reported when everything before it has been delivered
    char *why;              // its message
} bursts;

static void plan_interval(bursts *b)
{
    const double part = (double)b->interval_end * b->rate / PARTS;
    const uint64_t length = part > SHORTEST ? (uint64_t)part : SHORTEST;
    const uint64_t interval = (uint64_t)llround((double)length / b->rate);
    const uint64_t room = interval > length ? interval - length : 1;
    b->begin = b->interval_end + dj_random_mix(b->seed ^ dj_random_mix(++b->intervals)) % room;
    b->begin += b->begin == b->position; // something lies between two bursts
    b->end = b->begin + length;
    b->interval_end += interval;
}

static void end_burst(bursts *b)
{
    b->last = b->position - b->begin;
    b->dropped = 0;
    plan_interval(b);
}

// Puts it before event `at`, after those with the same index.
static int insert_event(dj_context *context, dj_batch *batch, uint32_t at, const dj_event *event)
{
    int err = dj_batch_add_event(context, batch, event);
    if (err)
        return err;
    dj_event *events = (dj_event *)(uintptr_t)batch->events; // they belong to the batch
    const dj_event added = events[batch->event_count - 1];
    memmove(events + at + 1, events + at, (batch->event_count - 1 - at) * sizeof *events);
    events[at] = added;
    return DJ_OK;
}

static dj_event gap_event(const bursts *b, uint32_t index)
{
    return (dj_event){index, DJ_EVENT_GAP, b->dropped, b->dropped, b->last, ""};
}

// The events before access `until` now precede access `index`.
static uint32_t move_events(dj_batch *batch, uint32_t next, uint32_t until, uint32_t index)
{
    dj_event *events = (dj_event *)(uintptr_t)batch->events;
    while (next < batch->event_count && events[next].index <= until)
        events[next++].index = index;
    return next;
}

static uint64_t smaller(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

// Drops what lies between bursts. Runs of accesses are kept or dropped together.
static int filter(bursts *b, dj_context *context, dj_batch *batch)
{
    const uint32_t count = batch->count;
    uint32_t *device = dj_batch_writable(batch).device, kept = 0, event = 0;
    int err = DJ_OK;
    for (uint32_t i = 0, end; !err && i < count; i = end) {
        const bool inside = b->position >= b->begin;
        end = (uint32_t)smaller(count, i + (inside ? b->end : b->begin) - b->position);
        for (uint32_t k = i; inside && k < end; k++) {
            event = move_events(batch, event, k, kept);
            device[kept] = b->number;
            dj_batch_copy_access(batch, kept++, batch, k);
        }
        event = move_events(batch, event, end < count ? end : end - 1, kept);
        b->position += end - i;
        b->dropped += inside ? 0 : end - i;
        if (inside && b->position == b->end) {
            end_burst(b);
        } else if (!inside && b->position == b->begin) {
            const dj_event gap = gap_event(b, kept);
            b->number++;
            b->last = b->dropped = 0;
            err = insert_event(context, batch, event++, &gap);
        }
    }
    (void)move_events(batch, event, count, kept);
    dj_batch_set_columns(batch, dj_batch_columns(batch) | DJ_COLUMN_DEVICE);
    batch->count = kept;
    return err;
}

static int hold_error(bursts *b, const dj_context *context, int err)
{
    b->over = true;
    b->err = err;
    if (err)
        b->why = strdup(dj_context_message(context));
    return DJ_OK;
}

// After all accesses: what was left out last, or how long the last burst was.
static int report_end(bursts *b, dj_context *context, dj_pool *pool, dj_batch **out)
{
    if (b->position > b->begin) {
        b->last = b->position - b->begin;
        b->dropped = 0;
    }
    const dj_event gap = gap_event(b, 0);
    b->last = b->dropped = 0;
    b->begin = b->position;
    int err = dj_pool_take(context, pool, out);
    if (!err)
        err = dj_batch_add_event(context, *out, &gap);
    return err;
}

static int next(void *state, dj_context *context, dj_pool *pool, dj_batch **out)
{
    bursts *b = state;
    *out = NULL;
    while (!b->over) {
        dj_batch *batch = NULL;
        int err = dj_source_next(b->inner, context, &batch);
        if (err || !batch)
            (void)hold_error(b, context, err);
        if (!batch && (b->number > 0 || b->last > 0))
            return report_end(b, context, pool, out);
        if (!batch)
            break;
        err = filter(b, context, batch);
        if (!err && (batch->count > 0 || batch->event_count > 0)) {
            *out = batch;
            return DJ_OK;
        }
        dj_batch_release(batch);
        if (err)
            return err;
    }
    return b->err
               ? dj_fail(context, (enum dj_err)b->err, "%s", b->why ? b->why : "out of memory for an error")
               : DJ_OK;
}

static void progress(const void *state, dj_progress *out)
{
    dj_source_progress(((const bursts *)state)->inner, out);
}

static const char *name(const void *state)
{
    return dj_source_name(((const bursts *)state)->inner);
}

static void use_threads(void *state, unsigned threads)
{
    dj_source_use_threads(((bursts *)state)->inner, threads);
}

static void close(void *state)
{
    bursts *b = state;
    free(b->why);
    free(b);
}

int dj_burst_source(dj_context *context, dj_source *inner, double rate, uint64_t seed, dj_source **out)
{
    static const dj_source_ops ops = {
        .next = next, .progress = progress, .name = name, .close = close, .use_threads = use_threads};
    dj_source_info info = *dj_source_get_info(inner);
    if (info.columns & DJ_COLUMN_DEVICE)
        return dj_fail(context, DJ_ERR_UNSUPPORTED,
                       "a trace with several devices cannot be analyzed in bursts; leave out --sample, or "
                       "select a device with --only");
    info.columns |= DJ_COLUMN_DEVICE;
    bursts *b = calloc(1, sizeof *b);
    if (!b)
        return dj_fail_memory(context, "a source", sizeof *b);
    *b = (bursts){
        .inner = inner, .rate = rate, .seed = dj_random_mix(seed), .end = FIRST, .interval_end = FIRST};
    int err = dj_source_create(context, &ops, b, &info, out);
    if (err)
        free(b);
    return err;
}
