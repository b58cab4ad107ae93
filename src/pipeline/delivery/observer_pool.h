// SPDX-License-Identifier: MIT
// Observers that share threads: one of the threads shows each view to all of them. With several
// threads, each thread has its own states, which are merged into those of the first at the end; this
// requires observers that are `unordered`.
#ifndef DEJA_PIPELINE_DELIVERY_OBSERVER_POOL_H
#define DEJA_PIPELINE_DELIVERY_OBSERVER_POOL_H

#include "pipeline/delivery/delivery.h"
#include <deja/pipeline.h>

typedef struct dj_observer_pool {
    unsigned threads;
    size_t count;           // number of observers
    dj_observer *observers; // [thread][observer]
} dj_observer_pool;

// Which of the pipeline's observers belong to the pool.
enum dj_observer_pool_members { DJ_OBSERVER_POOL_ALL, DJ_OBSERVER_POOL_ORDERED, DJ_OBSERVER_POOL_UNORDERED };

// `observers` are the pipeline's; the first thread uses their states. `setup` is the one they were
// created with.
int dj_observer_pool_create(dj_observer_pool *pool, dj_context *context, const dj_setup *setup,
                            const dj_observer *observers, size_t observer_count,
                            enum dj_observer_pool_members members, unsigned threads);
// Merges the states of all threads into those of the first.
int dj_observer_pool_merge(const dj_observer_pool *pool, dj_context *context);
void dj_observer_pool_destroy(dj_observer_pool *pool);

// Creates the state of an observer, or loads it from `from` unless that is NULL.
int dj_observer_create(dj_observer *observer, dj_context *context, const dj_setup *setup,
                       const dj_observer_ops *ops, const void *options, dj_unpacker *from);

#endif
