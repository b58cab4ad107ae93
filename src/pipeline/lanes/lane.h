// SPDX-License-Identifier: MIT
// A lane: the keyer and the engine of one block size, of the accesses that its
// group selects, and the batches that the engine has not answered yet. A
// partitioned lane has an engine for each partition, and one column of answers.
#ifndef DEJA_PIPELINE_LANES_LANE_H
#define DEJA_PIPELINE_LANES_LANE_H

#include "pipeline/lanes/group.h"
#include "pipeline/lanes/keyer.h"
#include <deja/observer.h>
#include <deja/pipeline.h>

typedef struct dj_lane dj_lane;

// Where a lane stands.
typedef struct dj_lane_place {
    uint32_t group;
    bool first;     // of its group
    bool selective; // its group is
} dj_lane_place;

// Bits of dj_capability that a lane is to use, the first one of its group or another, of those of dj_need
// that the observers have; or DJ_CAN_TOTALS, where there are no answers but dj_lane_totals.
static inline uint32_t dj_lane_use(uint32_t needs, bool first)
{
    bool tags = (needs & (first ? DJ_NEED_TAGS : DJ_NEED_FINER)) != 0;
    return (needs & (DJ_CAN_TIMES | DJ_CAN_WEIGHTS | DJ_CAN_TOTALS)) | (tags ? DJ_CAN_TAGS : 0);
}

typedef struct dj_lane_config {
    const dj_engine_ops *engine;
    const void *engine_options;
    const dj_lane_id *id; // outlives the lane
    uint32_t use;         // bits of dj_capability: tags, times, weights, totals
    enum dj_tag tag;      // of the first lane of a group
    dj_lane *finer;   // the lane before in the group, whose keys are the tags of this one; NULL for the first
    uint32_t coarser; // how many lanes after this one have their answers from its engine
    bool led;         // this is such a lane
    bool selective;   // it may get selections
    bool partitioned;
} dj_lane_config;

int dj_lane_create(dj_context *context, const dj_lane_config *config, dj_lane **out);
void dj_lane_destroy(dj_lane *lane);

// Keys the batch and makes the questions for the engine; keeps a reference. The
// lane before has done so. What its group selects of it (NULL: all) must stay until the batch is popped.
// *view tells the keys, valid until then.
int dj_lane_take(dj_lane *lane, dj_context *context, dj_batch *batch, const dj_selection *selection,
                 dj_lane_view *view);
// Hands the batch that was taken last to the engine, once all lanes have it.
int dj_lane_push(dj_lane *lane, dj_context *context);

// Whether the oldest batch that was not shown is answered; takes answers from
// the engine. Where it is not in one lane, those after it are not to be asked.
int dj_lane_ready(dj_lane *lane, dj_context *context, bool *ready);

// That batch (which is ready) and its answers, which stay as they are until it
// is popped; from now on it counts as shown.
dj_batch *dj_lane_show(dj_lane *lane, dj_lane_view *view);
// Lets go of the oldest batch, which was shown.
void dj_lane_pop(dj_lane *lane);

int dj_lane_drain(dj_lane *lane, dj_context *context);
// Forgets the batches that were not answered, after an error.
void dj_lane_abandon(dj_lane *lane);

// With DJ_CAN_TOTALS, after drain: adds how often each distance came, and to *cold the first accesses.
int dj_lane_totals(dj_lane *lane, dj_context *context, dj_histogram *into, uint64_t *cold);
// First accesses that only filled the stack of a partition (0 without), after drain.
int dj_lane_filled(dj_lane *lane, dj_context *context, uint32_t partition, uint64_t *cold);
int dj_lane_order(dj_lane *lane, dj_context *context, dj_order *out);
void dj_lane_stats(const dj_lane *lane, dj_engine_stats *out);
dj_keyer *dj_lane_keyer(dj_lane *lane);

#endif
