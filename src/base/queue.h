// SPDX-License-Identifier: MIT
// A bounded queue between threads, first in, first out. Items lie in slots of the queue: a producer claims
// the next slot, fills it without the lock and commits it; several producers may commit in any order, and
// the order of the items is that of the claims. Every group of consumers takes every item; the threads of
// one group share them. A consumer works on a slot without the lock and releases it. A slot is used again
// when all groups have released it and all before it.
#ifndef DEJA_BASE_QUEUE_H
#define DEJA_BASE_QUEUE_H

#include <deja/error.h>

typedef struct dj_queue dj_queue;

typedef struct dj_queue_config {
    size_t capacity; // items under way, at least 1
    size_t item_bytes;
    unsigned groups; // of consumers; 0: one
    // To wake a thread can take longer than to deal with an item. Consumers that sleep are woken when so
    // many items wait for them, or someone waits for all of them; producers when so many slots are free.
    // 0: at the first one.
    size_t wake_items, wake_slots;
} dj_queue_config;

enum dj_queued {
    DJ_QUEUED_ITEM,
    DJ_QUEUED_NOTHING, // within the time given
    DJ_QUEUED_END,     // the queue is closed, and all items were taken
};

enum { DJ_QUEUE_TRY = 0, DJ_QUEUE_FOREVER = -1 }; // for wait_ms

int dj_queue_create(dj_context *context, const dj_queue_config *config, dj_queue **out);
// When no thread uses it. What items own is the caller's to free: close, take the rest, destroy. NULL is
// fine.
void dj_queue_destroy(dj_queue *queue);

// The next slot, with what its last item left in it. Waits for one; NULL: the queue is closed. What was
// claimed must be committed.
void *dj_queue_claim(dj_queue *queue);
void *dj_queue_try_claim(dj_queue *queue); // NULL also when no slot is free
void dj_queue_commit(dj_queue *queue, void *slot);
// Claims, copies and commits; false: the queue is closed.
bool dj_queue_put(dj_queue *queue, const void *item);

// The next item of a group, to be released.
enum dj_queued dj_queue_take(dj_queue *queue, unsigned of, int wait_ms, void **slot);
void dj_queue_release(dj_queue *queue, void *slot);
// Both at once: releases *slot, unless it is NULL, and takes the next one, for which it waits. False: there
// are no more.
bool dj_queue_next(dj_queue *queue, unsigned of, void **slot);
// Takes, copies and releases, for a queue with one group.
enum dj_queued dj_queue_get(dj_queue *queue, int wait_ms, void *item);

// No slot is claimed any more; all items that are claimed will be taken. From either side; again is fine.
void dj_queue_close(dj_queue *queue);

size_t dj_queue_waiting(dj_queue *queue); // items that can be taken, by the group that is furthest behind
uint64_t dj_queue_done(dj_queue *queue);  // items released by all groups, and all before them
void dj_queue_wait_done(dj_queue *queue); // until that is so for all that was claimed
// For who has claimed or taken the slot and not let go of it yet: the number of its item, from 0 in the
// order of the claims.
uint64_t dj_queue_number(const dj_queue *queue, const void *slot);
// The slot of an item by its number. Of those that are done it still
// holds the last `capacity` that were, until the slot is claimed again.
void *dj_queue_slot(const dj_queue *queue, uint64_t number);

#endif
