// SPDX-License-Identifier: MIT
#include "trace/source/slices.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/queue.h"
#include "trace/input/input.h"

// Batches read ahead per thread: few enough to stay in the cache. Waking a thread can take as long as reading
// a batch, so threads that wait for free slots wait for several.
enum { DEPTH = 8 };

typedef struct slice {
    dj_batch *batch;
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
    dj_queue *queue;
    const dj_format *format;
    dj_pool *pool;
    uint64_t offset, bytes;  // of the first slice in the file; of each slice
    uint64_t records;        // in the slices returned so far
    bool ended;              // the last slice was returned
    unsigned count, started; // readers: one per thread, and the last one for the caller
    reader readers[];
};

static void read_slice(const reader *r, slice *out)
{
    const dj_slices *s = r->slices;
    uint64_t number = dj_queue_number(s->queue, out);
    *out = (slice){0};
    out->err = dj_pool_take(r->context, s->pool, &out->batch);
    if (!out->err) {
        dj_input_seek(r->input, s->offset + number * s->bytes);
        out->err = s->format->read(NULL, r->context, r->input, out->batch);
    }
    out->message = out->err ? strdup(dj_context_message(r->context)) : NULL;
}

static bool is_last(const slice *s)
{
    return s->err || s->batch->count < DJ_BATCH_CAPACITY;
}

static void read_into(const reader *r, slice *slot)
{
    read_slice(r, slot);
    // Discard what follows the end.
    if (is_last(slot))
        dj_queue_close(r->slices->queue);
    dj_queue_commit(r->slices->queue, slot);
}

static void *work(void *argument)
{
    const reader *r = argument;
    slice *slot;
    while ((slot = dj_queue_claim(r->slices->queue)) != NULL)
        read_into(r, slot);
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
    size_t depth = (size_t)count * DEPTH;
    dj_slices *s = calloc(1, sizeof *s + (count + 1) * sizeof s->readers[0]);
    if (!s)
        return dj_fail_memory(context, "the threads that read", 0);
    s->format = format;
    s->pool = pool;
    s->offset = dj_input_offset(input);
    s->bytes = (uint64_t)DJ_BATCH_CAPACITY * format->record_bytes;
    s->count = count;
    const dj_queue_config config = {.capacity = depth, .item_bytes = sizeof(slice), .wake_slots = depth / 2};
    if (dj_queue_create(context, &config, &s->queue) != DJ_OK || !start(s, input)) {
        dj_slices_destroy(s);
        return dj_fail_memory(context, "the threads that read", 0);
    }
    *out = s;
    return DJ_OK;
}

static void release(dj_slices *s)
{
    slice left;
    dj_queue_close(s->queue);
    for (unsigned i = 0; i < s->started; i++)
        pthread_join(s->readers[i].thread, NULL);
    while (dj_queue_get(s->queue, DJ_QUEUE_TRY, &left) == DJ_QUEUED_ITEM) {
        dj_batch_release(left.batch);
        free(left.message);
    }
    dj_queue_destroy(s->queue);
}

void dj_slices_destroy(dj_slices *s)
{
    if (!s)
        return;
    if (s->queue)
        release(s);
    for (unsigned i = 0; i <= s->count; i++) {
        dj_input_close(s->readers[i].input);
        dj_context_destroy(s->readers[i].context);
    }
    free(s);
}

// The caller also reads, while there are free slots, instead of waiting.
static slice wait_for_slice(const dj_slices *s)
{
    slice got = {0}, *slot;
    while (dj_queue_get(s->queue, DJ_QUEUE_TRY, &got) != DJ_QUEUED_ITEM) {
        if ((slot = dj_queue_try_claim(s->queue)) != NULL) {
            read_into(&s->readers[s->count], slot);
            continue;
        }
        (void)dj_queue_get(s->queue, DJ_QUEUE_FOREVER, &got);
        break;
    }
    return got;
}

int dj_slices_next(dj_slices *s, dj_context *context, dj_batch **out)
{
    *out = NULL;
    if (s->ended)
        return DJ_OK;
    slice got = wait_for_slice(s);
    s->ended = is_last(&got);
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
