// SPDX-License-Identifier: MIT
// A bounded FIFO queue between threads. Items are stored in the queue's slots: a producer claims the next
// slot, fills it without the lock and commits it. Several producers may commit in any order; items keep the
// order of the claims. Every group of consumers receives every item; the threads of a group share them. A
// consumer works on a slot without the lock and releases it. A slot is reused when all groups have released
// it and all slots before it.
#ifndef DEJA_BASE_QUEUE_H
#define DEJA_BASE_QUEUE_H

#include <deja/error.h>

typedef struct dj_queue dj_queue;

typedef struct dj_queue_config {
    size_t capacity; // items in flight, at least 1
    size_t item_bytes;
    unsigned groups; // of consumers; 0: one
    // Waking a thread can cost more than processing an item. Sleeping consumers are woken when this many
    // items wait for them, or when someone waits for all items; producers when this many slots are free. 0:
    // at the first one.
    size_t wake_items, wake_slots;
} dj_queue_config;

enum dj_queued {
    DJ_QUEUED_ITEM,
    DJ_QUEUED_NOTHING, // within the given time
    DJ_QUEUED_END,     // the queue is closed and all items were taken
};

enum { DJ_QUEUE_TRY = 0, DJ_QUEUE_FOREVER = -1 }; // for wait_ms

int dj_queue_create(dj_context *context, const dj_queue_config *config, dj_queue **out);
// Call when no thread uses the queue. The caller frees what items own: close, take the rest, destroy. NULL is
// allowed.
void dj_queue_destroy(dj_queue *queue);

// Returns the next slot, which still contains its last item. Waits for one; NULL: the queue is closed. A
// claimed slot must be committed.
void *dj_queue_claim(dj_queue *queue);
void *dj_queue_try_claim(dj_queue *queue); // NULL also if no slot is free
void dj_queue_commit(dj_queue *queue, void *slot);
// Claims, copies and commits; false: the queue is closed.
bool dj_queue_put(dj_queue *queue, const void *item);

// Takes the next item of a group, which must be released.
enum dj_queued dj_queue_take(dj_queue *queue, unsigned of, int wait_ms, void **slot);
void dj_queue_release(dj_queue *queue, void *slot);
// Releases *slot, unless it is NULL, and takes the next one, waiting for it. False: there are no more.
bool dj_queue_next(dj_queue *queue, unsigned of, void **slot);
// Takes, copies and releases, for a queue with one group.
enum dj_queued dj_queue_get(dj_queue *queue, int wait_ms, void *item);

// No more slots can be claimed; all claimed items will still be taken. Either side may call it, repeatedly.
void dj_queue_close(dj_queue *queue);

size_t dj_queue_waiting(dj_queue *queue); // items available to the group that is furthest behind
uint64_t dj_queue_done(dj_queue *queue);  // items that all groups have released, with all items before them
void dj_queue_wait_done(dj_queue *queue); // waits until all claimed items are done
// The number of the slot's item, from 0 in the order of the claims. Only for a thread that has claimed or
// taken the slot and not yet let go of it.
uint64_t dj_queue_number(const dj_queue *queue, const void *slot);
// The slot of an item by its number. The last `capacity` done items remain valid until their slots are
// claimed again.
void *dj_queue_slot(const dj_queue *queue, uint64_t number);

#endif
