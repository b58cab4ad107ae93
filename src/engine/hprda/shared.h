// SPDX-License-Identifier: MIT
// Shared by engines hprda and hprda-gpu: options, the division of work into fragments, and the
// connection between fragments.
#ifndef DEJA_ENGINE_HPRDA_SHARED_H
#define DEJA_ENGINE_HPRDA_SHARED_H

#include "engine/work.h"

enum { DJ_HPRDA_MOST_ST = 1 << 20 };

enum dj_hprda_adjust { DJ_HPRDA_NEVER, DJ_HPRDA_PAPER, DJ_HPRDA_ALWAYS };

typedef struct dj_hprda_options {
    uint64_t threads, st, fragment;
    int adjust; // enum dj_hprda_adjust
} dj_hprda_options;

extern const char *const dj_hprda_adjust_names[];

#define DJ_HPRDA_DEFAULTS                                                                                    \
    {                                                                                                        \
        .threads = 0, .st = 2048, .fragment = 1 << 26, .adjust = DJ_HPRDA_PAPER                              \
    }

// Rows of the option table. The options structure must begin with a dj_hprda_options.
#define DJ_HPRDA_OPTIONS(engine)                                                                             \
    {.name = "st",                                                                                           \
     .type = DJ_OPTION_UINT,                                                                                 \
     .offset = offsetof(dj_hprda_options, st),                                                               \
     .argument = "N",                                                                                        \
     .help = "accesses per thread-level trace of engine " engine " (default 2048)"},                         \
        {.name = "fragment",                                                                                 \
         .type = DJ_OPTION_UINT,                                                                             \
         .offset = offsetof(dj_hprda_options, fragment),                                                     \
         .argument = "N",                                                                                    \
         .help =                                                                                             \
             "accesses per fragment of engine " engine ", which is analyzed at once (default 67108864)"},    \
    {                                                                                                        \
        .name = "adjust", .type = DJ_OPTION_CHOICE, .offset = offsetof(dj_hprda_options, adjust),            \
        .argument = "WHICH", .choices = dj_hprda_adjust_names,                                               \
        .help = "when engine " engine " scales down distances between thread-level traces "                  \
                "(default paper). With paper, only those that exceed the number of keys"                     \
    }

int dj_hprda_check_options(dj_context *context, const dj_hprda_options *options);

// A range of one work.
typedef struct dj_hprda_part {
    dj_work *work;
    size_t from, count;
} dj_hprda_part;

// The work of a fragment. The state of an engine begins with it.
typedef struct dj_hprda_parts {
    dj_work_queue answered; // must be first for dj_work_pull_at_once
    dj_hprda_part *part;
    size_t count, capacity;
    uint64_t accesses;  // of the fragment so far, including repeats
    bool ended;         // a fragment has ended, and its keys are not in the history yet
    bool returns_early; // work has no buffers for answers: it is returned immediately
} dj_hprda_parts;

// The steps that an engine implements.
typedef struct dj_hprda_steps {
    // Begins a fragment with this part of at least one access; parts.ended is set if there was an
    // earlier fragment.
    int (*begin)(void *state, dj_context *context, const dj_hprda_part *part);
    int (*add)(void *state, dj_context *context, const dj_hprda_part *part);
    // Answers everything that was added. Also called if that is nothing.
    int (*end)(void *state, dj_context *context);
} dj_hprda_steps;

void dj_hprda_parts_free(dj_hprda_parts *parts);
// For `push` and `drain` of the engine whose state this is.
int dj_hprda_parts_push(dj_hprda_parts *parts, dj_context *context, const dj_hprda_steps *steps,
                        uint64_t fragment, dj_work *work);
int dj_hprda_parts_end(dj_hprda_parts *parts, dj_context *context, const dj_hprda_steps *steps);

// The last accesses of all earlier fragments, in order. Provides the exact distances of accesses that
// are first in a fragment.
typedef struct dj_hprda_history {
    const dj_engine_ops *ops; // set, with `most`, before the first call; NULL: fast
    size_t most;              // accesses passed to it at a time
    void *engine;             // NULL before the second fragment
    uint64_t *key, **distance, *answer;
    size_t count; // collected keys
} dj_hprda_history;

void dj_hprda_history_free(dj_hprda_history *history);
// Adds a fragment that has ended: its keys in the order of their last accesses.
int dj_hprda_history_add(dj_hprda_history *history, dj_context *context, const uint64_t *keys,
                         uint64_t count);
// Answers the accesses that are first in a fragment.
int dj_hprda_history_answer(dj_hprda_history *history, dj_context *context, const dj_hprda_parts *parts);
// The same without buffers for answers: the keys of a fragment in the order of their first accesses.
int dj_hprda_history_count(dj_hprda_history *history, dj_context *context, const uint64_t *keys,
                           uint64_t count, dj_histogram *into, uint64_t *cold);
void dj_hprda_history_stats(const dj_hprda_history *history, dj_engine_stats *out);

#endif
