// SPDX-License-Identifier: MIT
// The state of a device that analyzes chunks; internal.
#ifndef DEJA_GPU_EXACT_CUH
#define DEJA_GPU_EXACT_CUH

#include "gpu/device.h"
#include "gpu/link.cuh"
#include "gpu/nest.cuh"

enum dj_gpu_stage {
    DJ_GPU_NARROW,
    DJ_GPU_SORT,
    DJ_GPU_LINK,
    DJ_GPU_ORDER,
    DJ_GPU_DIVIDE,
    DJ_GPU_FINISH,
    DJ_GPU_RECALL,
    DJ_GPU_STAGES,
};

enum { DJ_GPU_PUTS = 64 };

// A chunk while it is put and analyzed. Two alternate.
typedef struct dj_gpu_slot {
    dj_gpu_accesses in; // with space for the preceding keys, which end where the new ones begin
    uint64_t count;     // new ones
    uint32_t *distance, *prev_tag;
    uint64_t *prev_time;
    cudaEvent_t analyzed, answered;
    cudaEvent_t stage[DJ_GPU_STAGES + 1]; // with config.timed
    bool was_used;
} dj_gpu_slot;

// What the device reports, in pinned memory.
typedef struct dj_gpu_report {
    uint64_t varying;
    uint32_t keys;
} dj_gpu_report;

struct dj_gpu {
    dj_gpu_config config;
    uint64_t capacity; // accesses of a chunk, including the preceding keys
    char *memory;      // of the device; contains everything below
    dj_gpu_slot slots[2];
    dj_gpu_accesses order; // the keys in the order of their last accesses
    dj_link link;
    dj_nest nest;
    uint32_t *prev, *next;
    uint64_t *counts;
    uint64_t *base, *varying; // a key, and the bits in which others differ from it

    dj_gpu_report *report;
    cudaStream_t copying, working, answering;
    cudaEvent_t copied;
    cudaEvent_t puts[DJ_GPU_PUTS];
    uint64_t put_count;
    bool has_base;
    unsigned filling;          // the slot that is being filled
    uint64_t chunks, answered; // analyzed, waited for
    bool is_running;           // the last chunk may still be running
    uint32_t running;          // accesses in it, including the preceding keys
    uint64_t running_varying;
    uint64_t keys, cold;
    double seconds[DJ_GPU_STAGES], bytes[DJ_GPU_STAGES];
};

// Assigns all arrays from `memory` on, which may be NULL; returns their size in bytes.
uint64_t dj_gpu_lay_out(dj_gpu *gpu, char *memory);

// Starts all stages for the chunk in `slot`, which has been put.
int dj_gpu_start(dj_gpu *gpu, dj_context *context, dj_gpu_slot *slot, uint64_t varying,
                 const dj_gpu_answers *answers);

// Measures the stages after they have ended.
void dj_gpu_measure(dj_gpu *gpu, const dj_gpu_slot *slot);

#endif
