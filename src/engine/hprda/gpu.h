// SPDX-License-Identifier: MIT
// Engine hprda-gpu, seen from its own files and from those that measure it.
#ifndef DEJA_ENGINE_HPRDA_GPU_H
#define DEJA_ENGINE_HPRDA_GPU_H

#include "engine/hprda/shared.h"
#include "gpu/hprda.h"

typedef struct dj_hprda_gpu_options {
    dj_hprda_options common; // `threads`: of engine hprda where that must stand in
    bool timed;              // measure the steps
    uint64_t few;            // keys of a fragment up to which engine fast carries them, not gpu
} dj_hprda_gpu_options;

// What the steps took so far, with the option `timed` (Figure 15 of the paper). Returns how many there are.
size_t dj_hprda_gpu_steps(const void *state, dj_gpu_step steps[DJ_GPU_STEPS]);

// Engine hprda in place of the device. Its answers are the same, so work may be counted by it.
typedef struct dj_hprda_fallback {
    void *engine; // NULL: there is none
    bool totals;
    // With totals: the work that was taken over and is not yet counted, oldest first.
    dj_work **held;
    size_t held_count, held_room;
    dj_histogram *counted;
    uint64_t cold;
} dj_hprda_fallback;

int dj_hprda_fallback_create(dj_hprda_fallback *stand_in, dj_context *context,
                             const dj_hprda_options *options, bool totals);
void dj_hprda_fallback_free(dj_hprda_fallback *stand_in);
// With totals the work is not needed any more when it returns.
int dj_hprda_fallback_push(dj_hprda_fallback *stand_in, dj_context *context, dj_work *work);
int dj_hprda_fallback_drain(dj_hprda_fallback *stand_in, dj_context *context);

#endif
