// SPDX-License-Identifier: MIT
// One checked case: the input, the answers of engine fast, and a run that must return the same.
#ifndef DEJA_BENCH_GPU_CHECKER_H
#define DEJA_BENCH_GPU_CHECKER_H

#include "bench/gpu.h"

typedef struct checker {
    gpu_bench *bench;
    size_t capacity;
    // Input and the device's answers, pinned.
    uint64_t *key, *time, *prev_time;
    uint32_t *tag, *distance, *prev_tag;
    // Answers of the engines fast and gpu.
    uint64_t *right, *right_time, *wide, *wide_time;
    uint32_t *right_tag, *wide_tag;
    dj_histogram *histogram;
    uint64_t cold;
    dj_order order;
    size_t count; // accesses of the case
    unsigned runs;
} checker;

// A kind of run.
typedef struct manner {
    const char *name;
    uint64_t chunk, piece, resume_at;
    bool engine, totals;
    bool few; // also in quick checks
} manner;

int checker_make(checker *c, dj_context *context); // with `capacity` set
void checker_unmake(checker *c);
// Fills the input and computes the answers with engine fast.
int checker_ask(checker *c, dj_context *context, const gpu_case *which, size_t count);
// DJ_ERR_INPUT with the first difference in the message.
int checker_run(checker *c, dj_context *context, const manner *m);

#endif
