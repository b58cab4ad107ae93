// SPDX-License-Identifier: MIT
// Exact reuse distances on a CUDA device, chunk by chunk: what engine gpu sees
// of it. The keys of all chunks before stay on the device, in the order of their
// last accesses, and stand before each chunk as if they had been accessed again,
// so that its distances are those in the whole trace. exact.cu has the method.
// Not for concurrent use. A failure leaves nothing to go on with but dj_gpu_close.
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
    unsigned driver, runtime; // versions as CUDA numbers them: 13000 is 13.0
    char why[200];            // there is none, in a few words
} dj_gpu_info;

// The device that is used. Where there is none: DJ_ERR_DEVICE, with the reason.
int dj_gpu_find(dj_context *context, dj_gpu_info *out);

// The CUDA that it is built with and the devices that it is built for, or NULL where it is built without.
const char *dj_gpu_built_for(void);

// Memory of this machine that the device reads and writes at full speed.
int dj_gpu_pin(dj_context *context, size_t bytes, void **out);
void dj_gpu_unpin(void *memory); // NULL is fine
// Memory of the device, filled from `from`; for who has a trace there already.
int dj_gpu_hold(dj_context *context, const void *from, size_t bytes, void **out);
void dj_gpu_let_go(void *memory); // NULL is fine

typedef struct dj_gpu dj_gpu;

typedef struct dj_gpu_config {
    uint64_t chunk;   // new accesses in a chunk, at most
    uint64_t carried; // distinct keys before a chunk, at most
    uint32_t use;     // bits of dj_capability: DJ_CAN_TOTALS, or else a distance for each access; tags, times
    bool timed;       // measure the steps, which costs a little
} dj_gpu_config;

// chunk + carried must stay below it.
#define DJ_GPU_MOST ((uint64_t)1 << 31)

// How much of its memory the device needs for it.
uint64_t dj_gpu_bytes(const dj_gpu_config *config);

// DJ_ERR_MEMORY: the device has not enough; a smaller chunk may do.
int dj_gpu_open(dj_context *context, const dj_gpu_config *config, dj_gpu **out);
void dj_gpu_close(dj_gpu *gpu); // NULL is fine

// Before the first chunk: these keys, at most `carried`, have been seen, the last one last.
int dj_gpu_begin(dj_gpu *gpu, dj_context *context, const dj_order *order);

// Makes room for longer chunks and more keys; what it knows, and what was put, stays. Waits for all that was
// started. DJ_ERR_MEMORY: the device has not enough for both at once, and all is as it was.
int dj_gpu_grow(dj_gpu *gpu, dj_context *context, uint64_t chunk, uint64_t carried);

typedef struct dj_gpu_columns {
    const uint64_t *key;
    const uint32_t *tag;  // with DJ_CAN_TAGS
    const uint64_t *time; // with DJ_CAN_TIMES
} dj_gpu_columns;

// Begins to copy more accesses into the next chunk, from pinned memory or from memory of the device (or,
// slower, from any other), which must stay as it is until dj_gpu_wait_put returned for *ticket. Waits while
// both buffers for chunks are in use.
int dj_gpu_put(dj_gpu *gpu, dj_context *context, const dj_gpu_columns *columns, uint64_t count,
               uint64_t *ticket);
int dj_gpu_wait_put(dj_gpu *gpu, dj_context *context, uint64_t ticket);

// Where the answers of a chunk go, in pinned memory: one for each access.
typedef struct dj_gpu_answers {
    uint32_t *distance;  // DJ_GPU_COLD at a first access
    uint32_t *prev_tag;  // with DJ_CAN_TAGS; 0 when cold
    uint64_t *prev_time; // with DJ_CAN_TIMES; DJ_COLD when cold
} dj_gpu_answers;

#define DJ_GPU_COLD UINT32_MAX

// Starts the analysis of what was put since the last call. `answers` is for all but DJ_CAN_TOTALS.
// Waits for the analysis of the chunk before; then, when more keys are held than `carried` allows, it is
// DJ_ERR_UNSUPPORTED, and after dj_gpu_finish dj_gpu_order and dj_gpu_take_back may be asked for what the
// next device begins with.
int dj_gpu_analyze(dj_gpu *gpu, dj_context *context, const dj_gpu_answers *answers);
// Waits until the oldest chunk whose answers were not waited for has its answers.
int dj_gpu_wait_answers(dj_gpu *gpu, dj_context *context);
// Waits for all that was started; tells how many keys are held.
int dj_gpu_finish(dj_gpu *gpu, dj_context *context, uint64_t *keys);

// How many keys were held when a chunk was last waited for.
uint64_t dj_gpu_keys(const dj_gpu *gpu);

// After dj_gpu_finish. Adds what was counted since dj_gpu_open.
int dj_gpu_totals(dj_gpu *gpu, dj_context *context, dj_histogram *into, uint64_t *cold);
// After dj_gpu_finish: the keys, least recently used first. Freed with dj_order_free.
int dj_gpu_order(dj_gpu *gpu, dj_context *context, dj_order *out);

// After dj_gpu_finish: the accesses that were put and not analyzed, in the columns of an order. Freed with
// dj_order_free.
int dj_gpu_take_back(dj_gpu *gpu, dj_context *context, dj_order *out);

// What the steps took so far, with config.timed, after dj_gpu_finish.
typedef struct dj_gpu_step {
    const char *name;
    double seconds;
    double bytes; // that it must read and write, at least
} dj_gpu_step;

enum { DJ_GPU_STEPS = 16 };
// Returns how many there are.
size_t dj_gpu_steps(const dj_gpu *gpu, dj_gpu_step steps[DJ_GPU_STEPS]);

#ifdef __cplusplus
}
#endif
#endif
