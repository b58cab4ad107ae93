// SPDX-License-Identifier: MIT
// Which engine works, on how many threads. This is the only place that decides
// it; the help of --engine is made from the same constants.
//
// The rule:
// 1. An engine that the user names works, or the measurement is refused.
// 2. Otherwise an option of an engine for long traces that was changed names that
//    engine, and so does a number of threads above 1.
// 3. Otherwise the first engine of the registry works, if it can do what is needed.
//    Where block sizes double and it cannot answer them together, the first engine
//    that can works.
//    Otherwise, where the first engine fits, the last engine of the registry that is
//    for long traces works, if the trace is long: files of DJ_LONG_BYTES and two
//    processors, or, for an engine on a device, files of DJ_DEVICE_BYTES for each
//    processor, and the device is there. What has no size (a pipe, a program) is not
//    long, nor is what is profiled while it runs, nor what was asked to use a given
//    number of threads.
// 4. Where the engine so far cannot do what is needed and was not named, the first
//    exact engine without a device that can works.
#ifndef DEJA_ENGINE_CHOICE_H
#define DEJA_ENGINE_CHOICE_H

#include <deja/engine.h>

enum {
    DJ_LONG_BYTES = 32 << 20, // of files; 4 million accesses where each takes eight bytes
    // A device takes half a second to start, in which each processor does 25 million accesses.
    DJ_DEVICE_BYTES = 256 << 20, // of files, for each processor
    DJ_LONG_CPUS = 2,            // processors
};

// What the user asks for.
typedef struct dj_engine_wish {
    const dj_engine_ops *engine; // considered first
    const void *options;         // its own; NULL: defaults
    bool named;                  // it is this one or none
    uint64_t threads;            // 0: as many as are good
    void *const *options_of;     // of each engine of the registry, should another be needed; NULL: defaults
} dj_engine_wish;

// Whether a name asks for a particular engine: not NULL and not "auto".
bool dj_engine_is_named(const char *name);
// Steps 1 and 2. DJ_ERR_USAGE when there is no such engine, or when an option of an
// engine that will not work was changed.
int dj_engine_wish_make(dj_context *context, const char *name, void *const *options_of, dj_engine_wish *out);
// Steps 1 and 2 for who prefers an engine (NULL, or one that is not there: the first) without naming it.
dj_engine_wish dj_engine_prefer(const char *name);

// What is known of the work.
typedef struct dj_engine_task {
    uint32_t needs; // bits of dj_capability
    const uint64_t *blocks;
    size_t block_count;
    bool summarize;      // a part of a trace, for a join
    bool while_it_runs;  // profiles are made on the way
    uint64_t file_bytes; // 0: unknown
    unsigned cpus;       // that may be used
    // Whether there is the device that an engine takes; NULL: the engine is asked.
    bool (*has_device)(const dj_engine_ops *engine);
} dj_engine_task;

typedef struct dj_engine_choice {
    const dj_engine_ops *engine;
    const void *options;
    unsigned observer_threads; // that count what it answers
    unsigned reading_threads;  // that read what it is asked
} dj_engine_choice;

// Steps 3 and 4.
dj_engine_choice dj_engine_choose(const dj_engine_wish *wish, const dj_engine_task *task);

// The first engine that can do all of `needs`; NULL: none.
const dj_engine_ops *dj_engine_first(uint32_t needs);

// What --engine does, in a sentence; freed with free(). NULL: out of memory.
char *dj_engine_help(void);

#endif
