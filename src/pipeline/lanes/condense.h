// SPDX-License-Identifier: MIT
// Leaves out accesses that no lane sees, and gathers the others of many batches in one, so that the stages
// behind handle few full batches instead of many nearly empty ones.
#ifndef DEJA_PIPELINE_LANES_CONDENSE_H
#define DEJA_PIPELINE_LANES_CONDENSE_H

#include "pipeline/lanes/group.h"

// Zero-initialized.
typedef struct dj_condenser {
    dj_batch *batch; // gathered so far; NULL: nothing
    uint32_t kept;   // in `at`
    uint16_t at[DJ_BATCH_CAPACITY];
} dj_condenser;

// Lists the accesses that a lane sees, given what each group selects from the batch (NULL: everything).
// Returns whether they are so few that copying them pays.
bool dj_condenser_find(dj_condenser *condenser, const dj_selection *const *selections, uint32_t group_count);

// Whether those of this batch can be added to what has been gathered.
bool dj_condenser_has_room(const dj_condenser *condenser, const dj_batch *batch);

// Adds the listed accesses, and all events of the batch. Column `time` says where they were.
int dj_condenser_add(dj_condenser *condenser, dj_context *context, dj_pool *pool, const dj_batch *batch);

// Returns what has been gathered, with a reference for the caller; NULL: nothing.
dj_batch *dj_condenser_take(dj_condenser *condenser);

#endif
