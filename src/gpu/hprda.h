// SPDX-License-Identifier: MIT
// The algorithm of the 2012 paper on a CUDA device, fragment by fragment: what
// engine hprda-gpu sees of it. hprda.cu has the method. Not for concurrent use.
// A failure leaves nothing to go on with but dj_gpu_hprda_close.
#ifndef DEJA_GPU_HPRDA_H
#define DEJA_GPU_HPRDA_H

#include "gpu/device.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct dj_gpu_hprda dj_gpu_hprda;

typedef struct dj_gpu_hprda_config {
    uint64_t fragment; // accesses, at most; below 2^31
    uint64_t st;       // accesses of a piece
    bool adjusts;      // distances between pieces that are larger than the number of keys are scaled down,
    bool always;       // or all of them
    bool totals;       // distances are counted; a distance for each access otherwise
    bool timed;        // measure the steps, which costs a little
} dj_gpu_hprda_config;

// How much of its memory the device needs for it.
uint64_t dj_gpu_hprda_bytes(const dj_gpu_hprda_config *config);

// DJ_ERR_MEMORY: the device has not enough.
int dj_gpu_hprda_open(dj_context *context, const dj_gpu_hprda_config *config, dj_gpu_hprda **out);
void dj_gpu_hprda_close(dj_gpu_hprda *gpu); // NULL is fine

// Begins to copy more accesses of a fragment from pinned memory, which must stay as it is until the next
// call, whatever that is, returned.
int dj_gpu_hprda_put(dj_gpu_hprda *gpu, dj_context *context, const uint64_t *key, uint64_t count);
// Analyzes the fragment that was put since the last call, and tells its number of keys.
int dj_gpu_hprda_analyze(dj_gpu_hprda *gpu, dj_context *context, uint64_t *keys);

// Without `totals`: distances of the fragment that was analyzed last, into pinned memory; DJ_GPU_COLD
// where the fragment has no access before.
int dj_gpu_hprda_distances(dj_gpu_hprda *gpu, dj_context *context, uint64_t from, uint64_t count,
                           uint32_t *out);
// The keys of that fragment in the order of their first accesses, and then, if asked for, of their last
// ones, before more is put.
int dj_gpu_hprda_first(dj_gpu_hprda *gpu, dj_context *context, uint64_t *out);
int dj_gpu_hprda_last(dj_gpu_hprda *gpu, dj_context *context, uint64_t *out);

// With `totals`: adds the distances of all fragments, but for the first accesses in each.
int dj_gpu_hprda_totals(dj_gpu_hprda *gpu, dj_context *context, dj_histogram *into);

// What the steps took so far, with config.timed. Returns how many there are.
size_t dj_gpu_hprda_steps(const dj_gpu_hprda *gpu, dj_gpu_step steps[DJ_GPU_STEPS]);

#ifdef __cplusplus
}
#endif
#endif
