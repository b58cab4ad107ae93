// SPDX-License-Identifier: MIT
// Fixed memory: how many keys the lanes may hold, so that the process stays within a number of bytes. The
// answer depends on nothing but the request and what the lanes and observers hold, so that results are the
// same on every machine.
#ifndef DEJA_PIPELINE_BUDGET_H
#define DEJA_PIPELINE_BUDGET_H

#include <deja/engine.h>

// What the memory is for.
typedef struct dj_budget_task {
    const dj_engine_ops *engine;
    dj_engine_params params; // of each lane's engines
    uint32_t lanes;
    uint64_t key_bytes; // that each key takes besides, in its lane
} dj_budget_task;

typedef struct dj_budget {
    uint64_t bytes; // that the process may use; 0: not limited
    dj_budget_task task;
    // How many keys all lanes together may hold before the rate falls: as long as all blocks are analyzed,
    // and afterwards, when distances are rounded and take less memory.
    uint64_t exact_keys, sampled_keys;
    uint64_t most_keys;       // there are never more, whatever a batch adds
    uint64_t exact_distances; // those of all blocks are below this
} dj_budget;

// Fails if the memory is too small, and says what is needed.
int dj_budget_make(dj_context *context, uint64_t bytes, const dj_budget_task *task, dj_budget *out);

// What the lanes and observers hold.
typedef struct dj_holding {
    bool exact;        // all blocks are analyzed
    uint64_t keys;     // in all stacks
    uint32_t stacks;   // at least one for each lane
    uint64_t observed; // bytes that the observers may take
} dj_holding;

// Whether the rate must fall before the next batch.
bool dj_budget_is_full(const dj_budget *budget, const dj_holding *holding);
// The bytes that suffice, however low the rate is.
uint64_t dj_budget_least(const dj_budget *budget, const dj_holding *holding);

#endif
