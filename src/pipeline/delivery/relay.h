// SPDX-License-Identifier: MIT
// Shows views to the observers on threads of their own, so that counting
// overlaps with the engine's work on the next batches: on one thread to those
// that want them in order, on several to the others (observer_pool.h). Lives only while a
// pipeline runs; outside of that the observers belong to the caller.
#ifndef DEJA_PIPELINE_DELIVERY_RELAY_H
#define DEJA_PIPELINE_DELIVERY_RELAY_H

#include "pipeline/delivery/observer_pool.h"

typedef struct dj_relay dj_relay;

enum dj_showing {
    DJ_SHOW_WATCH, // to dj_observer_ops.watch
    DJ_SHOW_SEE,   // to dj_observer_ops.see
};

typedef struct dj_relay_config {
    const dj_setup *setup;        // that the observers were made with
    const dj_observer *observers; // outlive the relay
    size_t observer_count;
    unsigned threads;     // for them; at least one
    enum dj_showing last; // how each batch is shown for the last time
} dj_relay_config;

int dj_relay_start(dj_context *context, const dj_relay_config *config, dj_relay **out);

// Hands a view over. What it points to must stay as it is until the relay is
// done with it (the lane views themselves are copied). Waits while many are
// under way. Returns the error of an observer, if there was one.
int dj_relay_put(dj_relay *relay, dj_context *context, enum dj_showing how, const dj_view *view);

// How many batches were shown for the last time and are done with, and all before them.
uint64_t dj_relay_done(dj_relay *relay);

// Waits until all is shown, ends the threads, frees. NULL is fine.
int dj_relay_stop(dj_relay *relay, dj_context *context);

// Shows a view here and now.
int dj_show(dj_context *context, const dj_observer *observers, size_t count, enum dj_showing how,
            const dj_view *view);

#endif
