// SPDX-License-Identifier: MIT
// Shows accesses to observers that do not come directly from a batch: those that were pending, and the
// rest of a batch from which some were held back. They are gathered into new batches.
#ifndef DEJA_PIPELINE_DELIVERY_DELIVERY_H
#define DEJA_PIPELINE_DELIVERY_DELIVERY_H

#include "pipeline/lanes/lane.h"
#include "pipeline/parts/pending.h"

typedef struct dj_observer {
    const dj_observer_ops *ops;
    const void *options;
    void *state;
} dj_observer;

typedef struct dj_delivery_lanes {
    dj_keyer *const *keyers; // one per lane
    const dj_lane_id *ids;   // one per lane
    const dj_lane_position *positions;
    uint32_t count;
    uint32_t use; // bits of dj_need: which answers the lanes have
} dj_delivery_lanes;

typedef struct dj_delivery {
    const dj_observer *observers;
    size_t observer_count;
    dj_delivery_lanes of;
    dj_batch *batch;
    uint64_t *columns; // buffers for the answers of all lanes
    dj_lane_view *lanes;
} dj_delivery;

int dj_delivery_begin(dj_delivery *delivery, dj_context *context, dj_pool *pool, const dj_observer *observers,
                      size_t observer_count, const dj_delivery_lanes *lanes);

// Adds one access with these columns; shows the batch when it is full.
int dj_delivery_add(dj_delivery *delivery, dj_context *context, const dj_pending_access *access,
                    uint32_t columns);

// Shows what has been gathered.
int dj_delivery_flush(dj_delivery *delivery, dj_context *context);
void dj_delivery_end(dj_delivery *delivery);

#endif
