// SPDX-License-Identifier: MIT
// Engine hprda as its paper measured it: the comparisons and their report.
#ifndef DEJA_BENCH_HPRDA_H
#define DEJA_BENCH_HPRDA_H

#include "base/json/writer.h"
#include "bench/bench.h"
#include "engine/hprda/hprda.h"

// The bins of Figures 12 and 13: distances up to 1, 2, 4, … 2M, and all longer ones with the cold accesses.
enum { HPRDA_BINS = 23 };
enum { HPRDA_SIZES = 8, HPRDA_ADJUSTS = 3, HPRDA_PROGRAMS = 6 };

extern const uint64_t hprda_sizes[HPRDA_SIZES]; // of thread-level traces, including the default

// A run: its time, and the share of the accesses in each bin.
typedef struct hprda_run {
    double seconds;
    double share[HPRDA_BINS];
} hprda_run;

typedef struct hprda_outcome {
    const bench_trace *trace;
    uint64_t distinct;
    double collect_s;                // 0: a generated trace, which is not collected
    hprda_run exact;                 // engine fast
    hprda_run tree;                  // the paper's sequential algorithm; its time is 0 if it was skipped
    hprda_run adjust[HPRDA_ADJUSTS]; // by enum dj_hprda_adjust, all threads
    hprda_run size[HPRDA_SIZES];
    double one_s, two_s; // on one and on two threads; 0: not measured
} hprda_outcome;

// The bin of a distance, which may be DJ_COLD.
size_t hprda_bin(uint64_t distance);
// The mean difference of a bin, as in the paper, and the share of accesses in wrong bins.
double hprda_error(const hprda_run *exact, const hprda_run *estimate);
double hprda_misplaced(const hprda_run *exact, const hprda_run *estimate);

void hprda_print(const hprda_outcome *outcome);
void hprda_write(const hprda_outcome *outcome, dj_json_writer *json);

#endif
