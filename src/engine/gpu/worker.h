// SPDX-License-Identifier: MIT
// The side of engine gpu that faces the device: chunks, how long they are, and
// what to do when keys or memory ask for other ones. When the device has not
// enough memory even for short ones, engine fast stands in for it.
#ifndef DEJA_ENGINE_GPU_WORKER_H
#define DEJA_ENGINE_GPU_WORKER_H

#include "engine/gpu/queue.h"

// What chunks may be.
typedef struct dj_gpu_limits {
    uint64_t asked_chunk; // 0: as is good
    uint64_t most_chunk;  // what this machine has memory for, where work waits for answers
    uint64_t asked_bytes; // of the device; 0: as much as there is
} dj_gpu_limits;

// The longest chunk, and the room for keys, to begin with.
void dj_gpu_size_first(const dj_gpu_limits *limits, dj_gpu_config *config);
// More of both than there is, for so many keys that are there already.
void dj_gpu_size_more(const dj_gpu_limits *limits, uint64_t keys, dj_gpu_config *config);
// How long the next chunk is best, of those that there is room for.
uint64_t dj_gpu_size_chunk(const dj_gpu_limits *limits, const dj_gpu_config *config, uint64_t keys);
// The next smaller ones. False: there are none.
bool dj_gpu_size_shrink(const dj_gpu_limits *limits, uint64_t keys, dj_gpu_config *config);
// What may wait for answers in the memory of this machine.
uint64_t dj_gpu_size_most(uint32_t use);

// Engine fast in place of a device.
typedef struct dj_gpu_fallback dj_gpu_fallback;
enum { DJ_GPU_FALLBACK_ACCESSES = 1 << 14 };

// `order` has been seen, the last one last.
int dj_gpu_fallback_create(dj_context *context, uint32_t use, const dj_order *order, dj_gpu_fallback **out);
void dj_gpu_fallback_destroy(dj_gpu_fallback *fallback); // NULL is fine
// At most DJ_GPU_FALLBACK_ACCESSES. *answers stay until the next call.
int dj_gpu_fallback_ask(dj_gpu_fallback *fallback, dj_context *context, const dj_gpu_columns *columns,
                        uint64_t count, dj_gpu_answers *answers);
// The same, but distances are counted.
int dj_gpu_fallback_count(dj_gpu_fallback *fallback, dj_context *context, const dj_gpu_columns *columns,
                          uint64_t count, dj_histogram *into, uint64_t *cold);
int dj_gpu_fallback_order(dj_gpu_fallback *fallback, dj_context *context, dj_order *out);
void dj_gpu_fallback_stats(const dj_gpu_fallback *fallback, dj_engine_stats *out);

typedef struct dj_gpu_worker {
    dj_gpu_queue *queue;
    uint32_t use;
    dj_gpu_limits limits;
    dj_context *context; // of the thread that attends to the device
    dj_gpu *gpu;         // NULL where `spare` stands in for it
    dj_gpu_fallback *fallback;
    dj_gpu_config config;
    uint64_t most_bytes; // of the device's memory that may be taken
    unsigned generation; // of `gpu`: tickets of others are void
    uint64_t chunk;      // accesses that are analyzed together from here on
    uint64_t in_chunk;   // accesses that were put and not analyzed
    uint64_t chunk_at;   // position of the first of them
    // Without DJ_CAN_TOTALS: answers of the chunk that is analyzed now and of the one before.
    dj_gpu_answers sets[2];
    uint64_t set_room;
    unsigned set;              // of the next chunk
    uint64_t due_at, due;      // accesses whose answers were not waited for
    dj_histogram *counted;     // what devices counted that are closed, and the spare
    uint64_t cold;             // likewise
    atomic_uint_fast64_t keys; // as of the last flush
    atomic_uint_fast64_t bytes, peak_bytes;
} dj_gpu_worker;

int dj_gpu_worker_create(dj_gpu_worker *worker, dj_context *context, dj_gpu_queue *queue, uint32_t use,
                         const dj_gpu_limits *limits);
void dj_gpu_worker_destroy(dj_gpu_worker *worker);
// The body of the thread: attends to the queue until its end.
void dj_gpu_worker_run(dj_gpu_worker *worker);
// After a flush of the queue.
int dj_gpu_worker_totals(dj_gpu_worker *worker, dj_context *context, dj_histogram *into, uint64_t *cold);
int dj_gpu_worker_order(dj_gpu_worker *worker, dj_context *context, dj_order *out);

#endif
