// SPDX-License-Identifier: MIT
// Reads a whole trace in memory and keeps all that comes, for tests.
#ifndef TESTS_UNIT_READING_H
#define TESTS_UNIT_READING_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <deja/source.h>

enum { READING_MOST = 4096, READING_EVENTS = 64 };

typedef struct reading {
    int err; // of opening or of the first failing next
    char message[2048];
    char format[32];
    uint32_t columns;
    size_t count, event_count;
    uint64_t address[READING_MOST], size[READING_MOST];
    uint32_t device[READING_MOST], site[READING_MOST];
    uint8_t kind[READING_MOST];
    dj_event events[READING_EVENTS]; // with index as position in the trace; texts are not kept
} reading;

static void reading_keep(reading *r, const dj_batch *batch)
{
    assert_int_equal(batch->first, r->count);
    assert_true(batch->count <= DJ_BATCH_CAPACITY);
    for (uint32_t i = 0; i < batch->event_count; i++) {
        assert_true(r->event_count < READING_EVENTS);
        assert_true(batch->events[i].index <= batch->count);
        assert_true(i == 0 || batch->events[i - 1].index <= batch->events[i].index);
        r->events[r->event_count] = batch->events[i];
        r->events[r->event_count].index += (uint32_t)r->count;
        r->events[r->event_count++].text = "";
    }
    for (uint32_t i = 0; i < batch->count; i++, r->count++) {
        assert_true(r->count < READING_MOST);
        r->address[r->count] = batch->column.address[i];
        if (batch->column.size)
            r->size[r->count] = batch->column.size[i];
        if (batch->column.device)
            r->device[r->count] = batch->column.device[i];
        if (batch->column.site)
            r->site[r->count] = batch->column.site[i];
        if (batch->column.kind)
            r->kind[r->count] = batch->column.kind[i];
    }
}

static void reading_drain(reading *r, dj_context *context, dj_source *source)
{
    dj_batch *batch = NULL;
    do {
        r->err = dj_source_next(source, context, &batch);
        if (batch)
            reading_keep(r, batch);
        dj_batch_release(batch);
    } while (!r->err && batch);
}

// `name` decides the extension; `options` may be NULL.
static inline reading *reading_of(const void *data, size_t bytes, const char *name,
                                  const dj_source_options *options)
{
    reading *r = calloc(1, sizeof *r);
    dj_context *context = NULL;
    dj_source *source = NULL;
    assert_non_null(r);
    assert_int_equal(dj_context_create(&context), DJ_OK);
    r->err = dj_source_open_memory(context, data, bytes, name, options, &source);
    if (!r->err) {
        strcpy(r->format, dj_source_get_info(source)->format);
        r->columns = dj_source_get_info(source)->columns;
        reading_drain(r, context, source);
    }
    strcpy(r->message, dj_context_message(context));
    dj_source_close(source);
    dj_context_destroy(context);
    return r;
}

static inline reading *reading_as(const char *format, const void *data, size_t bytes)
{
    dj_source_options options = {.format = format};
    return reading_of(data, bytes, "memory", &options);
}

#endif
