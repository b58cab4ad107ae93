// SPDX-License-Identifier: MIT
// Random traces with events, written as a stream to memory and read back, for tests.
#ifndef TESTS_UNIT_STREAM_H
#define TESTS_UNIT_STREAM_H

#include "base/random.h"

#include <deja/sink.h>
#include <deja/source.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { ALL_COLUMNS = 0x6f };

// The content of a trace, independent of batches and frames.
typedef struct record {
    uint64_t address, size, time, kind;
    uint32_t device, site, place, columns;
} record; // without padding, so that it can be compared as bytes

typedef struct trace_event {
    uint64_t position, a, b, c;
    uint32_t type;
    char *text;
} trace_event;

typedef struct trace {
    record *records;
    trace_event *events;
    size_t count, capacity, event_count, event_capacity;
} trace;

typedef struct memory {
    uint8_t *data;
    size_t bytes, capacity;
} memory;

static inline int append(void *user, dj_context *context, const void *data, size_t bytes)
{
    memory *m = user;
    (void)context;
    if (m->bytes + bytes > m->capacity) {
        m->capacity = 2 * (m->bytes + bytes);
        m->data = realloc(m->data, m->capacity);
        assert_non_null(m->data);
    }
    memcpy(m->data + m->bytes, data, bytes);
    m->bytes += bytes;
    return DJ_OK;
}

static inline void trace_add(trace *t, const dj_batch *batch)
{
    const dj_columns *c = &batch->column;
    uint32_t columns = dj_batch_columns(batch);
    for (uint32_t i = 0; i < batch->event_count; i++) {
        const dj_event *e = &batch->events[i];
        if (t->event_count == t->event_capacity) {
            t->event_capacity = 2 * t->event_capacity + 64;
            t->events = realloc(t->events, t->event_capacity * sizeof *t->events);
            assert_non_null(t->events);
        }
        t->events[t->event_count++] =
            (trace_event){t->count + e->index, e->a, e->b, e->c, e->type, strdup(e->text)};
    }
    for (uint32_t i = 0; i < batch->count; i++) {
        if (t->count == t->capacity) {
            t->capacity = 2 * t->capacity + 1024;
            t->records = realloc(t->records, t->capacity * sizeof *t->records);
            assert_non_null(t->records);
        }
        record *r = &t->records[t->count++];
        memset(r, 0, sizeof *r);
        r->columns = columns;
        r->address = c->address[i];
        r->size = c->size ? c->size[i] : 0;
        r->time = c->time ? c->time[i] : 0;
        r->device = c->device ? c->device[i] : 0;
        r->site = c->site ? c->site[i] : 0;
        r->place = c->place ? c->place[i] : 0;
        r->kind = c->kind ? c->kind[i] : 0;
    }
}

static inline void trace_free(trace *t)
{
    for (size_t i = 0; i < t->event_count; i++)
        free(t->events[i].text);
    free(t->events);
    free(t->records);
    *t = (trace){0};
}

// `got` equals `expected`, or is a prefix of it unless `complete`.
static inline void expect_trace(const trace *got, const trace *expected, bool complete)
{
    assert_true(got->count <= expected->count && got->event_count <= expected->event_count);
    if (complete) {
        assert_int_equal(got->count, expected->count);
        assert_int_equal(got->event_count, expected->event_count);
    }
    for (size_t i = 0; i < got->count; i++)
        if (memcmp(&got->records[i], &expected->records[i], sizeof(record)) != 0)
            fail_msg("access %zu differs", i);
    for (size_t i = 0; i < got->event_count; i++) {
        const trace_event *g = &got->events[i], *e = &expected->events[i];
        if (g->position != e->position || g->type != e->type || g->a != e->a || g->b != e->b ||
            g->c != e->c || strcmp(g->text, e->text) != 0)
            fail_msg("event %zu differs", i);
    }
}

// Reads a stream until its end or an error, which is returned.
static inline int read_stream(dj_context *context, const void *data, size_t bytes, trace *out)
{
    dj_source *source = NULL;
    dj_source_options options = {.format = "deja", .instructions = true};
    dj_batch *batch = NULL;
    *out = (trace){0};
    int err = dj_source_open_memory(context, data, bytes, "stream", &options, &source);
    while (!err) {
        err = dj_source_next(source, context, &batch);
        if (!batch)
            break;
        assert_true(batch->first == out->count);
        trace_add(out, batch);
        dj_batch_release(batch);
    }
    dj_source_close(source);
    return err;
}

// The distribution of the numbers of a random trace.
typedef struct shape {
    unsigned address; // 0: anything, 1: small, 2: a few streams, 3: sequential
    uint64_t sites;
    uint64_t sizes;       // 0: any size
    uint32_t event_share; // one event per this many accesses; 0: none
} shape;

static inline void fill_batch(dj_random *random, const shape *s, dj_batch *batch, uint32_t count,
                              uint32_t columns)
{
    dj_batch_buffers b = dj_batch_writable(batch);
    for (uint32_t i = 0; i < count; i++) {
        uint64_t r = dj_random_next(random), site = dj_random_below(random, s->sites);
        b.site[i] = (uint32_t)(site * 0x9e3779b1u);
        b.address[i] = s->address == 0   ? r
                       : s->address == 1 ? r % 1000
                       : s->address == 2 ? site << 40 | (8 * (uint64_t)i)
                                         : 0x7fff00000000u + 64 * (uint64_t)i;
        b.size[i] = s->sizes ? 1 + r % s->sizes : dj_random_next(random) >> (r % 64);
        b.time[i] = r % 7 + 10 * (uint64_t)i;
        b.device[i] = (uint32_t)(r >> 61);
        b.place[i] = (uint32_t)(r >> 33);
        b.kind[i] = (uint8_t)(s->sizes ? site % 3 : (r >> 56) % 5);
    }
    batch->count = count;
    dj_batch_set_columns(batch, columns);
}

static inline void add_events(dj_random *random, dj_context *context, dj_batch *batch, uint32_t count)
{
    static const char *const texts[] = {"", "", "main", "/usr/lib/x86_64-linux-gnu/libc.so.6", "é", ""};
    uint32_t index = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t rest = batch->count - index;
        index += i + 1 == count && dj_random_below(random, 2)
                     ? rest
                     : (uint32_t)dj_random_below(random, rest / 4 + 1);
        dj_event event = {.index = index,
                          .type = 1 + (uint32_t)dj_random_below(random, 10),
                          .a = dj_random_below(random, 5),
                          .b = dj_random_next(random),
                          .c = dj_random_next(random) >> dj_random_below(random, 64),
                          .text = texts[dj_random_below(random, 6)]};
        assert_int_equal(dj_batch_add_event(context, batch, &event), DJ_OK);
    }
}

// A sink that writes to memory.
static inline dj_sink *open_stream(dj_context *context, memory *to)
{
    static const dj_source_info info = {.format = "test",
                                        .kind = DJ_CLASS_MEMORY,
                                        .default_block = 64,
                                        .unit_bytes = 1,
                                        .columns = ALL_COLUMNS};
    dj_sink *sink = NULL;
    dj_sink_output output = {append, to};
    *to = (memory){0};
    assert_int_equal(dj_sink_create(context, "deja", &output, &info, NULL, &sink), DJ_OK);
    return sink;
}

#endif
