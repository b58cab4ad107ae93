// SPDX-License-Identifier: MIT
// Segments: described once by the tracer and then referred to by number. Each has the columns of its accesses
// side by side, so that an execution is a copy and not a series of lookups.
#ifndef DEJA_LIVE_SEGMENTS_H
#define DEJA_LIVE_SEGMENTS_H

#include "live/sites.h"

// Accesses are copied four at a time, so up to three more are read and written than needed.
enum { DJ_SEGMENT_STEP = 4 };

typedef struct dj_segment {
    uint32_t words;     // of a record that executes it; UINT32_MAX: not defined
    uint32_t count;     // of accesses
    uint32_t addresses; // words that are addresses; fewer than accesses if some are relative to others
    uint32_t first;     // index of its first access in the columns
    uint32_t call_site;
    uint64_t target; // of a call; without an ending, where control goes, or enum dj_next
    uint64_t lo;     // address of its first instruction
    uint32_t bytes;  // of its instructions; 0: unknown
    uint8_t ending;  // enum dj_segment_ending
    bool strings;    // contains steps of string instructions
} dj_segment;

typedef struct dj_segment_columns {
    uint64_t *size;
    uint32_t *site;
    uint8_t *kind;
    uint16_t *source; // word of the record; the address is that plus `delta`
    int16_t *delta;
    uint8_t *string; // for a step of a string instruction, 1 + the number of its accesses before; otherwise 0
    uint32_t count, capacity;
} dj_segment_columns;

typedef struct dj_segments {
    dj_segment *list;
    uint32_t capacity; // ids below it have an entry
    dj_segment_columns column;
    uint64_t *expanded; // all addresses of one execution, including the relative ones
} dj_segments;

void dj_segments_destroy(dj_segments *segments); // a zero-initialized one is allowed

// Processes the words of a record DJ_RECORD_DEFINE.
int dj_segments_define(dj_segments *segments, dj_context *context, dj_live_sites *sites, dj_batch *batch,
                       uint32_t id, const uint64_t *words, size_t count);

// Returns the addresses of all accesses of an execution of a segment with relative ones.
const uint64_t *dj_segments_expand(dj_segments *segments, const dj_segment *segment, const uint64_t *words);

#endif
