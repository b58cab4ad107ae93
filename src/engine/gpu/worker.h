// SPDX-License-Identifier: MIT
// The thread of engine gpu that serves the device: chunks, their length, and what to do when the number
// of keys or the memory requires another one. If the device does not have enough memory even for short
// chunks, engine fast replaces it.
#ifndef DEJA_ENGINE_GPU_WORKER_H
#define DEJA_ENGINE_GPU_WORKER_H

#include "engine/gpu/queue.h"

// Limits for chunks.
typedef struct dj_gpu_limits {
    uint64_t asked_chunk; // 0: chosen automatically
    uint64_t most_chunk;  // limited by host memory, if work waits for answers
    uint64_t asked_bytes; // of device memory; 0: all
} dj_gpu_limits;

// Initial maximum length of chunks, and capacity for keys.
void dj_gpu_size_first(const dj_gpu_limits *limits, dj_gpu_config *config);
// Increases both for the given number of existing keys.
void dj_gpu_size_more(const dj_gpu_limits *limits, uint64_t keys, dj_gpu_config *config);
// The best length for the next chunk, within the capacity.
uint64_t dj_gpu_size_chunk(const dj_gpu_limits *limits, const dj_gpu_config *config, uint64_t keys);
// The next smaller sizes. False: there are none.
bool dj_gpu_size_shrink(const dj_gpu_limits *limits, uint64_t keys, dj_gpu_config *config);
// The maximum number of accesses that may wait for answers in host memory.
uint64_t dj_gpu_size_most(uint32_t use);

// Engine fast in place of a device.
typedef struct dj_gpu_fallback dj_gpu_fallback;
enum { DJ_GPU_FALLBACK_ACCESSES = 1 << 14 };

// Starts with the keys of `order`, most recent last.
int dj_gpu_fallback_create(dj_context *context, uint32_t use, const dj_order *order, dj_gpu_fallback **out);
void dj_gpu_fallback_destroy(dj_gpu_fallback *fallback); // NULL is allowed
// At most DJ_GPU_FALLBACK_ACCESSES. *answers are valid until the next call.
int dj_gpu_fallback_answer(dj_gpu_fallback *fallback, dj_context *context, const dj_gpu_columns *columns,
                           uint64_t count, dj_gpu_answers *answers);
// The same, but counts the distances.
int dj_gpu_fallback_count(dj_gpu_fallback *fallback, dj_context *context, const dj_gpu_columns *columns,
                          uint64_t count, dj_histogram *into, uint64_t *cold);
int dj_gpu_fallback_order(dj_gpu_fallback *fallback, dj_context *context, dj_order *out);
void dj_gpu_fallback_stats(const dj_gpu_fallback *fallback, dj_engine_stats *out);

typedef struct dj_gpu_worker {
    dj_gpu_queue *queue;
    uint32_t use;
    dj_gpu_limits limits;
    dj_context *context; // of the thread that serves the device
    dj_gpu *gpu;         // NULL: `fallback` replaces it
    dj_gpu_fallback *fallback;
    dj_gpu_config config;
    uint64_t most_bytes; // maximum device memory
    unsigned generation; // of `gpu`: tickets of other generations are invalid
    uint64_t chunk;      // accesses that are analyzed together from here on
    uint64_t in_chunk;   // accesses that were copied but not analyzed
    uint64_t chunk_at;   // position of the first of them
    // Without DJ_CAN_TOTALS: answers of the current chunk and of the previous one.
    dj_gpu_answers sets[2];
    uint64_t set_capacity;
    unsigned set;              // for the next chunk
    uint64_t due_at, due;      // accesses whose answers have not been waited for
    dj_histogram *counted;     // counted by closed devices and by the fallback
    uint64_t cold;             // likewise
    atomic_uint_fast64_t keys; // as of the last flush
    atomic_uint_fast64_t bytes, peak_bytes;
} dj_gpu_worker;

int dj_gpu_worker_create(dj_gpu_worker *worker, dj_context *context, dj_gpu_queue *queue, uint32_t use,
                         const dj_gpu_limits *limits);
void dj_gpu_worker_destroy(dj_gpu_worker *worker);
// The thread function: serves the queue until its end.
void dj_gpu_worker_run(dj_gpu_worker *worker);
// After a flush of the queue.
int dj_gpu_worker_totals(dj_gpu_worker *worker, dj_context *context, dj_histogram *into, uint64_t *cold);
int dj_gpu_worker_order(dj_gpu_worker *worker, dj_context *context, dj_order *out);

#endif
