// SPDX-License-Identifier: MIT
// The comparison of engines: the contestants and the report.
#ifndef DEJA_BENCH_ENGINES_H
#define DEJA_BENCH_ENGINES_H

#include <stdio.h>

#include "bench/bench.h"

// One of our engines, or another program.
typedef struct contestant {
    const char *name;
    const dj_engine_ops *engine; // NULL for a peer
    uint64_t threads;            // of the engine; 0: its default
    const char *command;         // of a peer
    // Measured on the current trace; the best run counts.
    double best_s, spent_s;
    unsigned runs;
    bench_run run;
} contestant;

typedef struct contest {
    const bench_trace *trace;
    contestant *list;
    size_t count;
    bench_limits limits;
    bool histogram; // the engines also filled a histogram
} contest;

double contestant_rate(const contestant *c);                        // accesses per second
const contestant *contest_find(const contest *c, const char *name); // NULL if it is no contestant

void contest_print(const contest *c, FILE *out);

#endif
