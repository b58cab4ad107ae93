// SPDX-License-Identifier: MIT
// A trace of which only bursts are analyzed: a stage that drops everything between them, as a tracer does
// that traces only parts of a run. It keeps all events, numbers the bursts in column `device`, so that blocks
// of different bursts differ, and reports their lengths, in accesses, in events DJ_EVENT_GAP.
//
// The first burst begins with the trace. The rest is divided into intervals, and each has one burst, at a
// random place, which is the same part of every interval. The length of the trace is unknown, so intervals
// become longer.
#ifndef DEJA_TRACE_SOURCE_BURSTS_H
#define DEJA_TRACE_SOURCE_BURSTS_H

#include <deja/source.h>

// `rate` is between 0 and 1. The caller keeps ownership of `inner`, which must not have devices.
int dj_burst_source(dj_context *context, dj_source *inner, double rate, uint64_t seed, dj_source **out);

#endif
