// SPDX-License-Identifier: MIT
// The functions of a thread that have not returned, from their entries and exits: used by the analyzer, and
// by a recompiled program of which only parts are traced (runtime/calls.c).
#ifndef DEJA_TRACER_CALLS_H
#define DEJA_TRACER_CALLS_H

#include <stddef.h>
#include <stdint.h>

// A function that was entered: the position of its return address, and that address. Positions decrease.
typedef struct dj_entered {
    uint64_t position, pc;
} dj_entered;

// How many of `depth` functions are still active when one is entered: those below it on the stack have been
// left.
static inline size_t dj_calls_above(const dj_entered *calls, size_t depth, uint64_t position)
{
    while (depth && calls[depth - 1].position <= position)
        depth--;
    return depth;
}

// The number of functions up to the one that is left (DJ_DIRECT_EXIT), including it; 0: its entry is unknown.
// A function that ends with a jump to the tracer has its own return address as pc, and nothing else on the
// stack. Otherwise, a function that was called from there was left without notice.
static inline size_t dj_calls_left(const dj_entered *calls, size_t depth, uint64_t pc, uint64_t sp)
{
    const uint64_t jumped = sp < sizeof sp ? 0 : sp - sizeof sp;
    while (depth && calls[depth - 1].position < jumped)
        depth--;
    if (depth && calls[depth - 1].position == jumped && calls[depth - 1].pc != pc)
        depth--;
    return depth;
}

#endif
