// SPDX-License-Identifier: MIT
// The active loops of a thread, and which of their changes are reported: between two marks, the first change
// at each depth, in the order of decreasing depth, and whatever is needed to know all at the second mark. A
// reuse that begins before the first mark and ends between them is carried by the same loop whether or not
// the other changes are known.
#ifndef DEJA_LOCATE_LOOP_STACK_H
#define DEJA_LOCATE_LOOP_STACK_H

#include "base/map.h"
#include "base/route.h"
#include "locate/shape.h"

enum { DJ_LOOP_MARKS = 512 }; // accesses from one mark to the next, at most

typedef struct dj_loop_level {
    const dj_shape *shape;
    uint32_t loop;         // in it, index + 1
    bool reported;         // that it was entered
    uint64_t entered;      // position in the stream
    uint64_t began;        // of its current iteration
    uint64_t began_before; // the last one that was reported
} dj_loop_level;

typedef struct dj_loop_stack {
    uint32_t thread;
    dj_loop_level *levels;
    size_t capacity;
    uint32_t depth, reported; // levels in use; levels that the reader of the events knows of
    uint32_t least_change;    // since the last mark, as in dj_shape_move
} dj_loop_stack;

// Where events go.
typedef struct dj_loop_report {
    const dj_route *route;
    dj_batch *batch;
    uint64_t first; // position of its first access
    dj_map sites;   // module and offset of a header → site + 1
    dj_footprint footprint;
    uint64_t (*address)(void *user, uint32_t module, uint64_t offset);
    void *user;
} dj_loop_report;

// The loops from `depth` on are left.
int dj_loop_stack_leave(dj_loop_stack *stack, dj_context *context, dj_loop_report *report, uint64_t now,
                        uint32_t depth);
int dj_loop_stack_iterate(dj_loop_stack *stack, dj_context *context, dj_loop_report *report, uint64_t now,
                          uint32_t depth);
// Enters the loops of a function, the innermost of which is given, that are deeper than the stack is above
// `base`.
int dj_loop_stack_enter(dj_loop_stack *stack, dj_context *context, uint64_t now, uint32_t base,
                        const dj_shape *shape, uint32_t loop);
int dj_loop_stack_doubt(const dj_loop_stack *stack, dj_context *context, const dj_loop_report *report,
                        uint64_t now, uint32_t depth);
int dj_loop_stack_lose(dj_loop_stack *stack, dj_context *context, const dj_loop_report *report, uint64_t now);
// Reports everything that is not known yet: the end of a part of the stream.
int dj_loop_stack_settle(dj_loop_stack *stack, dj_context *context, dj_loop_report *report);
// The beginning of one.
int dj_loop_stack_mark(dj_loop_stack *stack, dj_context *context, const dj_loop_report *report, uint64_t now);

#endif
