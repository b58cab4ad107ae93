// SPDX-License-Identifier: MIT
// One case of what is checked: the questions, what engine fast answers, and a run
// that must answer the same.
#ifndef DEJA_BENCH_GPU_CHECKER_H
#define DEJA_BENCH_GPU_CHECKER_H

#include "bench/gpu.h"

typedef struct checker {
    gpu_bench *bench;
    size_t room;
    // Questions and the device's answers, pinned.
    uint64_t *key, *time, *prev_time;
    uint32_t *tag, *distance, *prev_tag;
    // What fast and engine gpu answer.
    uint64_t *right, *right_time, *wide, *wide_time;
    uint32_t *right_tag, *wide_tag;
    dj_histogram *histogram;
    uint64_t cold;
    dj_order order;
    size_t count; // accesses of the case
    unsigned runs;
} checker;

// How a run is made.
typedef struct manner {
    const char *name;
    uint64_t chunk, piece, resume_at;
    bool engine, totals;
    bool few; // also where little is checked
} manner;

int checker_make(checker *c, dj_context *context); // with `room` set
void checker_unmake(checker *c);
// Fills the questions and answers them by engine fast.
int checker_ask(checker *c, dj_context *context, const gpu_case *which, size_t count);
// DJ_ERR_INPUT with the first difference.
int checker_run(checker *c, dj_context *context, const manner *m);

#endif
