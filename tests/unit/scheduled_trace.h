// SPDX-License-Identifier: MIT
// Traces of threads that synchronize, as sources: random events, locks, barriers.
#ifndef DEJA_TESTS_SCHEDULED_TRACE_H
#define DEJA_TESTS_SCHEDULED_TRACE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
// cmocka needs the four above it
#include <cmocka.h>

#include <deja/sharers.h>
#include <stdlib.h>

#include "base/random.h"
#include "support/context.h"

enum { THREADS_MOST = 12, OBJECTS = 3, WORDS = 40, ITEMS_MOST = 60000 };

// An access or an event, of one thread.
typedef struct item {
    bool access;
    uint32_t thread;
    uint64_t address, size;
    uint32_t device;
    uint8_t kind;
    uint32_t event; // its type
    uint64_t a, b, c;
    const char *text; // NULL: ""
} item;

typedef struct trace {
    item *items;
    size_t count;
    uint32_t threads;
    bool kinds, keys;
    // As a source.
    size_t at;
    dj_random random;
    uint32_t last;
} trace;

static void add(trace *t, item one)
{
    assert_true(t->count < ITEMS_MOST);
    t->items[t->count++] = one;
}

static void add_access(trace *t, dj_random *r, uint32_t thread, uint64_t words)
{
    uint64_t word = dj_random_below(r, words);
    add(t, (item){.access = true,
                  .thread = thread,
                  .address = 4 * word + dj_random_below(r, 4),
                  .size = dj_random_below(r, 20) ? dj_random_below(r, 6) : dj_random_below(r, 200),
                  .device = dj_random_below(r, 10) == 0,
                  .kind = (uint8_t)dj_random_below(r, 5)});
}

static void add_sync(trace *t, uint32_t thread, uint64_t what, uint64_t object)
{
    add(t, (item){.thread = thread, .event = DJ_EVENT_SYNC, .a = what, .b = object});
}

// Anything in any order. The last thread makes no accesses.
static void make_random(trace *t, dj_random *r, size_t count, uint64_t words, unsigned events)
{
    uint32_t thread = 0;
    for (size_t i = 0; i < count; i++) {
        if (dj_random_below(r, 4) == 0)
            thread = (uint32_t)dj_random_below(r, t->threads);
        uint64_t object = dj_random_below(r, OBJECTS);
        if (thread + 1 < t->threads && dj_random_below(r, 100) >= events)
            add_access(t, r, thread, words);
        else if (dj_random_below(r, 4) == 0)
            add(t, (item){.thread = thread,
                          .event = dj_random_below(r, 2) ? DJ_EVENT_ALLOC : DJ_EVENT_FREE,
                          .a = i,
                          .b = object});
        else
            add_sync(t, thread, dj_random_below(r, 8), object);
    }
}

// Critical sections of random locks.
static void make_locks(trace *t, dj_random *r, size_t count, uint64_t words)
{
    for (size_t i = 0; i < count / 8; i++) {
        uint32_t thread = (uint32_t)dj_random_below(r, t->threads);
        uint64_t lock = dj_random_below(r, OBJECTS);
        add_sync(t, thread, DJ_SYNC_ACQUIRE, lock);
        for (uint64_t k = dj_random_below(r, 6); k > 0; k--)
            add_access(t, r, thread, words);
        add_sync(t, thread, DJ_SYNC_RELEASE, lock);
    }
}

// Phases with a barrier after each; threads are created before and joined after.
static void make_barriers(trace *t, dj_random *r, size_t count, uint64_t words)
{
    for (uint32_t i = 1; i < t->threads; i++)
        add_sync(t, 0, DJ_SYNC_RELEASE | DJ_SYNC_THREAD, i);
    for (uint32_t i = 1; i < t->threads; i++)
        add_sync(t, i, DJ_SYNC_ACQUIRE | DJ_SYNC_THREAD, i);
    for (size_t phase = 0; phase < count / 100; phase++) {
        for (size_t i = 0; i < 100; i++)
            add_access(t, r, (uint32_t)dj_random_below(r, t->threads), words);
        for (uint32_t i = 0; i < t->threads; i++)
            add_sync(t, i, DJ_SYNC_RELEASE, 77);
        for (uint32_t i = 0; i < t->threads; i++)
            add_sync(t, i, DJ_SYNC_ACQUIRE, 77);
    }
    for (uint32_t i = 1; i < t->threads; i++)
        add_sync(t, i, DJ_SYNC_RELEASE | DJ_SYNC_THREAD, i);
    for (uint32_t i = 1; i < t->threads; i++)
        add_sync(t, 0, DJ_SYNC_ACQUIRE | DJ_SYNC_THREAD, i);
    add_access(t, r, 0, words);
}

static int next(void *state, dj_context *ctx, dj_pool *pool, dj_batch **out)
{
    trace *t = state;
    *out = NULL;
    if (t->at == t->count)
        return DJ_OK;
    assert_int_equal(dj_pool_take(ctx, pool, out), DJ_OK);
    dj_batch_buffers to = dj_batch_writable(*out);
    uint32_t n = 0, most = dj_random_below(&t->random, 3) ? 1 + (uint32_t)dj_random_below(&t->random, 50)
                                                          : (uint32_t)DJ_BATCH_CAPACITY;
    for (; n < most && t->at < t->count; t->at++) {
        const item *i = &t->items[t->at];
        dj_event event = {.index = n, .type = DJ_EVENT_THREAD, .a = 100 + i->thread, .text = ""};
        if (t->at == 0 || i->thread != t->last)
            assert_int_equal(dj_batch_add_event(ctx, *out, &event), DJ_OK);
        t->last = i->thread;
        if (!i->access) {
            event = (dj_event){n, i->event, i->a, i->b, i->c, i->text ? i->text : ""};
            assert_int_equal(dj_batch_add_event(ctx, *out, &event), DJ_OK);
            continue;
        }
        to.address[n] = i->address;
        to.size[n] = i->size;
        to.device[n] = i->device;
        to.kind[n] = i->kind;
        to.site[n++] = (uint32_t)t->at; // identifies the access
    }
    (*out)->count = n;
    dj_batch_set_columns(*out, DJ_COLUMN_SIZE | DJ_COLUMN_DEVICE | DJ_COLUMN_SITE |
                                   (t->kinds ? (uint32_t)DJ_COLUMN_KIND : 0u));
    return DJ_OK;
}

static dj_source *open_trace(trace *t, uint64_t batches)
{
    static const dj_source_ops ops = {.next = next};
    const dj_source_info info = {.format = "test",
                                 .kind = t->keys ? DJ_CLASS_KEYS : DJ_CLASS_MEMORY,
                                 .default_block = 64,
                                 .unit_bytes = !t->keys,
                                 .columns = DJ_COLUMN_SIZE | DJ_COLUMN_DEVICE | DJ_COLUMN_SITE |
                                            (t->kinds ? (uint32_t)DJ_COLUMN_KIND : 0u),
                                 .provides = DJ_COLUMN_THREAD};
    dj_source *source = NULL;
    t->at = 0;
    dj_random_seed(&t->random, batches);
    assert_int_equal(dj_source_create(context, &ops, t, &info, &source), DJ_OK);
    return source;
}

#endif
