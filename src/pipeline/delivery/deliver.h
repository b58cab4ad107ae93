// SPDX-License-Identifier: MIT
// Hands accesses to observers that do not come straight from a batch: those
// that waited for an answer, and the rest of a batch from which some were held
// back. They are gathered into batches of their own.
#ifndef DEJA_PIPELINE_DELIVERY_DELIVER_H
#define DEJA_PIPELINE_DELIVERY_DELIVER_H

#include "pipeline/lanes/lane.h"
#include "pipeline/parts/pending.h"

typedef struct dj_observer {
    const dj_observer_ops *ops;
    const void *options;
    void *state;
} dj_observer;

typedef struct dj_delivery_lanes {
    dj_keyer *const *keyers; // one for each lane
    const dj_lane_id *ids;   // likewise
    const dj_lane_place *places;
    uint32_t count;
    uint32_t use; // bits of dj_need: which answers the lanes have
} dj_delivery_lanes;

typedef struct dj_delivery {
    const dj_observer *observers;
    size_t observer_count;
    dj_delivery_lanes of;
    dj_batch *batch;
    uint64_t *columns; // room for the answers of all lanes
    dj_lane_view *lanes;
} dj_delivery;

int dj_delivery_begin(dj_delivery *delivery, dj_context *context, dj_pool *pool, const dj_observer *observers,
                      size_t observer_count, const dj_delivery_lanes *lanes);

// Gathers one access, which has these columns; passes the batch on when it is full.
int dj_delivery_add(dj_delivery *delivery, dj_context *context, const dj_pending_access *access,
                    uint32_t columns);

// Passes on what is gathered.
int dj_delivery_flush(dj_delivery *delivery, dj_context *context);
void dj_delivery_end(dj_delivery *delivery);

#endif
