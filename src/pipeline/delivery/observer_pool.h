// SPDX-License-Identifier: MIT
// Observers that share threads: each view is shown to all of them, by one of
// the threads. With several threads each has states of its own, which are merged
// into those of the first at the end; that is for observers that are `unordered`.
#ifndef DEJA_PIPELINE_DELIVERY_OBSERVER_POOL_H
#define DEJA_PIPELINE_DELIVERY_OBSERVER_POOL_H

#include "pipeline/delivery/deliver.h"
#include <deja/pipeline.h>

typedef struct dj_observer_pool {
    unsigned threads;
    size_t count;           // of the observers
    dj_observer *observers; // [thread][observer]
} dj_observer_pool;

// Which of the pipeline's observers take part.
enum dj_observer_pool_members { DJ_OBSERVER_POOL_ALL, DJ_OBSERVER_POOL_ORDERED, DJ_OBSERVER_POOL_UNORDERED };

// `observers` are the pipeline's, whose states the first thread has, and `setup` what they were told.
int dj_observer_pool_create(dj_observer_pool *pool, dj_context *context, const dj_setup *setup,
                            const dj_observer *observers, size_t observer_count,
                            enum dj_observer_pool_members who, unsigned threads);
// Makes the states of the first thread those of all.
int dj_observer_pool_merge(const dj_observer_pool *pool, dj_context *context);
void dj_observer_pool_destroy(dj_observer_pool *pool);

// Makes a state for an observer; `from` (NULL: none) has one that was saved.
int dj_observer_create(dj_observer *observer, dj_context *context, const dj_setup *setup,
                       const dj_observer_ops *ops, const void *options, dj_unpacker *from);

#endif
