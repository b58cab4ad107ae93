// SPDX-License-Identifier: MIT
// Shows views to the observers on separate threads, so that counting overlaps with the engine's work on
// the next batches: on one thread to those that need them in order, on several to the others
// (observer_pool.h). Exists only while a pipeline runs; otherwise the caller may use the observers.
#ifndef DEJA_PIPELINE_DELIVERY_OBSERVER_THREADS_H
#define DEJA_PIPELINE_DELIVERY_OBSERVER_THREADS_H

#include "pipeline/delivery/observer_pool.h"

typedef struct dj_observer_threads dj_observer_threads;

enum dj_showing {
    DJ_SHOW_WATCH, // calls dj_observer_ops.watch
    DJ_SHOW_SEE,   // calls dj_observer_ops.see
};

typedef struct dj_observer_threads_config {
    const dj_setup *setup;        // that the observers were created with
    const dj_observer *observers; // must outlive this
    size_t observer_count;
    unsigned threads;     // at least one
    enum dj_showing last; // how each batch is shown for the last time
} dj_observer_threads_config;

// If they cannot all be started, it warns and *out is NULL: the caller shows the batches itself.
int dj_observer_threads_start(dj_context *context, const dj_observer_threads_config *config,
                              dj_observer_threads **out);

// Submits a view. What it points to must not change until it has been shown (the lane views themselves
// are copied). Waits while too many are in flight. Returns the error of an observer, if any.
int dj_observer_threads_submit(dj_observer_threads *threads, dj_context *context, enum dj_showing how,
                               const dj_view *view);

// Number of batches at the beginning of the run that have been shown for the last time.
uint64_t dj_observer_threads_done(dj_observer_threads *threads);

// Waits until everything has been shown, ends the threads and frees them. NULL is allowed.
int dj_observer_threads_stop(dj_observer_threads *threads, dj_context *context);

// Shows a view on the calling thread.
int dj_show(dj_context *context, const dj_observer *observers, size_t count, enum dj_showing how,
            const dj_view *view);

#endif
