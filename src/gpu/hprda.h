// SPDX-License-Identifier: MIT
// The algorithm of the 2012 paper on a CUDA device, fragment by fragment: the interface for engine
// hprda-gpu. hprda.cu describes the method. Not thread-safe. After a failure only dj_gpu_hprda_close
// may be called.
#ifndef DEJA_GPU_HPRDA_H
#define DEJA_GPU_HPRDA_H

#include "gpu/device.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct dj_gpu_hprda dj_gpu_hprda;

typedef struct dj_gpu_hprda_config {
    uint64_t fragment; // maximum number of accesses; below 2^31
    uint64_t st;       // accesses per local trace
    bool adjusts;      // scale down distances between local traces that are larger than the number of keys,
    bool always;       // or all of them
    bool totals;       // count distances; otherwise return one for each access
    bool timed;        // measure the steps, at a small cost
} dj_gpu_hprda_config;

// The device memory needed.
uint64_t dj_gpu_hprda_bytes(const dj_gpu_hprda_config *config);

// DJ_ERR_MEMORY: not enough device memory.
int dj_gpu_hprda_open(dj_context *context, const dj_gpu_hprda_config *config, dj_gpu_hprda **out);
void dj_gpu_hprda_close(dj_gpu_hprda *gpu); // NULL is allowed

// Starts to copy more accesses of a fragment from pinned memory, which must not change until the next
// call of any function has returned.
int dj_gpu_hprda_put(dj_gpu_hprda *gpu, dj_context *context, const uint64_t *key, uint64_t count);
// Analyzes the fragment that was put since the last call, and returns its number of keys.
int dj_gpu_hprda_analyze(dj_gpu_hprda *gpu, dj_context *context, uint64_t *keys);

// Without `totals`: copies distances of the last fragment into pinned memory; DJ_GPU_COLD if the
// fragment has no earlier access.
int dj_gpu_hprda_distances(dj_gpu_hprda *gpu, dj_context *context, uint64_t from, uint64_t count,
                           uint32_t *out);
// The keys of that fragment in the order of their first accesses, and then, if needed, of their last
// ones, before more is put.
int dj_gpu_hprda_first(dj_gpu_hprda *gpu, dj_context *context, uint64_t *out);
int dj_gpu_hprda_last(dj_gpu_hprda *gpu, dj_context *context, uint64_t *out);

// With `totals`: adds the distances of all fragments, without the first accesses in each.
int dj_gpu_hprda_totals(dj_gpu_hprda *gpu, dj_context *context, dj_histogram *into);

// The time of the steps so far, with config.timed. Returns their number.
size_t dj_gpu_hprda_steps(const dj_gpu_hprda *gpu, dj_gpu_step steps[DJ_GPU_STEPS]);

#ifdef __cplusplus
}
#endif
#endif
