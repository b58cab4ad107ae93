// SPDX-License-Identifier: MIT
// One histogram for each lane: the state of several observers.
#ifndef DEJA_OBSERVE_LANE_HISTOGRAMS_H
#define DEJA_OBSERVE_LANE_HISTOGRAMS_H

#include <deja/observer.h>

typedef struct dj_lane_histograms {
    uint32_t lane_count;
    struct {
        dj_histogram *histogram;
        uint64_t cold;
        bool rounds; // with fixed memory: distances are exact so far, but will be rounded
    } lanes[];
} dj_lane_histograms;

// With the signatures of dj_observer_ops.
int dj_lane_histograms_create(dj_context *context, const dj_setup *setup, void **state);
void dj_lane_histograms_destroy(void *state);
int dj_lane_histograms_merge(void *state, dj_context *context, const void *other, uint64_t position);

int dj_lane_histograms_save(const void *state, dj_context *context, dj_packer *to);
int dj_lane_histograms_load(dj_context *context, const dj_setup *setup, dj_unpacker *from, void **state);

// With fixed memory, once a lane has become a sample: rounds the distances so far, to save memory.
int dj_lane_histograms_round(dj_lane_histograms *histograms, dj_context *context, uint32_t lane);

// Copies the histogram of a lane into the profile, which also frees it after an error.
int dj_lane_histograms_copy(const dj_lane_histograms *histograms, dj_context *context, uint32_t lane,
                            dj_histogram **out);

#endif
