// SPDX-License-Identifier: MIT
// The parts of the follower of loops.
#ifndef DEJA_LOCATE_FOLLOWED_H
#define DEJA_LOCATE_FOLLOWED_H

#include "base/dictionary.h"
#include "locate/loop_stack.h"
#include "locate/loops.h"

#define DJ_NOTHING UINT32_MAX // no segment

// A segment, once it has run.
typedef struct dj_piece {
    bool known;
    bool crosses;          // a loop changes within it
    bool enters;           // it begins where its function does
    bool repeats, returns; // as in dj_route_segment
    uint32_t from;         // the segment before it, the last time that this was looked up
    uint32_t block;        // that it begins in; DJ_NOTHING: none
    uint32_t module;       // DJ_NOTHING: none
    const dj_shape *shape; // of its function; NULL: unknown
    uint64_t lo, hi, next; // offsets in the module; `next` as in dj_route_segment
    dj_shape_move move;    // from there
    uint32_t depth;        // loops of the function around its beginning
} dj_piece;

// A call that has not returned.
typedef struct dj_loop_frame {
    uint64_t sp; // as in dj_shadow_frame
    const dj_shape *shape;
    uint32_t last; // segment; DJ_NOTHING: none has run
    uint32_t base; // number of loops around the call
    bool lost;     // unknown what ran before
} dj_loop_frame;

typedef struct dj_loop_thread {
    dj_loop_stack loops;
    dj_loop_frame *frames; // at least one
    size_t depth, capacity;
} dj_loop_thread;

typedef struct dj_loop_module {
    uint64_t load, end;
    char *identity;
} dj_loop_module;

struct dj_loops {
    dj_loops_options options;
    dj_source *inner;
    dj_loop_module *modules;
    size_t module_count, module_capacity;
    uint64_t *sites; // offset of each
    size_t site_capacity;
    dj_map shapes; // module and entry → dj_shape
    dj_footprint footprint;
    dj_map moves; // two segments → index in `moved` + 1
    dj_shape_move *moved;
    size_t moved_count, moved_capacity;
    dj_piece *pieces;
    size_t piece_capacity;
    dj_dictionary thread_ids;
    dj_loop_thread *threads;
    size_t thread_count, thread_capacity;
    uint32_t current;
    dj_loop_report report;
    uint64_t mark; // position of the next one
    dj_event *sorted;
    size_t sorted_capacity;
};

// followed_code.c: what is known about a segment that runs for the first time.
int dj_loops_learn(dj_loops *loops, dj_context *context, uint32_t id);
// Looks up what changes from one segment to another of the same function: `move` of the other.
int dj_loops_find_move(dj_loops *loops, dj_context *context, uint32_t from, uint32_t to);

#endif
