// SPDX-License-Identifier: MIT
// What engines hprda and hprda-gpu share: options, the cut of the work into
// fragments, and what goes from one fragment to the next.
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

// Rows of the table of options. The structure that it is for begins with a dj_hprda_options.
#define DJ_HPRDA_OPTIONS(engine)                                                                             \
    {.name = "st",                                                                                           \
     .type = DJ_OPTION_UINT,                                                                                 \
     .offset = offsetof(dj_hprda_options, st),                                                               \
     .argument = "N",                                                                                        \
     .help = "accesses of a piece of engine " engine " (default 2048)"},                                     \
        {.name = "fragment",                                                                                 \
         .type = DJ_OPTION_UINT,                                                                             \
         .offset = offsetof(dj_hprda_options, fragment),                                                     \
         .argument = "N",                                                                                    \
         .help = "accesses that engine " engine " divides into pieces at a time (default 67108864)"},        \
    {                                                                                                        \
        .name = "adjust", .type = DJ_OPTION_CHOICE, .offset = offsetof(dj_hprda_options, adjust),            \
        .argument = "WHICH", .choices = dj_hprda_adjust_names,                                               \
        .help = "which distances between pieces engine " engine                                              \
                " scales down, paper: those beyond the number of keys (default paper)"                       \
    }

int dj_hprda_check_options(dj_context *context, const dj_hprda_options *options);

// A stretch of one piece of work.
typedef struct dj_hprda_part {
    dj_work *work;
    size_t from, count;
} dj_hprda_part;

// The work of a fragment. The state of an engine begins with it.
typedef struct dj_hprda_parts {
    dj_work_queue answered; // first, as dj_work_pull_at_once asks
    dj_hprda_part *part;
    size_t count, room;
    uint64_t accesses; // of the fragment so far, repeats included
    bool ended;        // there was one before, and its keys are not yet taken into the carry
    bool lets_go;      // work has no room for answers: it is given back at once
} dj_hprda_parts;

// What an engine does with it.
typedef struct dj_hprda_steps {
    // A fragment begins with this part, of at least one access; parts.ended tells of one before.
    int (*begin)(void *state, dj_context *context, const dj_hprda_part *part);
    int (*add)(void *state, dj_context *context, const dj_hprda_part *part);
    // Answers all that was added. Also called when that is nothing.
    int (*end)(void *state, dj_context *context);
} dj_hprda_steps;

void dj_hprda_parts_free(dj_hprda_parts *parts);
// For `push` and `drain` of the engine whose state this is.
int dj_hprda_parts_push(dj_hprda_parts *parts, dj_context *context, const dj_hprda_steps *steps,
                        uint64_t fragment, dj_work *work);
int dj_hprda_parts_end(dj_hprda_parts *parts, dj_context *context, const dj_hprda_steps *steps);

// All fragments that have ended: their last accesses, in order. They answer exactly what in a
// fragment has no access before.
typedef struct dj_hprda_carry {
    const dj_engine_ops *ops; // chosen, with `most`, before the first take; NULL: fast
    size_t most;              // accesses that it is told at a time
    void *engine;             // NULL before the second fragment
    uint64_t *key, **distance, *answer;
    size_t count; // questions that are collected
} dj_hprda_carry;

void dj_hprda_carry_free(dj_hprda_carry *carry);
// Takes over a fragment that has ended: its keys in the order of their last accesses.
int dj_hprda_carry_take(dj_hprda_carry *carry, dj_context *context, const uint64_t *keys, uint64_t count);
// Answers what is cold in a fragment as far as that tells.
int dj_hprda_carry_answer(dj_hprda_carry *carry, dj_context *context, const dj_hprda_parts *parts);
// The same where nobody has room for the answers: the keys of a fragment in the order of their first
// accesses.
int dj_hprda_carry_count(dj_hprda_carry *carry, dj_context *context, const uint64_t *keys, uint64_t count,
                         dj_histogram *into, uint64_t *cold);
void dj_hprda_carry_stats(const dj_hprda_carry *carry, dj_engine_stats *out);

#endif
