// SPDX-License-Identifier: MIT
// The calls of a thread that have not returned, and which results may be in registers.
//
// Code that is not optimized keeps a value in a register within one statement, or from a `return` until the
// caller uses it. Traces do not show registers. So every result that may be in one counts as used: by the
// rest of the statement, and by the statement that continues after a call. A statement on several lines is
// several instances; the last one goes back to an earlier line, although the program goes on in the code.
#ifndef DEJA_REORDER_CALLS_H
#define DEJA_REORDER_CALLS_H

#include "reorder/dataflow.h"

// An instance whose result may be in a register.
typedef struct dj_live {
    uint32_t part;
    uint32_t line, loop;
    uint32_t depth; // of its call
} dj_live;

// Of a scalar, or a word of it, that the current statement of a call has used.
typedef struct dj_word_use {
    uint64_t address;
    uint8_t bytes;
    bool reads, writes;
} dj_word_use;

typedef struct dj_active_call {
    uint64_t sp;
    uint64_t statement;  // number of the instance; 0: none
    uint64_t position;   // in the trace, where that began
    uint32_t first;      // instances from this number on are later than the call
    uint32_t part;       // its last part, or access in no statement; DJ_NONE
    uint32_t calling;    // the part that made the call, until something here follows it; DJ_NONE
    size_t first_passed; // with `calling`: results from here to `first_live` may be arguments
    size_t first_live, first_word;
    size_t first_returned; // results from here on may be what a call returned; SIZE_MAX: none
    uint64_t offset;       // of the statement in its module
    uint32_t line, loop;   // 0: unknown, none
    bool is_void;          // the function returns nothing
} dj_active_call;

typedef struct dj_calls {
    dj_active_call *list; // the bottom one belongs to no call
    dj_live *live;
    dj_word_use *words;
    size_t count, live_count, word_count;
    size_t capacity, live_capacity, word_capacity;
    bool jumped; // several calls ended at once: longjmp, exceptions
} dj_calls;

int dj_calls_create(dj_calls *calls, dj_context *context);
void dj_calls_destroy(dj_calls *calls);

static inline dj_active_call *dj_calls_top(const dj_calls *calls)
{
    return &calls->list[calls->count - 1];
}

// `next` is the number of the next instance.
int dj_calls_enter(dj_calls *calls, dj_context *context, uint64_t sp, size_t next);
// Returns whether a call ended.
bool dj_calls_leave(dj_calls *calls, uint64_t sp);

// The result of a part of the top call may be in a register; that of `instead` no longer is.
int dj_calls_add_live(dj_calls *calls, dj_context *context, uint32_t part, uint32_t instead);
int dj_calls_add_word(dj_calls *calls, dj_context *context, dj_word_use use);
// The first result that a statement on an earlier line may use, which goes on.
size_t dj_calls_find_line(const dj_calls *calls, uint32_t line);
// Whether the result of a statement of the top call on that line, in that loop, is live.
bool dj_calls_has_line(const dj_calls *calls, uint32_t line, uint32_t loop);
// The instance that is being added follows those whose results are live from `first` on, which no longer are.
int dj_calls_use_live(dj_calls *calls, dj_context *context, dj_dataflow *dataflow, size_t first);
// The same for what calls returned.
int dj_calls_use_returned(dj_calls *calls, dj_context *context, dj_dataflow *dataflow);
// The same for the arguments of the top call, which stay live.
int dj_calls_use_arguments(const dj_calls *calls, dj_context *context, dj_dataflow *dataflow);

#endif
