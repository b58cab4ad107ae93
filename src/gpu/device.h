// SPDX-License-Identifier: MIT
// Exact reuse distances on a CUDA device, chunk by chunk: the interface for engine gpu. The keys of all
// earlier chunks stay on the device, in the order of their last accesses, and precede each chunk as if
// they had been accessed again, so that its distances are those in the complete trace. exact.cu
// describes the method. Not thread-safe. After a failure only dj_gpu_close may be called.
#ifndef DEJA_GPU_DEVICE_H
#define DEJA_GPU_DEVICE_H

#include <deja/engine.h>
#include <deja/histogram.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct dj_gpu_info {
    char name[256];
    uint64_t bytes, free_bytes;
    unsigned major, minor; // compute capability
    unsigned processors;
    unsigned driver, runtime; // CUDA version numbers: 13000 is 13.0
    char why[200];            // why there is none
} dj_gpu_info;

// Describes the device that is used. If there is none: DJ_ERR_DEVICE, with the reason.
int dj_gpu_find(dj_context *context, dj_gpu_info *out);

// The CUDA version and the devices that this is built for, or NULL if built without CUDA.
const char *dj_gpu_built_for(void);

// Host memory that the device reads and writes at full speed.
int dj_gpu_pin(dj_context *context, size_t bytes, void **out);
void dj_gpu_unpin(void *memory); // NULL is allowed
// Device memory, filled from `from`; for callers that keep a trace there.
int dj_gpu_allocate(dj_context *context, const void *from, size_t bytes, void **out);
void dj_gpu_free(void *memory); // NULL is allowed

typedef struct dj_gpu dj_gpu;

typedef struct dj_gpu_config {
    uint64_t chunk;        // maximum number of new accesses in a chunk
    uint64_t key_capacity; // maximum number of distinct keys before a chunk
    // Bits of dj_capability: DJ_CAN_TOTALS, or else a distance for each access; tags, times.
    uint32_t use;
    bool timed; // measure the steps, at a small cost
} dj_gpu_config;

// chunk + key_capacity must be less than this.
#define DJ_GPU_MOST ((uint64_t)1 << 31)

// The device memory needed.
uint64_t dj_gpu_bytes(const dj_gpu_config *config);

// DJ_ERR_MEMORY: not enough device memory; a smaller chunk may fit.
int dj_gpu_open(dj_context *context, const dj_gpu_config *config, dj_gpu **out);
void dj_gpu_close(dj_gpu *gpu); // NULL is allowed

// Before the first chunk: starts with these keys, at most `key_capacity`, most recent last.
int dj_gpu_begin(dj_gpu *gpu, dj_context *context, const dj_order *order);

// Makes space for longer chunks and more keys; keeps the state and the accesses that were put. Waits
// for everything that was started. DJ_ERR_MEMORY: not enough device memory for both at once; nothing
// has changed.
int dj_gpu_grow(dj_gpu *gpu, dj_context *context, uint64_t chunk, uint64_t key_capacity);

typedef struct dj_gpu_columns {
    const uint64_t *key;
    const uint32_t *tag;  // with DJ_CAN_TAGS
    const uint64_t *time; // with DJ_CAN_TIMES
} dj_gpu_columns;

// Starts to copy more accesses into the next chunk, from pinned memory or from device memory (or, more
// slowly, from any other), which must not change until dj_gpu_wait_put has returned for *ticket. Waits
// while both chunk buffers are in use.
int dj_gpu_put(dj_gpu *gpu, dj_context *context, const dj_gpu_columns *columns, uint64_t count,
               uint64_t *ticket);
int dj_gpu_wait_put(dj_gpu *gpu, dj_context *context, uint64_t ticket);

// Where the answers of a chunk go, in pinned memory: one per access.
typedef struct dj_gpu_answers {
    uint32_t *distance;  // DJ_GPU_COLD at a first access
    uint32_t *prev_tag;  // with DJ_CAN_TAGS; 0 if cold
    uint64_t *prev_time; // with DJ_CAN_TIMES; DJ_COLD if cold
} dj_gpu_answers;

#define DJ_GPU_COLD UINT32_MAX

// Starts the analysis of what was put since the last call. `answers` is required except with
// DJ_CAN_TOTALS. Waits for the analysis of the previous chunk. If there are then more keys than
// `key_capacity`, returns DJ_ERR_UNSUPPORTED; after dj_gpu_finish, dj_gpu_order and dj_gpu_take_back
// return what the next device must begin with.
int dj_gpu_analyze(dj_gpu *gpu, dj_context *context, const dj_gpu_answers *answers);
// Waits for the answers of the oldest chunk that was not waited for.
int dj_gpu_wait_answers(dj_gpu *gpu, dj_context *context);
// Waits for everything that was started; returns the number of keys.
int dj_gpu_finish(dj_gpu *gpu, dj_context *context, uint64_t *keys);

// The number of keys when a chunk was last waited for.
uint64_t dj_gpu_keys(const dj_gpu *gpu);

// After dj_gpu_finish. Adds what was counted since dj_gpu_open.
int dj_gpu_totals(dj_gpu *gpu, dj_context *context, dj_histogram *into, uint64_t *cold);
// After dj_gpu_finish: the keys, least recently used first. Freed with dj_order_free.
int dj_gpu_order(dj_gpu *gpu, dj_context *context, dj_order *out);

// After dj_gpu_finish: the accesses that were put but not analyzed, in the columns of an order. Freed
// with dj_order_free.
int dj_gpu_take_back(dj_gpu *gpu, dj_context *context, dj_order *out);

// The time of the steps so far, with config.timed, after dj_gpu_finish.
typedef struct dj_gpu_step {
    const char *name;
    double seconds;
    double bytes; // minimum that must be read and written
} dj_gpu_step;

enum { DJ_GPU_STEPS = 16 };
// Returns their number.
size_t dj_gpu_steps(const dj_gpu *gpu, dj_gpu_step steps[DJ_GPU_STEPS]);

#ifdef __cplusplus
}
#endif
#endif
