// SPDX-License-Identifier: MIT
// A trace in memory, read whole and written down in a notation that is easy to
// write by hand: accesses and events separated by blanks,
//
//     R1f40+8@2#0     a read (W write, M modify, I fetch, O other; nothing
//                     without a kind) at hexadecimal address 1f40, size 8,
//                     device 2, site 0, each where the batch has the column
//     module0         an event: there is a module
//     site0=4004d6    an event: site 0 is at offset 4004d6 (site0=name for names)
//     thread1=main    from here on thread 1, whose name is reported once
#ifndef DEJA_TESTS_READING_H
#define DEJA_TESTS_READING_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <deja/deja.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct reading {
    char text[1 << 16];
    size_t used;
    uint64_t accesses;
    int err;
    char message[2048]; // "" without an error
    dj_source_info info;
} reading;

static inline void reading_add(reading *r, const char *format, ...) DJ_PRINTF(2, 3);
static inline void reading_add(reading *r, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int n = vsnprintf(r->text + r->used, sizeof r->text - r->used, format, args);
    va_end(args);
    assert_true(n >= 0);
    if ((size_t)n < sizeof r->text - r->used) // if it does not fit it is only counted
        r->used += (size_t)n;
}

static inline void reading_event(reading *r, const dj_event *event)
{
    const char *gap = r->used ? " " : "";
    if (event->type == DJ_EVENT_MODULE)
        reading_add(r, "%smodule%" PRIu64, gap, event->a);
    else if (event->type == DJ_EVENT_SITE && event->text[0])
        reading_add(r, "%ssite%" PRIu64 "=%s", gap, event->a, event->text);
    else if (event->type == DJ_EVENT_SITE)
        reading_add(r, "%ssite%" PRIu64 "=%" PRIx64, gap, event->a, event->c);
    else if (event->type == DJ_EVENT_THREAD && event->text[0])
        reading_add(r, "%sthread%" PRIu64 "=%s", gap, event->a, event->text);
    else if (event->type == DJ_EVENT_THREAD)
        reading_add(r, "%sthread%" PRIu64, gap, event->a);
    else
        reading_add(r, "%sevent%u", gap, event->type);
}

static inline void reading_batch(reading *r, const dj_batch *batch)
{
    uint32_t event = 0;
    const dj_columns *c = &batch->column;
    assert_true(batch->count <= DJ_BATCH_CAPACITY);
    assert_int_equal(batch->first, r->accesses);
    for (uint32_t i = 0; i <= batch->count; i++) {
        for (; event < batch->event_count && batch->events[event].index == i; event++)
            reading_event(r, &batch->events[event]);
        if (i == batch->count)
            break;
        reading_add(r, "%s", r->used ? " " : "");
        if (c->kind)
            reading_add(r, "%c", "RWMIO"[c->kind[i]]);
        reading_add(r, "%" PRIx64, c->address[i]);
        if (c->size)
            reading_add(r, "+%" PRIu64, c->size[i]);
        if (c->device)
            reading_add(r, "@%u", c->device[i]);
        if (c->site)
            reading_add(r, "#%u", c->site[i]);
    }
    assert_int_equal(event, batch->event_count);
    r->accesses += batch->count;
}

// Reads the rest of a source.
static inline void reading_drain(reading *r, dj_context *context, dj_source *source)
{
    dj_batch *batch = NULL;
    r->info = *dj_source_get_info(source);
    while (!(r->err = dj_source_next(source, context, &batch)) && batch) {
        reading_batch(r, batch);
        dj_batch_release(batch);
    }
}

// Reads `bytes` bytes of a trace of this name; the caller frees the result.
static inline reading *reading_named(const char *name, const void *data, size_t bytes,
                                     const dj_source_options *options)
{
    reading *r = calloc(1, sizeof *r);
    dj_context *context = NULL;
    dj_source *source = NULL;
    assert_non_null(r);
    assert_int_equal(dj_context_create(&context), DJ_OK);
    r->err = dj_source_open_memory(context, data, bytes, name, options, &source);
    if (!r->err)
        reading_drain(r, context, source);
    if (r->err)
        snprintf(r->message, sizeof r->message, "%s", dj_context_message(context));
    dj_source_close(source);
    dj_context_destroy(context);
    return r;
}

static inline reading *reading_bytes(const void *data, size_t bytes, const dj_source_options *options)
{
    return reading_named("t", data, bytes, options);
}

static inline reading *reading_text(const char *text, const char *format)
{
    return reading_bytes(text, strlen(text), &(dj_source_options){.format = format});
}

#endif
