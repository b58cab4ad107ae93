// SPDX-License-Identifier: MIT
#include "live/stream.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/tracers.h"
#include "live/decode/decode.h"
#include "live/ring.h"

enum { WAIT_MS = 20 };

struct dj_stream {
    dj_ring_reader ring;
    dj_decoder decoder;
    bool (*is_paused)(void *user);
    void *user; // for is_paused
    dj_source_info info;
    dj_route route;
    bool bursts;
    uint32_t burst;        // number of the current one
    const uint64_t *words; // of the current frame; NULL: none
    size_t count, at;
    _Atomic uint64_t accesses; // other threads read it
    uint64_t frames;           // before the current one
    bool over, killed;
    int err;   // reported when everything before it has been delivered
    char *why; // its message
    uint32_t pid, parent;
    char name[32]; // until the process reports its own
};

static dj_source_info describe(const char *format)
{
    const dj_source_info memory = {.format = format,
                                   .kind = DJ_CLASS_MEMORY,
                                   .default_block = 64,
                                   .unit_bytes = 1,
                                   .columns = DJ_LIVE_COLUMNS,
                                   .provides = DJ_COLUMN_THREAD,
                                   .tracer = dj_tracer_find(format)};
    return strcmp(format, dj_tracer_elements.format) == 0 ? dj_tracer_elements : memory;
}

int dj_stream_open(dj_context *context, const char *path, const dj_stream_options *options, dj_stream **out)
{
    dj_stream *s = calloc(1, sizeof *s);
    if (!s)
        return dj_fail_memory(context, "a stream", sizeof *s);
    s->is_paused = options ? options->is_paused : NULL;
    s->user = options ? options->user : NULL;
    s->bursts = options && options->bursts;
    s->info = describe(options && options->format ? options->format : "live");
    int err = dj_ring_open(&s->ring, context, path);
    if (!err)
        err = dj_decoder_create(&s->decoder, context);
    if (err) {
        dj_stream_close(s);
        return err;
    }
    s->pid = s->ring.pid;
    s->parent = s->ring.parent;
    snprintf(s->name, sizeof s->name, "process %u", s->pid);
    *out = s;
    return DJ_OK;
}

void dj_stream_detach(dj_stream *s)
{
    dj_ring_close(&s->ring);
    dj_decoder_forget(&s->decoder);
    s->over = true;
}

void dj_stream_close(dj_stream *s)
{
    if (!s)
        return;
    dj_ring_close(&s->ring);
    dj_decoder_destroy(&s->decoder);
    free(s->why);
    free(s);
}

int dj_stream_keep_route(dj_stream *s, dj_context *context, const dj_route **out)
{
    *out = &s->route;
    return dj_decoder_keep_route(&s->decoder, context, &s->route);
}

dj_stream_info dj_stream_get_info(const dj_stream *s)
{
    const dj_decoder *d = &s->decoder;
    return (dj_stream_info){.pid = s->pid,
                            .parent = s->parent,
                            .command = d->command ? d->command : s->name,
                            .message = d->message ? d->message : "",
                            .status = d->status,
                            .killed = s->killed,
                            .broken = s->err && !s->killed,
                            .accesses = s->accesses,
                            .left_out = d->left_out,
                            .joined = d->strings.joined};
}

uint64_t dj_stream_accesses(const dj_stream *s)
{
    return atomic_load_explicit(&s->accesses, memory_order_relaxed);
}

const uint32_t *dj_stream_children(const dj_stream *s, size_t *count)
{
    *count = s->decoder.child_count;
    return s->decoder.children;
}

// Holds the error back until everything before it has been delivered.
static void hold_error(dj_stream *s, dj_context *context, int err)
{
    s->over = true;
    s->why = strdup(dj_context_message(context));
    s->err = s->why ? err : DJ_ERR_MEMORY;
}

static int fail_killed(const dj_stream *s, dj_context *context)
{
    return dj_fail(
        context, DJ_ERR_INPUT,
        "%s (process %u) was killed, or ended in a way that the tracer did not notice; all accesses up "
        "to that point are counted",
        dj_stream_get_info(s).command, s->pid);
}

