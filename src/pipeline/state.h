// SPDX-License-Identifier: MIT
// What the parts of the driver share.
#ifndef DEJA_PIPELINE_STATE_H
#define DEJA_PIPELINE_STATE_H

#include "pipeline/deliver.h"
#include "pipeline/lane.h"
#include "pipeline/relay.h"
#include "pipeline/split.h"
#include <deja/pipeline.h>

struct dj_pipeline {
    dj_pipeline_config config;
    uint64_t *blocks;
    uint32_t lane_count;
    uint32_t use; // bits of dj_need: what the observers want from the lanes; or DJ_CAN_TOTALS
    dj_pool *pool;
    dj_splitter splitter;
    dj_lane **lanes;
    dj_keyer **keyers;   // of the lanes
    dj_lane_view *views; // room for one view
    dj_watcher *observers;
    bool seen;              // whether any of them sees
    uint32_t watches;       // bits of dj_column_bit: what one of them watches for; UINT32_MAX: any batch
    dj_relay *relay;        // while running with an observers' thread
    uint64_t relayed;       // batches of this run that were shown for the last time there
    uint64_t shown, popped; // batches of this run: given to the observers, given back to the lanes
    bool paused;            // the last run was
    uint64_t requests, accesses;
    char *partial_reason; // NULL: all went well

    // With config.summarize: first accesses wait; once the run is over (sealed)
    // the last-access order of each lane is taken from its engine.
    dj_pending pending;
    dj_pending_answer *answers; // room for one access
    dj_order *orders;
    bool sealed;
};

// As dj_pipeline_create; `from` (NULL: none) has the states of the observers.
int dj_pipeline_make(dj_context *context, const dj_pipeline_config *config, dj_unpacker *from,
                     dj_pipeline **out);
// With `summarize`: takes the last-access order from the engines, which are not used after that.
int dj_pipeline_seal(dj_pipeline *pipeline, dj_context *context);

// What the pipeline itself knows of where its numbers come from.
int dj_pipeline_provenance(const dj_pipeline *pipeline, dj_context *context, dj_provenance *v);

static inline int dj_pipeline_deliver(dj_pipeline *p, dj_context *context, dj_delivery *delivery)
{
    return dj_delivery_begin(delivery, context, p->pool, p->observers, p->config.observer_count, p->keyers,
                             p->lane_count, p->use);
}

#endif
