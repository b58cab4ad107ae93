// SPDX-License-Identifier: MIT
// When bursts occur. The trace is divided into intervals, and each has one burst, at a random place: every
// access is among those that count with the same probability. The length of the trace is unknown, so
// intervals become longer.
//
// There are many short bursts, for the smallest caches, and fewer long ones, for larger caches.
#ifndef DEJA_OBSERVE_BURSTS_SCHEDULE_H
#define DEJA_OBSERVE_BURSTS_SCHEDULE_H

#include <stdbool.h>
#include <stdint.h>

enum dj_burst_kind { DJ_BURSTS_LONG, DJ_BURSTS_SHORT, DJ_BURST_KINDS };

enum { DJ_BURST_MOST_LOG2 = 17 }; // no burst has as many accesses

// Positions are numbers of accesses since the beginning of the trace.
typedef struct dj_burst {
    uint64_t begin;   // warms up from here on
    uint64_t counted; // accesses from here on count
    uint64_t end;
    uint64_t weight; // how many accesses of the trace each that counts stands for
} dj_burst;

typedef struct dj_burst_schedule {
    uint64_t seed;
    unsigned warm_log2; // accesses of the warm-up; a quarter as many count
    unsigned per_level; // bursts, before intervals double; twice as many at first
    uint64_t number;    // of the next burst
    uint64_t interval;  // where its interval begins; shifted by the length of the first one
} dj_burst_schedule;

// Long bursts reach almost as far as the sizes that a sample of this rate tells apart.
dj_burst_schedule dj_burst_schedule_begin(uint64_t seed, unsigned sample_log2, enum dj_burst_kind kind);
// The first burst may be empty. They begin and end in order, and at most two overlap.
dj_burst dj_burst_schedule_next(dj_burst_schedule *schedule);

// Whether stretches of the trace have accesses of a burst.
typedef struct dj_burst_finder {
    dj_burst_schedule schedule;
    dj_burst next[2]; // those that have not ended; at most two overlap
} dj_burst_finder;

dj_burst_finder dj_burst_finder_begin(const dj_burst_schedule *schedule);
// For positions from `from` to before `to`, which must not decrease.
bool dj_burst_finder_meets(dj_burst_finder *finder, uint64_t from, uint64_t to);

#endif
