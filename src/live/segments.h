// SPDX-License-Identifier: MIT
// What the tracer told once and refers to by number: segments, each with the
// columns of its accesses side by side, so that an execution is copied and not
// looked up.
#ifndef DEJA_LIVE_SEGMENTS_H
#define DEJA_LIVE_SEGMENTS_H

#include "live/sites.h"

// Accesses are copied by fours, so that up to three are read and written in vain.
enum { DJ_SEGMENT_STEP = 4 };

typedef struct dj_segment {
    uint32_t words;     // of a record that executes it; UINT32_MAX: not defined
    uint32_t count;     // of accesses
    uint32_t addresses; // words that are addresses; fewer than accesses when some are relative to others
    uint32_t first;     // its first access in the columns
    uint32_t call_site;
    uint64_t target;
    uint8_t ending; // enum dj_segment_ending
    bool strings;   // has steps of string instructions
} dj_segment;

typedef struct dj_segment_columns {
    uint64_t *size;
    uint32_t *site;
    uint8_t *kind;
    uint16_t *source; // word of the record that the address is `delta` away from
    int16_t *delta;
    uint8_t *string; // 0, or for a step of a string instruction 1 + the accesses before it there
    uint32_t count, capacity;
} dj_segment_columns;

typedef struct dj_segments {
    dj_segment *list;
    uint32_t capacity; // ids below it have an entry
    dj_segment_columns column;
    uint64_t *expanded; // the addresses of one execution, with those that are relative
} dj_segments;

void dj_segments_destroy(dj_segments *segments); // one that is all zero is fine

// The words of a record DJ_RECORD_DEFINE.
int dj_segments_define(dj_segments *segments, dj_context *context, dj_live_sites *sites, dj_batch *batch,
                       uint32_t id, const uint64_t *words, size_t count);

// The addresses of all accesses of an execution of a segment that has relative ones.
const uint64_t *dj_segments_expand(dj_segments *segments, const dj_segment *segment, const uint64_t *words);

#endif
