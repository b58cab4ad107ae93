// SPDX-License-Identifier: MIT
// A lane: the keyer and the engine of one block size, for the accesses that its group selects, and the
// batches that the engine has not answered yet. A partitioned lane has one engine per partition but a
// single column of answers.
#ifndef DEJA_PIPELINE_LANES_LANE_H
#define DEJA_PIPELINE_LANES_LANE_H

#include "pipeline/lanes/group.h"
#include "pipeline/lanes/keyer.h"
#include <deja/observer.h>
#include <deja/pipeline.h>

typedef struct dj_lane dj_lane;

// Position of a lane among the groups.
typedef struct dj_lane_position {
    uint32_t group;
    bool first;           // in its group
    unsigned weight_log2; // of a block in the sample; 0: all blocks are analyzed
    bool selective;       // whether its group is
    bool invalidates;     // keys may be invalidated, so the lane needs its own engines
    bool coherent;
} dj_lane_position;

// Bits of dj_capability that a lane uses, given the observers' bits of dj_need. With DJ_CAN_TOTALS,
// dj_lane_totals provides the only answers.
static inline uint32_t dj_lane_use(uint32_t needs, bool first)
{
    bool tags = (needs & (first ? DJ_NEED_TAGS : DJ_NEED_FINER)) != 0;
    if (first && needs & DJ_NEED_FIRST_TIMES)
        needs |= DJ_CAN_TIMES;
    return (needs & (DJ_CAN_TIMES | DJ_CAN_WEIGHTS | DJ_CAN_TOTALS)) | (tags ? DJ_CAN_TAGS : 0);
}

typedef struct dj_lane_config {
    const dj_engine_ops *engine;
    const void *engine_options;
    const dj_lane_id *id; // must outlive the lane
    uint32_t use;         // bits of dj_capability: tags, times, weights, totals
    uint64_t most_keys;   // as in dj_engine_params
    enum dj_tag tag;      // for the first lane of a group
    dj_lane *finer;     // the previous lane of the group, whose keys are this one's tags; NULL for the first
    uint32_t coarser;   // how many of the following lanes its engine also answers
    bool shares_engine; // the engine of an earlier lane answers this one
    bool selective;     // may be passed selections
    unsigned weight_log2; // of a block in the sample, if the engine counts distances itself
    bool partitioned;
    bool coherent; // partitions are caches, whose writes invalidate the block in the others
} dj_lane_config;

int dj_lane_create(dj_context *context, const dj_lane_config *config, dj_lane **out);
void dj_lane_destroy(dj_lane *lane);

// Computes the keys of the batch and prepares the work for the engine; keeps a reference. The previous
// lane must have done so before. The group's selection (NULL: all accesses) must exist until the batch
// is popped. *view receives the keys, valid until then.
int dj_lane_take(dj_lane *lane, dj_context *context, dj_batch *batch, const dj_selection *selection,
                 dj_lane_view *view);
// Passes the last batch to the engine, after all lanes have prepared it.
int dj_lane_push(dj_lane *lane, dj_context *context);

// Pulls answers from the engine and sets *ready if the oldest batch that was not shown is answered. If
// it is not ready in one lane, do not call this for the following lanes.
int dj_lane_ready(dj_lane *lane, dj_context *context, bool *ready);

// Returns that batch (which must be ready) and its answers, valid until it is popped; marks it as
// shown.
dj_batch *dj_lane_show(dj_lane *lane, dj_lane_view *view);
// Releases the oldest batch, which must have been shown.
void dj_lane_pop(dj_lane *lane);

// With fixed memory: the blocks of a lane that are in the sample of its group, whose blocks are `largest`
// bytes at most.
typedef struct dj_lane_kept {
    const dj_keyer *keyer;
    const dj_group *group;
    uint64_t largest;
} dj_lane_kept;

// A dj_keeps function; `user` is a dj_lane_kept.
bool dj_kept_has(void *user, uint64_t key);
// Between batches: drops the other blocks, from a lane or from its last-access order.
int dj_lane_thin(dj_lane *lane, dj_context *context, dj_lane_kept *kept);
void dj_kept_order(dj_lane_kept *kept, dj_order *order);

int dj_lane_drain(dj_lane *lane, dj_context *context);
// Releases batches that were not answered, after an error.
void dj_lane_abandon(dj_lane *lane);

// With DJ_CAN_TOTALS, after drain: adds the number of occurrences of each distance, and to *cold the
// number of first accesses.
int dj_lane_totals(dj_lane *lane, dj_context *context, dj_histogram *into, uint64_t *cold);
// Number of first accesses that only filled the stack of a partition (0 if not partitioned), after
// drain.
int dj_lane_filled(dj_lane *lane, dj_context *context, uint32_t partition, uint64_t *cold);
int dj_lane_order(dj_lane *lane, dj_context *context, dj_order *out);
void dj_lane_stats(const dj_lane *lane, dj_engine_stats *out);
// Of one partition.
uint64_t dj_lane_stack_keys(const dj_lane *lane, size_t partition);
dj_keyer *dj_lane_keyer(dj_lane *lane);

#endif
