// SPDX-License-Identifier: MIT
// Internals of engine hprda-gpu, also for its benchmarks.
#ifndef DEJA_ENGINE_HPRDA_GPU_H
#define DEJA_ENGINE_HPRDA_GPU_H

#include "engine/hprda/shared.h"
#include "gpu/hprda.h"

typedef struct dj_hprda_gpu_options {
    dj_hprda_options common; // `threads`: for engine hprda as the fallback
    bool timed;              // measure the steps
    // Up to this many keys per fragment engine fast connects fragments, with more engine gpu.
    uint64_t few;
} dj_hprda_gpu_options;

// The time of the steps so far, with the option `timed` (Figure 15 of the paper). Returns their number.
size_t dj_hprda_gpu_steps(const void *state, dj_gpu_step steps[DJ_GPU_STEPS]);

// Engine hprda in place of the device. Its answers are the same, so it may also count them.
typedef struct dj_hprda_fallback {
    void *engine; // NULL: none
    bool totals;
    // With totals: copies of work that is not counted yet, oldest first.
    dj_work **held;
    size_t held_count, held_capacity;
    dj_histogram *counted;
    uint64_t cold;
} dj_hprda_fallback;

int dj_hprda_fallback_create(dj_hprda_fallback *fallback, dj_context *context,
                             const dj_hprda_options *options, bool totals);
void dj_hprda_fallback_free(dj_hprda_fallback *fallback);
// With totals the caller may reuse the work on return.
int dj_hprda_fallback_push(dj_hprda_fallback *fallback, dj_context *context, dj_work *work);
int dj_hprda_fallback_drain(dj_hprda_fallback *fallback, dj_context *context);

#endif
