// SPDX-License-Identifier: MIT
// Invariants of every batch, whatever the trace. A violation crashes, which is what
// the fuzzer looks for.
#ifndef TESTS_FUZZ_CHECK_H
#define TESTS_FUZZ_CHECK_H

#include <deja/source.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(condition)                                                                                     \
    do {                                                                                                     \
        if (!(condition)) {                                                                                  \
            fprintf(stderr, "%s:%d: does not hold: %s\n", __FILE__, __LINE__, #condition);                   \
            abort();                                                                                         \
        }                                                                                                    \
    } while (0)

// At most this much of a trace is read.
enum { ACCESSES_MOST = 1 << 18 };

typedef struct outcome {
    int err;
    uint64_t accesses, events;
    bool foreign_sites; // the trace contains its own site numbers
    uint64_t sites;     // reported so far
    uint64_t digest;
} outcome;

static void digest_add(outcome *o, uint64_t value)
{
    o->digest = (o->digest ^ value) * UINT64_C(1099511628211);
}

static void check_event(outcome *o, const dj_event *event, uint64_t position)
{
    CHECK(event->type >= DJ_EVENT_MODULE && event->type <= DJ_EVENT_LAST);
    CHECK(event->text);
    o->sites += event->type == DJ_EVENT_SITE;
    digest_add(o, position);
    digest_add(o, event->type);
    digest_add(o, event->a);
    digest_add(o, event->b);
    digest_add(o, event->c);
    for (const char *c = event->text; *c; c++)
        digest_add(o, (uint8_t)*c);
    o->events++;
}

static void check_access(outcome *o, const dj_columns *column, uint32_t i)
{
    digest_add(o, column->address[i]);
    if (column->size)
        digest_add(o, column->size[i]);
    if (column->device)
        digest_add(o, column->device[i]);
    if (column->site) {
        CHECK(o->foreign_sites || column->site[i] < o->sites);
        digest_add(o, column->site[i]);
    }
    if (column->kind) {
        CHECK(column->kind[i] <= DJ_KIND_OTHER);
        digest_add(o, column->kind[i]);
    }
    o->accesses++;
}

static void check_batch(outcome *o, const dj_batch *batch, uint32_t columns)
{
    uint32_t event = 0;
    CHECK(batch->count <= DJ_BATCH_CAPACITY);
    CHECK(batch->count == 0 || batch->column.address);
    CHECK((dj_batch_columns(batch) & ~columns) == 0);
    for (uint32_t i = 0; i <= batch->count; i++) {
        for (; event < batch->event_count && batch->events[event].index <= i; event++) {
            CHECK(batch->events[event].index == i); // ordered
            check_event(o, &batch->events[event], o->accesses);
        }
        if (i < batch->count)
            check_access(o, &batch->column, i);
    }
    CHECK(event == batch->event_count);
}

// Reads a source to its end or to the limit above.
static inline outcome check_source(dj_context *context, dj_source *source)
{
    outcome o = {.foreign_sites = strcmp(dj_source_get_info(source)->format, "deja") == 0};
    dj_batch *batch = NULL;
    uint32_t columns = dj_source_get_info(source)->columns;
    CHECK(dj_source_get_info(source)->default_block > 0);
    do {
        o.err = dj_source_next(source, context, &batch);
        CHECK(!o.err || !batch);
        if (batch) {
            CHECK(batch->first == o.accesses);
            CHECK(batch->count || batch->event_count);
            check_batch(&o, batch, columns);
        }
        dj_batch_release(batch);
    } while (!o.err && batch && o.accesses < ACCESSES_MOST);
    dj_progress progress;
    dj_source_progress(source, &progress);
    CHECK(progress.bytes_read <= progress.bytes_total);
    return o;
}

#endif
