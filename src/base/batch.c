// SPDX-License-Identifier: MIT
// Pooled, reference-counted batches.
#include <deja/batch.h>

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"

typedef struct pooled {
    dj_batch batch; // first, so that a pointer to the batch is a pointer to this
    atomic_uint references;
    dj_pool *pool;
    struct pooled *next_free;
    dj_batch_buffers buffers;
    dj_event *events;
    uint32_t event_capacity;
    char **texts; // copies that the events point to
    uint32_t text_count;
} pooled;

struct dj_pool {
    atomic_flag lock;
    pooled *free;
};

static void lock(dj_pool *pool)
{
    while (atomic_flag_test_and_set_explicit(&pool->lock, memory_order_acquire))
        ;
}

static void unlock(dj_pool *pool)
{
    atomic_flag_clear_explicit(&pool->lock, memory_order_release);
}

static void forget_events(pooled *p)
{
    for (uint32_t i = 0; i < p->text_count; i++)
        free(p->texts[i]);
    p->text_count = 0;
    p->batch.event_count = 0;
    p->batch.events = p->events;
}

static void destroy(pooled *p)
{
    if (!p)
        return;
    forget_events(p);
    free(p->texts);
    free(p->events);
    free(p->buffers.address);
    free(p);
}

// All columns are in one allocation; pages of unused columns are never touched.
static int allocate_buffers(pooled *p)
{
    size_t n = DJ_BATCH_CAPACITY;
    char *at = aligned_alloc(DJ_READ_ALIGNMENT, n * (5 * sizeof(uint64_t) + 4 * sizeof(uint32_t) + 2));
    if (!at)
        return -1;
    p->buffers.address = (uint64_t *)(void *)at;
    p->buffers.size = p->buffers.address + n;
    p->buffers.time = p->buffers.size + n;
    p->buffers.clock = p->buffers.time + n;
    p->buffers.offset = p->buffers.clock + n;
    p->buffers.device = (uint32_t *)(void *)(p->buffers.offset + n);
    p->buffers.site = p->buffers.device + n;
    p->buffers.place = p->buffers.site + n;
    p->buffers.sharer = p->buffers.place + n;
    p->buffers.kind = (uint8_t *)(void *)(p->buffers.sharer + n);
    p->buffers.continuation = p->buffers.kind + n;
    return 0;
}

int dj_pool_create(dj_context *context, dj_pool **out)
{
    *out = calloc(1, sizeof **out);
    if (!*out)
        return dj_fail_memory(context, "the batch pool", 0);
    atomic_flag_clear(&(*out)->lock);
    return DJ_OK;
}

void dj_pool_destroy(dj_pool *pool)
{
    if (!pool)
        return;
    while (pool->free) {
        pooled *next = pool->free->next_free;
        destroy(pool->free);
        pool->free = next;
    }
    free(pool);
}

int dj_pool_take(dj_context *context, dj_pool *pool, dj_batch **out)
{
    lock(pool);
    pooled *p = pool->free;
    if (p)
        pool->free = p->next_free;
    unlock(pool);
    if (!p) {
        p = calloc(1, sizeof *p);
        if (!p || allocate_buffers(p) != 0) {
            free(p);
            return dj_fail_memory(context, "a batch", 0);
        }
        p->pool = pool;
    }
    forget_events(p);
    memset(&p->batch.column, 0, sizeof p->batch.column);
    p->batch.first = 0;
    p->batch.count = 0;
    atomic_store(&p->references, 1);
    *out = &p->batch;
    return DJ_OK;
}

void dj_batch_retain(dj_batch *batch)
{
    atomic_fetch_add(&((pooled *)batch)->references, 1);
}

void dj_batch_release(dj_batch *batch)
{
    pooled *p = (pooled *)batch;
    if (!p || atomic_fetch_sub(&p->references, 1) != 1)
        return;
    dj_pool *pool = p->pool;
    lock(pool);
    p->next_free = pool->free;
    pool->free = p;
    unlock(pool);
}

