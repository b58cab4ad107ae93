// SPDX-License-Identifier: MIT
// One lock is enough: items are batches of thousands of accesses, so the cost lies in waking threads, not in
// locking.
#include "base/queue.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct group {
    pthread_cond_t filled;
    uint64_t taken;
    unsigned asleep;
} group;

struct dj_queue {
    pthread_mutex_t lock;
    pthread_cond_t slot_free, done;
    dj_queue_config config;
    uint64_t claimed, committed, freed; // items; the last two count items that are done with all before them
    bool closed;
    unsigned waiting_for_slot, waiting_for_end; // sleeping threads
    char *slots;
    uint64_t *number; // per slot: of the item claimed last
    bool *full;       // per slot: committed
    unsigned *left;   // per slot: groups that have not released it
    group groups[];
};

int dj_queue_create(dj_context *context, const dj_queue_config *config, dj_queue **out)
{
    unsigned groups = config->groups ? config->groups : 1;
    dj_queue *q = NULL;
    if (config->capacity <= SIZE_MAX / 2 / (config->item_bytes + sizeof *q->number))
        q = calloc(1, sizeof *q + groups * sizeof q->groups[0]);
    if (!q)
        return dj_fail_memory(context, "a queue", 0);
    q->config = *config;
    q->config.groups = groups;
    q->config.wake_items = config->wake_items ? config->wake_items : 1;
    q->config.wake_slots = config->wake_slots ? config->wake_slots : 1;
    pthread_condattr_t steady;
    pthread_condattr_init(&steady);
    pthread_condattr_setclock(&steady, CLOCK_MONOTONIC);
    pthread_mutex_init(&q->lock, NULL);
    pthread_cond_init(&q->slot_free, &steady);
    pthread_cond_init(&q->done, &steady);
    for (unsigned i = 0; i < groups; i++)
        pthread_cond_init(&q->groups[i].filled, &steady);
    pthread_condattr_destroy(&steady);
    q->slots = calloc(config->capacity, config->item_bytes);
    q->number = calloc(config->capacity, sizeof *q->number);
    q->full = calloc(config->capacity, sizeof *q->full);
    q->left = calloc(config->capacity, sizeof *q->left);
    if (!q->slots || !q->number || !q->full || !q->left) {
        dj_queue_destroy(q);
        return dj_fail_memory(context, "a queue", config->capacity * config->item_bytes);
    }
    *out = q;
    return DJ_OK;
}

void dj_queue_destroy(dj_queue *q)
{
    if (!q)
        return;
    for (unsigned i = 0; i < q->config.groups; i++)
        pthread_cond_destroy(&q->groups[i].filled);
    pthread_cond_destroy(&q->done);
    pthread_cond_destroy(&q->slot_free);
    pthread_mutex_destroy(&q->lock);
    free(q->slots);
    free(q->number);
    free(q->full);
    free(q->left);
    free(q);
}

void *dj_queue_slot(const dj_queue *q, uint64_t number)
{
    return q->slots + number % q->config.capacity * q->config.item_bytes;
}

static size_t index_of(const dj_queue *q, const void *slot)
{
    return (size_t)((const char *)slot - q->slots) / q->config.item_bytes;
}

uint64_t dj_queue_number(const dj_queue *q, const void *slot)
{
    return q->number[index_of(q, slot)];
}

// The functions below require the lock unless they acquire it.

static bool has_room(const dj_queue *q)
{
    return q->claimed - q->freed < q->config.capacity;
}

static void *claim(dj_queue *q, bool wait)
{
    while (wait && !has_room(q) && !q->closed) {
        q->waiting_for_slot++;
        pthread_cond_wait(&q->slot_free, &q->lock);
        q->waiting_for_slot--;
    }
    if (!has_room(q) || q->closed)
        return NULL;
    q->number[q->claimed % q->config.capacity] = q->claimed;
    return dj_queue_slot(q, q->claimed++);
}

static void wake_consumers(dj_queue *q, uint64_t more)
{
    uint64_t least = q->closed || q->waiting_for_end > 0 ? 1 : q->config.wake_items;
    for (unsigned i = 0; i < q->config.groups; i++) {
        group *g = &q->groups[i];
        if (g->asleep == 0 || q->committed - g->taken < least)
            continue;
        if (more == 1)
            pthread_cond_signal(&g->filled);
        else
            pthread_cond_broadcast(&g->filled);
    }
}

static void commit(dj_queue *q, size_t index)
{
    uint64_t before = q->committed;
    q->full[index] = true;
    q->left[index] = q->config.groups;
    while (q->committed < q->claimed && q->full[q->committed % q->config.capacity])
        q->full[q->committed++ % q->config.capacity] = false;
    if (q->committed > before)
        wake_consumers(q, q->committed - before);
}

static void release(dj_queue *q, size_t index)
{
    uint64_t before = q->freed;
    q->left[index]--;
    while (q->freed < q->committed && q->left[q->freed % q->config.capacity] == 0)
        q->freed++;
    if (q->freed == before)
        return;
    if (q->waiting_for_end > 0 && q->freed == q->claimed)
        pthread_cond_broadcast(&q->done);
    uint64_t free_slots = q->config.capacity - (q->claimed - q->freed);
    if (q->waiting_for_slot == 0 || free_slots < q->config.wake_slots)
        return;
    if (free_slots == 1)
        pthread_cond_signal(&q->slot_free);
    else
        pthread_cond_broadcast(&q->slot_free);
}

