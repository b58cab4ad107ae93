// SPDX-License-Identifier: MIT
// State shared by the files of the driver.
#ifndef DEJA_PIPELINE_STATE_H
#define DEJA_PIPELINE_STATE_H

#include "pipeline/budget.h"
#include "pipeline/delivery/delivery.h"
#include "pipeline/delivery/observer_threads.h"
#include "pipeline/lanes/condense.h"
#include "pipeline/lanes/lane.h"
#include "pipeline/lanes/split.h"
#include <deja/pipeline.h>

struct dj_pipeline {
    dj_pipeline_config config;
    dj_group **groups;
    uint32_t group_count;
    const dj_selection **selections;       // by group: for the batch that is being pushed
    dj_lane_id *ids;                       // by lane
    dj_lane_position *positions;           // by lane
    const dj_partition_table **partitions; // by lane; NULL: one stack
    uint32_t lane_count;
    uint32_t use; // bits of dj_need: what the observers need from the lanes; or DJ_CAN_TOTALS
    dj_budget budget;
    unsigned first_log2; // with a budget: of the weight, before the rate fell
    dj_pool *pool;
    dj_splitter splitter;
    dj_condenser condenser;
    dj_lane **lanes;
    dj_keyer **keyers;   // by lane
    dj_lane_view *views; // buffer for one view
    dj_observer *observers;
    size_t *finish_order; // indices of the observers
    bool seen;            // whether any observer has `see`
    // Bits of dj_column_bit: columns that an observer watches; UINT32_MAX: every batch.
    uint32_t watches;
    dj_observer_threads *observer_threads; // while running with observer threads
    uint64_t submitted;     // batches of this run that were submitted to the observers for the last time
    uint64_t shown, popped; // batches of this run: shown to the observers, released to the lanes
    bool paused;            // whether `pause` ended the last run
    bool ended;             // no later access can count
    uint64_t requests, accesses;
    char *partial_reason;      // NULL: not partial
    char *engine_options_text; // options of the engine that differ from the defaults
    uint64_t thread;           // of the last thread event
    bool thread_known, several_threads;
    uint64_t outside; // accesses outside recorded data, by events

    // With config.summarize: pending first accesses, and, after the run (sealed), the last-access order
    // of each lane, taken from its engine.
    dj_pending pending;
    dj_pending_answer *answers; // buffer for one access
    dj_order *orders;
    bool sealed;
};

// A pipeline that is loaded from a file.
typedef struct dj_saved_pipeline {
    dj_unpacker *from; // contains the states of the observers
    dj_saved_group *groups;
} dj_saved_pipeline;

// Like dj_pipeline_create. With `saved` (NULL: none), observers and identities come from there, and the
// pipeline cannot run.
int dj_pipeline_make(dj_context *context, const dj_pipeline_config *config, const dj_saved_pipeline *saved,
                     dj_pipeline **out);
// The setup for observers, without options.
dj_setup dj_pipeline_setup(const dj_pipeline *pipeline);
// Fills `order`, which has one element per observer. Fails if one needs a section that none fills.
int dj_finish_order(dj_context *context, const dj_pipeline_config *config, size_t *order);
// With `summarize`: takes the last-access order from the engines, which are not used afterwards.
int dj_pipeline_seal(dj_pipeline *pipeline, dj_context *context);

// Refuses what cannot be estimated from a sample, and plans the use of fixed memory. The groups exist; the
// pipeline is loaded from a file if `saved`.
int dj_pipeline_check_samples(dj_pipeline *pipeline, dj_context *context, bool saved);
// Fixed memory: whether the lanes hold so many keys that the rate must fall before the next batch.
bool dj_pipeline_is_full(const dj_pipeline *pipeline);
// Lets it fall until they are not full. No batch may be in flight.
int dj_pipeline_thin(dj_pipeline *pipeline, dj_context *context);
// Lets it fall to 2^-weight_log2, in a pipeline that is sealed.
int dj_pipeline_lower(dj_pipeline *pipeline, dj_context *context, unsigned weight_log2);
// Makes the rate of the groups that of the lanes.
int dj_pipeline_take_rate(dj_pipeline *pipeline, dj_context *context);

// Options of an engine that differ from its defaults: "threads=4 name=value"; freed with free().
int dj_engine_options_text(dj_context *context, const dj_engine_ops *engine, const void *options, char **out);
// Detects from the events of a batch whether accesses come from several threads, and how many were outside
// recorded data.
void dj_pipeline_note_events(dj_pipeline *pipeline, const dj_batch *batch);
void dj_pipeline_join_threads(dj_pipeline *pipeline, const dj_pipeline *later);
// Fills in the provenance that the pipeline itself knows.
int dj_pipeline_provenance(const dj_pipeline *pipeline, dj_context *context, dj_provenance *v);

static inline int dj_pipeline_deliver(dj_pipeline *p, dj_context *context, dj_delivery *delivery)
{
    const dj_delivery_lanes lanes = {p->keyers, p->ids, p->positions, p->lane_count, p->use};
    return dj_delivery_begin(delivery, context, p->pool, p->observers, p->config.observer_count, &lanes);
}

#endif
