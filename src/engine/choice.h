// SPDX-License-Identifier: MIT
// Which engine works, on how many threads: the only place that decides it. The help
// of --engine is made from the same constants; docs/algorithms.md has the rule.
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
// From a name and the options of engines. DJ_ERR_USAGE when there is no such engine, or when an option of an
// engine that will not work was changed.
int dj_engine_wish_make(dj_context *context, const char *name, void *const *options_of, dj_engine_wish *out);
// An engine that is preferred, but not named; NULL, or one that is not there: the first.
dj_engine_wish dj_engine_prefer(const char *name);

// What is known of the work.
typedef struct dj_engine_task {
    uint32_t needs; // bits of dj_capability
    const uint64_t *blocks;
    size_t block_count;
    bool summarize;      // a part of a trace, for a join
    bool partitioned;    // an engine for each partition: a large one would be many times as large
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

dj_engine_choice dj_engine_choose(const dj_engine_wish *wish, const dj_engine_task *task);

// The first engine that can do all of `needs`; NULL: none.
const dj_engine_ops *dj_engine_first(uint32_t needs);

// What --engine does, in a sentence; freed with free(). NULL: out of memory.
char *dj_engine_help(void);

#endif
