// SPDX-License-Identifier: MIT
// What the parts of the driver share.
#ifndef DEJA_PIPELINE_STATE_H
#define DEJA_PIPELINE_STATE_H

#include "pipeline/delivery/deliver.h"
#include "pipeline/delivery/relay.h"
#include "pipeline/lanes/group.h"
#include "pipeline/lanes/lane.h"
#include "pipeline/lanes/split.h"
#include <deja/pipeline.h>

struct dj_pipeline {
    dj_pipeline_config config;
    dj_group **groups;
    uint32_t group_count;
    const dj_selection **selections;       // of each group, of the batch that is being pushed
    dj_lane_id *ids;                       // of the lanes
    dj_lane_place *places;                 // likewise: where they stand
    const dj_partition_table **partitions; // likewise; NULL: one stack
    uint32_t lane_count;
    uint32_t use; // bits of dj_need: what the observers want from the lanes; or DJ_CAN_TOTALS
    dj_pool *pool;
    dj_splitter splitter;
    dj_lane **lanes;
    dj_keyer **keyers;   // of the lanes
    dj_lane_view *views; // room for one view
    dj_observer *observers;
    size_t *finish_order;   // of the observers
    bool seen;              // whether any of them sees
    uint32_t watches;       // bits of dj_column_bit: what one of them watches for; UINT32_MAX: any batch
    dj_relay *relay;        // while running with an observers' thread
    uint64_t relayed;       // batches of this run that were shown for the last time there
    uint64_t shown, popped; // batches of this run: given to the observers, given back to the lanes
    bool paused;            // the last run was
    bool ended;             // nothing that comes would count
    uint64_t requests, accesses;
    char *partial_reason; // NULL: all went well
    char *engine_words;   // options of the engine that are not the defaults
    uint64_t thread;      // of the last event that told one
    bool thread_told, several_threads;

    // With config.summarize: first accesses wait; once the run is over (sealed)
    // the last-access order of each lane is taken from its engine.
    dj_pending pending;
    dj_pending_answer *answers; // room for one access
    dj_order *orders;
    bool sealed;
};

// What a file keeps of a pipeline that has run.
typedef struct dj_kept_pipeline {
    dj_unpacker *from;        // has the states of the observers
    const char *const *words; // of each group: the accesses that it counts
} dj_kept_pipeline;

// As dj_pipeline_create; of `kept` (NULL: none) observers and identities are made, and it cannot run.
int dj_pipeline_make(dj_context *context, const dj_pipeline_config *config, const dj_kept_pipeline *kept,
                     dj_pipeline **out);
// What observers are told, but for their options.
dj_setup dj_pipeline_setup(const dj_pipeline *pipeline);
// Into `order`, which has room for all observers; fails if one needs a section that none fills.
int dj_finish_order(dj_context *context, const dj_pipeline_config *config, size_t *order);
// With `summarize`: takes the last-access order from the engines, which are not used after that.
int dj_pipeline_seal(dj_pipeline *pipeline, dj_context *context);

// Options of an engine that are not its defaults: "threads=4 name=value"; freed with free().
int dj_engine_words(dj_context *context, const dj_engine_ops *engine, const void *options, char **out);
// Whether accesses of several threads come, by the events of a batch.
void dj_pipeline_note_threads(dj_pipeline *pipeline, const dj_batch *batch);
void dj_pipeline_join_threads(dj_pipeline *pipeline, const dj_pipeline *later);
// What the pipeline itself knows of where its numbers come from.
int dj_pipeline_provenance(const dj_pipeline *pipeline, dj_context *context, dj_provenance *v);

static inline int dj_pipeline_deliver(dj_pipeline *p, dj_context *context, dj_delivery *delivery)
{
    const dj_delivery_lanes lanes = {p->keyers, p->ids, p->places, p->lane_count, p->use};
    return dj_delivery_begin(delivery, context, p->pool, p->observers, p->config.observer_count, &lanes);
}

#endif