dj_batch_buffers dj_batch_writable(dj_batch *batch)
{
    return ((pooled *)batch)->buffers;
}

void dj_batch_set_columns(dj_batch *batch, uint32_t columns)
{
    const dj_batch_buffers *b = &((pooled *)batch)->buffers;
    dj_columns *c = &batch->column;
    c->address = b->address;
    c->size = columns & DJ_COLUMN_SIZE ? b->size : NULL;
    c->device = columns & DJ_COLUMN_DEVICE ? b->device : NULL;
    c->site = columns & DJ_COLUMN_SITE ? b->site : NULL;
    c->place = columns & DJ_COLUMN_PLACE ? b->place : NULL;
    c->offset = columns & DJ_COLUMN_OFFSET ? b->offset : NULL;
    c->sharer = columns & DJ_COLUMN_SHARER ? b->sharer : NULL;
    c->time = columns & DJ_COLUMN_TIME ? b->time : NULL;
    c->kind = columns & DJ_COLUMN_KIND ? b->kind : NULL;
    c->clock = columns & DJ_COLUMN_CLOCK ? b->clock : NULL;
    c->continuation = NULL;
}

uint32_t dj_batch_columns(const dj_batch *batch)
{
    const dj_columns *c = &batch->column;
    return (c->size ? DJ_COLUMN_SIZE : 0u) | (c->device ? DJ_COLUMN_DEVICE : 0u) |
           (c->site ? DJ_COLUMN_SITE : 0u) | (c->place ? DJ_COLUMN_PLACE : 0u) |
           (c->sharer ? DJ_COLUMN_SHARER : 0u) | (c->time ? DJ_COLUMN_TIME : 0u) |
           (c->kind ? DJ_COLUMN_KIND : 0u) | (c->clock ? DJ_COLUMN_CLOCK : 0u) |
           (c->offset ? DJ_COLUMN_OFFSET : 0u);
}

static int make_room(pooled *p)
{
    if (p->batch.event_count < p->event_capacity)
        return 0;
    uint32_t capacity = p->event_capacity ? 2 * p->event_capacity : 64;
    dj_event *events = realloc(p->events, capacity * sizeof *events);
    if (!events)
        return -1;
    p->batch.events = p->events = events;
    char **texts = realloc(p->texts, capacity * sizeof *texts);
    if (!texts)
        return -1;
    p->texts = texts;
    p->event_capacity = capacity;
    return 0;
}

int dj_batch_add_event(dj_context *context, dj_batch *batch, const dj_event *event)
{
    pooled *p = (pooled *)batch;
    if (make_room(p) != 0)
        return dj_fail_memory(context, "the events of a batch", 0);
    const char *text = "";
    if (event->text && event->text[0]) {
        char *copy = strdup(event->text);
        if (!copy)
            return dj_fail_memory(context, "the text of an event", 0);
        p->texts[p->text_count++] = copy;
        text = copy;
    }
    dj_event *slot = &p->events[batch->event_count++];
    *slot = *event;
    slot->text = text;
    return DJ_OK;
}

void dj_batch_copy_access(dj_batch *to, uint32_t to_index, const dj_batch *from, uint32_t from_index)
{
    const dj_batch_buffers *b = &((pooled *)to)->buffers;
    const dj_columns *c = &from->column;
    b->address[to_index] = c->address[from_index];
    if (c->size)
        b->size[to_index] = c->size[from_index];
    if (c->device)
        b->device[to_index] = c->device[from_index];
    if (c->site)
        b->site[to_index] = c->site[from_index];
    if (c->place)
        b->place[to_index] = c->place[from_index];
    if (c->offset)
        b->offset[to_index] = c->offset[from_index];
    if (c->sharer)
        b->sharer[to_index] = c->sharer[from_index];
    if (c->time)
        b->time[to_index] = c->time[from_index];
    if (c->kind)
        b->kind[to_index] = c->kind[from_index];
    if (c->clock)
        b->clock[to_index] = c->clock[from_index];
}
