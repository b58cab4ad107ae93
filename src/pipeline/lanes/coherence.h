// SPDX-License-Identifier: MIT
// The directory of a coherent lane: which caches hold each block. A write to a block invalidates it in all
// caches but the writer's. Caches are partitions of the lane, and of unlimited size here: a block is held
// from its first access until it is invalidated. A smaller cache may have evicted it, but the engine
// answers for all sizes at once.
#ifndef DEJA_PIPELINE_LANES_COHERENCE_H
#define DEJA_PIPELINE_LANES_COHERENCE_H

#include "base/footprint.h"
#include "pipeline/lanes/operations.h"
#include <deja/batch.h>

// A limit, since each block has two bits per cache.
enum { DJ_COHERENT_CACHES_MOST = 1024 };

typedef struct dj_coherence dj_coherence;

int dj_coherence_create(dj_context *context, dj_coherence **out);
void dj_coherence_destroy(dj_coherence *coherence); // NULL is allowed

// Follows the accesses of the next batch. Appends the invalidations that they cause to `operations`, and
// sets lost_to (dj_lane_view) for each access of the batch.
int dj_coherence_follow(dj_coherence *coherence, dj_context *context, const dj_batch *batch,
                        const dj_selection *selection, const uint64_t *key, uint32_t *lost_to,
                        dj_operations *operations);

const dj_footprint *dj_coherence_footprint(const dj_coherence *coherence);

#endif
