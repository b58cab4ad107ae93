// SPDX-License-Identifier: MIT
// The way that a traced program took through its code: the segments (tracer/ring.h) of a batch in the order
// of their execution. Passed from the decoder to whoever follows loops.
#ifndef DEJA_BASE_ROUTE_H
#define DEJA_BASE_ROUTE_H

#include <deja/batch.h>

enum { DJ_ROUTE_MOST = 1 << 16 }; // steps of a batch, approximately

// The segment ran after this many accesses and events of the batch, and before the others.
typedef struct dj_route_step {
    uint32_t segment, index, events;
} dj_route_step;

enum dj_route_next {
    DJ_ROUTE_FORWARD = 0,  // to code after it
    DJ_ROUTE_ANYWHERE = 1, // unknown
};

// Straight code.
typedef struct dj_route_segment {
    uint64_t lo, hi; // addresses
    uint64_t next;   // where control goes from there, or enum dj_route_next
    bool repeats;    // contains a step of a repeated string instruction
    bool returns;
} dj_route_segment;

typedef struct dj_route {
    dj_route_step *steps;
    uint32_t count;
    // A segment of a step; valid until the next batch.
    dj_route_segment (*segment)(void *user, uint32_t id);
    // The site of an address; a new one is described by an event at the end of the batch.
    int (*site)(void *user, dj_context *context, dj_batch *batch, uint64_t address, uint32_t *site);
    void *user;
} dj_route;

#endif