static int end(dj_stream *s, dj_context *context, dj_batch *batch, bool killed)
{
    s->over = true;
    s->killed = killed;
    const uint64_t left_out = s->decoder.in_gap ? dj_ring_gap_length(&s->ring) : 0;
    int err = dj_decoder_finish(&s->decoder, context, batch);
    if (!err && (killed || left_out > 0)) {
        dj_event gap = {batch->count, DJ_EVENT_GAP, 0, left_out, 0, ""};
        err = dj_batch_add_event(context, batch, &gap);
    }
    if (!err && killed)
        hold_error(s, context, fail_killed(s, context));
    return err;
}

static int get_frame(dj_stream *s, dj_context *context, dj_batch *batch, bool *idle)
{
    enum dj_ring_found found;
    int err = dj_ring_next(&s->ring, context, WAIT_MS, &found, &s->words, &s->count);
    s->at = 0;
    if (err || found != DJ_RING_FRAME)
        s->words = NULL;
    *idle = !err && found == DJ_RING_NOTHING;
    if (err || *idle)
        return err;
    if (found == DJ_RING_FRAME) {
        bool paused = s->is_paused && s->is_paused(s->user);
        return dj_decoder_pause(&s->decoder, context, batch, paused);
    }
    return end(s, context, batch, found == DJ_RING_DEAD);
}

static int decode(dj_stream *s, dj_context *context, dj_batch *batch, bool *full)
{
    int err = dj_decoder_feed(&s->decoder, context, s->words, s->count, &s->at, batch, full);
    if (err == DJ_ERR_INPUT)
        return dj_fail_within(context, err, "%s: frame %llu, word %zu", dj_stream_get_info(s).command,
                              (unsigned long long)s->frames, s->at);
    if (!err && !*full) {
        dj_ring_release(&s->ring);
        s->words = NULL;
        s->frames++;
    }
    return err;
}

// Fills the batch until it is full, the stream ends, or the program is idle.
static int fill(dj_stream *s, dj_context *context, dj_batch *batch)
{
    bool full = false, idle = false;
    int err = DJ_OK;
    while (!err && !full && !s->over && !(idle && (batch->count || batch->event_count))) {
        if (!dj_decoder_has_room(batch))
            break;
        if (s->words)
            err = decode(s, context, batch, &full);
        else
            err = get_frame(s, context, batch, &idle);
        if (!err && idle && !batch->count && dj_context_stopped(context))
            err = dj_fail(context, DJ_ERR_STOPPED, "interrupted");
    }
    return err;
}

// Blocks of different bursts are different, so that no distance reaches across a gap.
static void number_bursts(dj_stream *s, dj_batch *batch)
{
    uint32_t *device = dj_batch_writable(batch).device, done = 0;
    for (uint32_t e = 0; e <= batch->event_count; e++) {
        const bool gap = e < batch->event_count && batch->events[e].type == DJ_EVENT_GAP;
        const uint32_t until = gap ? batch->events[e].index : e < batch->event_count ? done : batch->count;
        while (done < until)
            device[done++] = s->burst;
        s->burst += gap;
    }
    batch->column.device = device;
}

static int next(void *state, dj_context *context, dj_pool *pool, dj_batch **out)
{
    dj_stream *s = state;
    dj_batch *batch = NULL;
    *out = NULL;
    int err = s->over ? DJ_OK : dj_pool_take(context, pool, &batch);
    s->route.count = 0;
    if (batch) {
        dj_decoder_prepare(batch);
        err = fill(s, context, batch);
        dj_batch_set_columns(batch, s->info.columns);
        if (err == DJ_ERR_INPUT)
            hold_error(s, context, err);
        err = err == DJ_ERR_INPUT ? DJ_OK : err;
        s->accesses += batch->count;
        if (s->bursts)
            number_bursts(s, batch);
    }
    if (!err && batch && (batch->count || batch->event_count)) {
        *out = batch;
        return DJ_OK;
    }
    dj_batch_release(batch);
    if (err || !s->err)
        return err;
    return dj_fail(context, (enum dj_err)s->err, "%s", s->why ? s->why : "out of memory for an error");
}

static void close(void *state)
{
    (void)state; // the caller owns the stream
}

static const char *name(const void *state)
{
    return dj_stream_get_info(state).command;
}

int dj_stream_source(dj_stream *stream, dj_context *context, dj_source **out)
{
    static const dj_source_ops ops = {.next = next, .close = close, .name = name};
    dj_source_info info = stream->info;
    info.columns |= stream->bursts ? DJ_COLUMN_DEVICE : 0;
    return dj_source_create(context, &ops, stream, &info, out);
}
