// SPDX-License-Identifier: MIT
// The threads of one trace in the order that a request states: a stage between the attribution and the
// pipeline.
#ifndef DEJA_MEASURE_THREADS_H
#define DEJA_MEASURE_THREADS_H

#include <deja/measure.h>

typedef struct dj_thread_order {
    dj_stored_threads *stored; // NULL: the recorded order
    dj_source *source;         // of the threads as sharers
} dj_thread_order;

// Reads `inner`, which the caller keeps, to its end, unless the order is the recorded one.
int dj_thread_order_begin(dj_context *context, const dj_sharing_request *request,
                          const dj_store_progress *progress, dj_source *inner, dj_thread_order *out);
void dj_thread_order_end(dj_thread_order *order); // before closing the inner source

#endif
