// SPDX-License-Identifier: MIT
// Measurements of `deja-bench live` and their report.
#ifndef DEJA_BENCH_LIVE_H
#define DEJA_BENCH_LIVE_H

#include "bench/frame.h"

enum bench_stage {
    BENCH_NATIVE,  // the unmodified program
    BENCH_NONE,    // under valgrind --tool=none, or recompiled without an analyzer
    BENCH_STREAM,  // traced, all accesses discarded
    BENCH_BARE,    // and the histogram of their distances
    BENCH_FULL,    // and attribution by object, line and context
    BENCH_SAMPLED, // 1 % of the run, in bursts, with attribution
    BENCH_STAGES,
};

typedef struct bench_live_row {
    const char *program;
    uint64_t accesses;
    double seconds[BENCH_STAGES];
} bench_live_row;

void bench_live_report(bench_call *call, const bench_live_row *rows, size_t count, bool recompiled);

// Fills in the last six letters of `path` and writes a file there that compresses about as well as prose.
int bench_text_write(dj_context *context, uint64_t bytes, char *path);

#endif
