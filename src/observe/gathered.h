// SPDX-License-Identifier: MIT
// A histogram for one of many subjects that alternate: distances are gathered before they are counted.
#ifndef DEJA_OBSERVE_GATHERED_H
#define DEJA_OBSERVE_GATHERED_H

#include <deja/profile.h>

// All zero: nothing counted yet.
typedef struct dj_gathered {
    dj_histogram *histogram; // NULL: nothing counted yet
    uint64_t accesses, cold;
    uint64_t zeros; // distance 0 is frequent and counted all at once
    uint32_t waiting;
    unsigned weight_log2; // of those that wait
    uint64_t *distances;
} dj_gathered;

void dj_gathered_free(dj_gathered *gathered);
// Each access stands for 2^weight_log2.
int dj_gathered_add(dj_gathered *gathered, dj_context *context, const uint64_t *distance, uint32_t n,
                    unsigned weight_log2);
// With fixed memory: as dj_histogram_round and dj_histogram_bytes_ahead.
int dj_gathered_round(dj_gathered *gathered, dj_context *context);
uint64_t dj_gathered_bytes_ahead(const dj_gathered *gathered);
int dj_gathered_merge(dj_gathered *gathered, dj_context *context, dj_gathered *other);
// Stores accesses, cold misses, distinct blocks (one for each cold miss) and distances.
int dj_gathered_finish(dj_gathered *gathered, dj_context *context, dj_lane_profile *to);

#endif
