// SPDX-License-Identifier: MIT
// Keys that are invalidated or removed, for engine fast.
//
// Idea:  A hole is a bit on the timeline without a key. Holes are in a heap, the latest on top, since an
//        access clears the later of two points: that of its key, and the latest hole. The other one, if
//        any, is a hole from then on. Ranks count holes like keys.
//
//        Holes do not disturb runs: an access moves its key above all holes, and only the invalidation of
//        a key in the window could put one above others of the window. Then the keys of the window get
//        their points first. So only run beginnings meet holes, and chunks continue across operations: the
//        point of the key is noted with the number of accesses before it. A key that may occur among the
//        accesses not yet processed has no point yet; then these are processed first.
// Cost:  Accesses are gathered from between the operations. While there are holes, run beginnings are
//        answered one by one. 4 bytes per hole; the slot of a lost key is freed when the table would grow.
#ifndef DEJA_ENGINE_FAST_OPERATIONS_H
#define DEJA_ENGINE_FAST_OPERATIONS_H

#include "engine/fast/fast.h"

enum { DJ_FAST_FILTER_BITS = 1 << 16 };

// An operation to be applied between accesses; the table no longer has the point.
typedef struct dj_fast_event {
    uint32_t point;
    uint16_t before; // number of accesses of the chunk before it
    uint8_t op;      // enum dj_op
} dj_fast_event;

typedef struct dj_fast_operations {
    uint32_t *holes; // points, as a heap: each is later than numbers 2i + 1 and 2i + 2
    uint64_t hole_count, hole_capacity;
    dj_fast_event event[DJ_FAST_CHUNK];
    uint32_t events;
    uint32_t gathered;             // accesses in the columns of dj_fast_fold, not yet processed
    uint16_t index[DJ_FAST_CHUNK]; // of each in its part of the work
    uint64_t may_occur[DJ_FAST_FILTER_BITS / 64]; // a bit for the hash of each gathered key
    uint32_t point[DJ_FAST_BEGINNINGS];           // of the run beginnings
} dj_fast_operations;

int dj_fast_operations_create(dj_fast *fast, dj_context *context);
void dj_fast_operations_destroy(dj_fast *fast);

// Whether there is any in a part of some work.
bool dj_fast_has_operations(const dj_fast *fast, const dj_work *part);
// Accesses and operations.
int dj_fast_push_mixed(dj_fast *fast, dj_context *context, const dj_work *part);
// Answers accesses.
int dj_fast_push_chunk(dj_fast *fast, dj_context *context, const dj_work *part);

// Before a chunk: frees the slots of lost keys if there are many and the table is full.
int dj_fast_forget_lost_keys(dj_fast *fast, dj_context *context);

// Gives the keys of the window their points; it is then as at the beginning.
int dj_fast_flush_window(dj_fast *fast, dj_context *context);
// Implements dj_engine_ops.keep.
int dj_fast_keep(void *state, dj_context *context, dj_keeps *keeps, void *user);

int dj_fast_holes_reserve(dj_fast *fast, dj_context *context, uint64_t more);
// Applies an operation to a point; a hole must have been reserved.
void dj_fast_apply(dj_fast *fast, uint8_t op, uint32_t point);
// Replaces the latest hole by a point; 0: only removes it.
void dj_fast_replace_latest_hole(dj_fast_operations *operations, uint32_t point);
// Replaces all points that are not in the table by their ranks, and returns their number.
uint64_t dj_fast_rank_holes(const dj_fast *fast);
// Removes the positions of holes from an order.
int dj_fast_squeeze_order(const dj_fast *fast, dj_context *context, dj_order *order);

// An access to a key with this point, or 0: the point to clear, or 0.
static inline uint32_t dj_fast_fill(dj_fast_operations *operations, uint32_t point)
{
    uint32_t hole = operations->hole_count ? operations->holes[0] : 0;
    if (hole <= point)
        return point;
    dj_fast_replace_latest_hole(operations, point);
    return hole;
}

// The first access of the window that exists.
static inline uint32_t dj_fast_window_start(const dj_fast *fast)
{
    return fast->accesses < DJ_FAST_WINDOW ? DJ_FAST_WINDOW - (uint32_t)fast->accesses : 0;
}

#endif
