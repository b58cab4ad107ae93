// SPDX-License-Identifier: MIT
// Follows the loops of a traced program: a stage directly behind the decoder, which adds events about loops
// to the batches (DJ_EVENT_LOOP). It knows the way through the code segment by segment; each transition from
// one segment to the next is looked up in the control-flow graph once.
#ifndef DEJA_LOCATE_LOOPS_H
#define DEJA_LOCATE_LOOPS_H

#include "base/route.h"
#include "locate/locate.h"

typedef struct dj_loops dj_loops;

typedef struct dj_loops_options {
    dj_lookup lookup;      // uses add_module and flow
    const dj_route *route; // of the batch that the inner source has returned last
} dj_loops_options;

int dj_loops_create(dj_context *context, const dj_loops_options *options, dj_loops **out);
void dj_loops_destroy(dj_loops *loops); // NULL is allowed
// Both sources belong to the caller, who closes `out` first.
int dj_loops_source(dj_context *context, dj_loops *loops, dj_source *inner, dj_source **out);

#endif
