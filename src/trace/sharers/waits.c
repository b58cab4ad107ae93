// SPDX-License-Identifier: MIT
// Each wait is three numbers in groups of 7 bits, the lowest first: how much `at` increases, the thread, and
// the difference of `accesses`, whose sign is the lowest bit. Differences in a block begin with zeros.
#include "trace/sharers/waits.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"

enum { BLOCK_BYTES = 8192, WAIT_BYTES = 25 };

typedef struct block_place {
    uint64_t offset;
    uint32_t bytes;
} block_place;

typedef struct waiting {
    uint8_t *bytes; // not yet written; NULL: none
    size_t count;
    dj_wait last;
    block_place *blocks;
    size_t block_count, block_capacity;
} waiting;

struct dj_waits {
    unsigned references;
    dj_store *store;
    waiting *threads;
    size_t count;
    uint32_t *numbers; // of the threads that are waited for, as those who read know them
    uint64_t total;
};

int dj_waits_create(dj_context *context, dj_store *store, dj_waits **out)
{
    dj_waits *w = calloc(1, sizeof *w);
    if (!w)
        return dj_fail_memory(context, "the waits of threads", sizeof *w);
    w->references = 1;
    w->store = dj_store_retain(store);
    *out = w;
    return DJ_OK;
}

dj_waits *dj_waits_retain(dj_waits *w)
{
    w->references++;
    return w;
}

static void free_waiting(waiting *t)
{
    free(t->bytes);
    free(t->blocks);
}

void dj_waits_release(dj_waits *w)
{
    if (!w || --w->references > 0)
        return;
    for (size_t i = 0; i < w->count; i++)
        free_waiting(&w->threads[i]);
    free(w->threads);
    free(w->numbers);
    dj_store_release(w->store);
    free(w);
}

uint64_t dj_waits_count(const dj_waits *w)
{
    return w->total;
}

static int flush(dj_waits *w, dj_context *context, waiting *t)
{
    uint64_t offset;
    if (t->count == 0)
        return DJ_OK;
    int err = dj_grow(context, "the waits of threads", &t->blocks, &t->block_capacity, t->block_count + 1,
                      sizeof *t->blocks);
    if (!err)
        err = dj_store_append(w->store, context, t->bytes, t->count, &offset);
    if (err)
        return err;
    t->blocks[t->block_count++] = (block_place){offset, (uint32_t)t->count};
    t->count = 0;
    t->last = (dj_wait){0};
    return DJ_OK;
}

static void put(waiting *t, uint64_t number)
{
    for (; number >= 0x80; number >>= 7)
        t->bytes[t->count++] = (uint8_t)(number | 0x80);
    t->bytes[t->count++] = (uint8_t)number;
}

static int reserve(dj_waits *w, dj_context *context, uint32_t thread)
{
    int err = dj_grow(context, "the waits of threads", &w->threads, &w->count, (size_t)thread + 1,
                      sizeof *w->threads);
    waiting *t = err ? NULL : &w->threads[thread];
    if (!err && t->count + WAIT_BYTES > BLOCK_BYTES)
        err = flush(w, context, t);
    if (!err && !t->bytes && !(t->bytes = malloc(BLOCK_BYTES)))
        err = dj_fail_memory(context, "the waits of threads", BLOCK_BYTES);
    return err;
}

int dj_waits_add(dj_waits *w, dj_context *context, uint32_t thread, const dj_wait *wait)
{
    int err = reserve(w, context, thread);
    if (err)
        return err;
    waiting *t = &w->threads[thread];
    bool less = wait->accesses < t->last.accesses;
    put(t, wait->at - t->last.at);
    put(t, wait->thread);
    put(t, (less ? t->last.accesses - wait->accesses : wait->accesses - t->last.accesses) << 1 | less);
    t->last = *wait;
    w->total++;
    return DJ_OK;
}

// Writes what is in memory.
static int flush_all(dj_waits *w, dj_context *context)
{
    int err = DJ_OK;
    for (size_t i = 0; !err && i < w->count; i++) {
        err = flush(w, context, &w->threads[i]);
        free(w->threads[i].bytes);
        w->threads[i].bytes = NULL;
    }
    return err;
}

int dj_waits_finish(dj_waits *w, dj_context *context, const uint32_t *numbers, uint32_t count,
                    uint32_t thread_count)
{
    int err = flush_all(w, context);
    if (err)
        return err;
    waiting *threads = calloc((size_t)thread_count + 1, sizeof *threads);
    w->numbers = calloc((size_t)count + 1, sizeof *w->numbers);
    if (!threads || !w->numbers) {
        free(threads);
        return dj_fail_memory(context, "the waits of threads", 0);
    }
    memcpy(w->numbers, numbers, count * sizeof *numbers);
    for (size_t i = 0; i < w->count; i++)
        if (i < count && numbers[i] < thread_count)
            threads[numbers[i]] = w->threads[i];
        else
            free_waiting(&w->threads[i]);
    free(w->threads);
    w->threads = threads;
    w->count = thread_count;
    return DJ_OK;
}

static uint64_t get(dj_wait_reader *r)
{
    uint64_t number = 0;
    for (unsigned shift = 0; r->at < r->count; shift += 7) {
        uint8_t byte = r->bytes[r->at++];
        number |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80)
            break;
    }
    return number;
}

static int read_block(const dj_waits *w, dj_context *context, const waiting *t, dj_wait_reader *r)
{
    const block_place *place = &t->blocks[r->next++];
    if (!r->bytes && !(r->bytes = malloc(BLOCK_BYTES)))
        return dj_fail_memory(context, "the waits of threads", BLOCK_BYTES);
    r->at = 0;
    r->count = place->bytes;
    r->last = (dj_wait){0};
    return dj_store_load(w->store, context, place->offset, r->bytes, place->bytes);
}

int dj_waits_next(const dj_waits *w, dj_context *context, uint32_t thread, dj_wait_reader *r, dj_wait *out,
                  bool *more)
{
    const waiting *t = thread < w->count ? &w->threads[thread] : NULL;
    *more = t && (r->at < r->count || r->next < t->block_count);
    if (!*more)
        return DJ_OK;
    int err = r->at == r->count ? read_block(w, context, t, r) : DJ_OK;
    if (err)
        return err;
    r->last.at += get(r);
    r->last.thread = (uint32_t)get(r);
    uint64_t difference = get(r);
    r->last.accesses += difference & 1 ? -(difference >> 1) : difference >> 1;
    *out = r->last;
    out->thread = w->numbers[r->last.thread];
    return DJ_OK;
}

void dj_wait_reader_free(dj_wait_reader *r)
{
    free(r->bytes);
    *r = (dj_wait_reader){0};
}
