// SPDX-License-Identifier: MIT
#include "trace/slices.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "trace/input.h"

// Batches that are read ahead for each thread: few enough that they stay in the cache. To wake a thread
// can take as long as to read one, so those that wait for room wait for more of it.
enum { DEPTH = 8 };

typedef struct slice {
    dj_batch *batch; // NULL: not read yet
    int err;
    char *message;
} slice;

typedef struct reader {
    pthread_t thread;
    dj_slices *slices;
    dj_context *context;
    dj_input *input;
} reader;

struct dj_slices {
    pthread_mutex_t mutex;
    pthread_cond_t room, filled;
    const dj_format *format;
    dj_pool *pool;
    uint64_t offset, bytes; // of the first slice in the file; of each
    slice *ring;
    size_t depth;
    uint64_t begun, given;   // slices that a thread has begun with; that were given out
    uint64_t records;        // in those
    bool closing;            // no more are begun
    bool ended;              // the last one was given out
    unsigned count, started; // readers: of threads, and the last one of who asks for batches
    reader readers[];
};

static void read_slice(reader *r, uint64_t number, slice *out)
{
    const dj_slices *s = r->slices;
    out->err = dj_pool_take(r->context, s->pool, &out->batch);
    if (!out->err) {
        dj_input_seek(r->input, s->offset + number * s->bytes);
        out->err = s->format->read(NULL, r->context, r->input, out->batch);
    }
    out->message = out->err ? strdup(dj_context_message(r->context)) : NULL;
}

// With the mutex, which is let go meanwhile; there is room.
static void read_next(reader *r)
{
    dj_slices *s = r->slices;
    uint64_t number = s->begun++;
    slice next = {0};
    pthread_mutex_unlock(&s->mutex);
    read_slice(r, number, &next);
    pthread_mutex_lock(&s->mutex);
    s->ring[number % s->depth] = next;
    // What comes after the end is nobody's.
    s->closing = s->closing || next.err || next.batch->count < DJ_BATCH_CAPACITY;
    if (number == s->given)
        pthread_cond_signal(&s->filled);
}

static bool has_room(const dj_slices *s)
{
    return s->begun - s->given < s->depth && !s->closing;
}

static void *work(void *argument)
{
    reader *r = argument;
    dj_slices *s = r->slices;
    pthread_mutex_lock(&s->mutex);
    while (!s->closing)
        if (has_room(s))
            read_next(r);
        else
            pthread_cond_wait(&s->room, &s->mutex);
    pthread_mutex_unlock(&s->mutex);
    return NULL;
}

static bool start(dj_slices *s, const dj_input *input)
{
    for (unsigned i = 0; i <= s->count; i++) {
        reader *r = &s->readers[i];
        r->slices = s;
        if (dj_context_create(&r->context) != DJ_OK || dj_input_share(r->context, input, &r->input) != DJ_OK)
            return false;
    }
    while (s->started < s->count &&
           pthread_create(&s->readers[s->started].thread, NULL, work, &s->readers[s->started]) == 0)
        s->started++;
    return s->started > 0;
}

int dj_slices_create(dj_context *context, const dj_input *input, const dj_format *format, dj_pool *pool,
                     unsigned threads, dj_slices **out)
{
    unsigned count = threads < DJ_SLICES_THREADS_MOST ? threads : (unsigned)DJ_SLICES_THREADS_MOST;
    dj_slices *s = calloc(1, sizeof *s + (count + 1) * sizeof s->readers[0]);
    if (!s)
        return dj_fail_memory(context, "the threads that read", 0);
    s->format = format;
    s->pool = pool;
    s->offset = dj_input_offset(input);
    s->bytes = (uint64_t)DJ_BATCH_CAPACITY * format->record_bytes;
    s->depth = (size_t)count * DEPTH;
    s->count = count;
    s->ring = calloc(s->depth, sizeof *s->ring);
    pthread_mutex_init(&s->mutex, NULL);
    pthread_cond_init(&s->room, NULL);
    pthread_cond_init(&s->filled, NULL);
    if (!s->ring || !start(s, input)) {
        dj_slices_destroy(s);
        return dj_fail_memory(context, "the threads that read", 0);
    }
    *out = s;
    return DJ_OK;
}

void dj_slices_destroy(dj_slices *s)
{
    if (!s)
        return;
    pthread_mutex_lock(&s->mutex);
    s->closing = true;
    pthread_cond_broadcast(&s->room);
    pthread_mutex_unlock(&s->mutex);
    for (unsigned i = 0; i < s->started; i++)
        pthread_join(s->readers[i].thread, NULL);
    for (unsigned i = 0; i <= s->count; i++) {
        dj_input_close(s->readers[i].input);
        dj_context_destroy(s->readers[i].context);
    }
    for (size_t i = 0; s->ring && i < s->depth; i++) {
        dj_batch_release(s->ring[i].batch);
        free(s->ring[i].message);
    }
    free(s->ring);
    pthread_cond_destroy(&s->filled);
    pthread_cond_destroy(&s->room);
    pthread_mutex_destroy(&s->mutex);
    free(s);
}

int dj_slices_next(dj_slices *s, dj_context *context, dj_batch **out)
{
    *out = NULL;
    if (s->ended)
        return DJ_OK;
    pthread_mutex_lock(&s->mutex);
    slice *at = &s->ring[s->given % s->depth];
    while (!at->batch && !at->err)
        if (has_room(s))
            read_next(&s->readers[s->count]);
        else
            pthread_cond_wait(&s->filled, &s->mutex);
    slice got = *at;
    *at = (slice){0};
    s->given++;
    if (s->begun - s->given <= s->depth / 2)
        pthread_cond_broadcast(&s->room);
    pthread_mutex_unlock(&s->mutex);
    s->ended = got.err || got.batch->count < DJ_BATCH_CAPACITY;
    s->records += got.batch ? got.batch->count : 0;
    *out = got.batch;
    if (got.err)
        (void)dj_fail(context, (enum dj_err)got.err, "%s", got.message ? got.message : "cannot be read");
    free(got.message);
    return got.err;
}

uint64_t dj_slices_offset(const dj_slices *s)
{
    return s->offset + s->records * s->format->record_bytes;
}