static bool has_ended(const dj_queue *q, const group *g)
{
    return q->closed && g->taken == q->claimed;
}

static void sleep_until_filled(dj_queue *q, group *g, const struct timespec *until)
{
    bool late = false;
    g->asleep++;
    while (!late && g->taken == q->committed && !has_ended(q, g))
        late = until ? pthread_cond_timedwait(&g->filled, &q->lock, until) == ETIMEDOUT
                     : pthread_cond_wait(&g->filled, &q->lock) != 0;
    g->asleep--;
}

static enum dj_queued take(dj_queue *q, group *g, int wait_ms, void **slot)
{
    if (g->taken == q->committed && wait_ms != DJ_QUEUE_TRY) {
        struct timespec until;
        if (wait_ms > 0) {
            clock_gettime(CLOCK_MONOTONIC, &until);
            until.tv_nsec += (long)(wait_ms % 1000) * 1000000;
            until.tv_sec += wait_ms / 1000 + until.tv_nsec / 1000000000;
            until.tv_nsec %= 1000000000;
        }
        sleep_until_filled(q, g, wait_ms > 0 ? &until : NULL);
    }
    if (g->taken == q->committed)
        return has_ended(q, g) ? DJ_QUEUED_END : DJ_QUEUED_NOTHING;
    *slot = dj_queue_slot(q, g->taken++);
    if (g->asleep > 0 && has_ended(q, g)) // other threads of the group wait for items that will not come
        pthread_cond_broadcast(&g->filled);
    return DJ_QUEUED_ITEM;
}

void *dj_queue_claim(dj_queue *q)
{
    pthread_mutex_lock(&q->lock);
    void *slot = claim(q, true);
    pthread_mutex_unlock(&q->lock);
    return slot;
}

void *dj_queue_try_claim(dj_queue *q)
{
    pthread_mutex_lock(&q->lock);
    void *slot = claim(q, false);
    pthread_mutex_unlock(&q->lock);
    return slot;
}

void dj_queue_commit(dj_queue *q, void *slot)
{
    pthread_mutex_lock(&q->lock);
    commit(q, index_of(q, slot));
    pthread_mutex_unlock(&q->lock);
}

bool dj_queue_put(dj_queue *q, const void *item)
{
    pthread_mutex_lock(&q->lock);
    void *slot = claim(q, true);
    if (slot) {
        memcpy(slot, item, q->config.item_bytes);
        commit(q, index_of(q, slot));
    }
    pthread_mutex_unlock(&q->lock);
    return slot != NULL;
}

enum dj_queued dj_queue_take(dj_queue *q, unsigned of, int wait_ms, void **slot)
{
    pthread_mutex_lock(&q->lock);
    enum dj_queued found = take(q, &q->groups[of], wait_ms, slot);
    pthread_mutex_unlock(&q->lock);
    return found;
}

void dj_queue_release(dj_queue *q, void *slot)
{
    pthread_mutex_lock(&q->lock);
    release(q, index_of(q, slot));
    pthread_mutex_unlock(&q->lock);
}

bool dj_queue_next(dj_queue *q, unsigned of, void **slot)
{
    pthread_mutex_lock(&q->lock);
    if (*slot)
        release(q, index_of(q, *slot));
    *slot = NULL;
    enum dj_queued found = take(q, &q->groups[of], DJ_QUEUE_FOREVER, slot);
    pthread_mutex_unlock(&q->lock);
    return found == DJ_QUEUED_ITEM;
}

enum dj_queued dj_queue_get(dj_queue *q, int wait_ms, void *item)
{
    void *slot = NULL;
    pthread_mutex_lock(&q->lock);
    enum dj_queued found = take(q, &q->groups[0], wait_ms, &slot);
    if (found == DJ_QUEUED_ITEM) {
        memcpy(item, slot, q->config.item_bytes);
        release(q, index_of(q, slot));
    }
    pthread_mutex_unlock(&q->lock);
    return found;
}

// Requires the lock.
static void wake_all_consumers(dj_queue *q)
{
    for (unsigned i = 0; i < q->config.groups; i++)
        pthread_cond_broadcast(&q->groups[i].filled);
}

void dj_queue_close(dj_queue *q)
{
    pthread_mutex_lock(&q->lock);
    q->closed = true;
    wake_all_consumers(q);
    pthread_cond_broadcast(&q->slot_free);
    pthread_mutex_unlock(&q->lock);
}

size_t dj_queue_waiting(dj_queue *q)
{
    pthread_mutex_lock(&q->lock);
    uint64_t least = q->committed;
    for (unsigned i = 0; i < q->config.groups; i++)
        least = q->groups[i].taken < least ? q->groups[i].taken : least;
    size_t waiting = (size_t)(q->committed - least);
    pthread_mutex_unlock(&q->lock);
    return waiting;
}

uint64_t dj_queue_done(dj_queue *q)
{
    pthread_mutex_lock(&q->lock);
    uint64_t done = q->freed;
    pthread_mutex_unlock(&q->lock);
    return done;
}

void dj_queue_wait_done(dj_queue *q)
{
    pthread_mutex_lock(&q->lock);
    wake_all_consumers(q);
    q->waiting_for_end++;
    while (q->freed < q->claimed)
        pthread_cond_wait(&q->done, &q->lock);
    q->waiting_for_end--;
    pthread_mutex_unlock(&q->lock);
}
