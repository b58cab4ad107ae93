// SPDX-License-Identifier: MIT
// Chooses the engine and the number of threads; nothing else decides this. The help of --engine is
// generated from the same constants; docs/algorithms.md states the rule.
#ifndef DEJA_ENGINE_CHOICE_H
#define DEJA_ENGINE_CHOICE_H

#include <deja/engine.h>

enum {
    DJ_LONG_BYTES = 32 << 20, // file size; 4 million accesses of eight bytes each
    // A device takes half a second to start, while each processor analyzes 25 million accesses.
    DJ_DEVICE_BYTES = 256 << 20, // file size per processor
    DJ_LONG_CPUS = 2,            // processors
};

// What the user requests.
typedef struct dj_engine_preference {
    const dj_engine_ops *engine; // considered first
    const void *options;         // NULL: defaults
    bool named;                  // use this engine or none: by its name, or by an option that selects it
    uint64_t threads;            // 0: chosen automatically
    // Of each engine of the registry, in case another one is needed; NULL: defaults.
    void *const *options_of;
} dj_engine_preference;

// Whether the name requests a particular engine: not NULL and not "auto".
bool dj_engine_is_named(const char *name);
// From a name and the options of all engines. DJ_ERR_USAGE if there is no such engine, or if an option
// of an engine that will not be used was changed.
int dj_engine_preference_make(dj_context *context, const char *name, void *const *options_of,
                              dj_engine_preference *out);
// The name of an option that was changed, whatever its engine; NULL: none.
const char *dj_engine_option_given(void *const *options_of);
// Prefers an engine without requiring it; NULL or an unknown name: the first one.
dj_engine_preference dj_engine_prefer(const char *name);

// What is known about the work.
typedef struct dj_engine_task {
    uint32_t needs; // bits of dj_capability
    const uint64_t *blocks;
    size_t block_count;
    bool summarize;      // analyze a part of a trace, to be joined
    bool partitioned;    // one engine per partition, so the engine must be small
    bool while_it_runs;  // profiles are made while the program runs
    uint64_t file_bytes; // 0: unknown
    unsigned cpus;       // available
    // Whether the device that an engine needs exists; NULL: ask the engine.
    bool (*has_device)(const dj_engine_ops *engine);
} dj_engine_task;

typedef struct dj_engine_choice {
    const dj_engine_ops *engine;
    const void *options;
    unsigned observer_threads; // that count what the engine answers
    unsigned reading_threads;  // that read what the engine analyzes
} dj_engine_choice;

dj_engine_choice dj_engine_choose(const dj_engine_preference *preference, const dj_engine_task *task);

// The first engine that has all capabilities in `needs`; NULL: none.
const dj_engine_ops *dj_engine_first(uint32_t needs);

// Help text of --engine; freed with free(). NULL: out of memory.
char *dj_engine_help(void);

#endif
