// SPDX-License-Identifier: MIT
// Accesses that no lane sees need no place. The locator asks the filters of the lanes before it looks
// anything up; the lanes ask them again.
#ifndef DEJA_LOCATE_SAMPLED_H
#define DEJA_LOCATE_SAMPLED_H

#include <deja/batch.h>
#include <deja/filter.h>

// The filters of the lanes, one of which samples blocks.
typedef struct dj_sampled_options {
    const dj_filter_choice *filters;
    size_t filter_count;    // 0: every access gets a place
    uint64_t largest_block; // of the lanes
    uint64_t split_block; // an access counts in each block of this size that it touches; 0: only in the first
} dj_sampled_options;

typedef struct dj_sampled dj_sampled;

int dj_sampled_create(dj_context *context, const dj_sampled_options *options, dj_sampled **out);
void dj_sampled_destroy(dj_sampled *sampled); // NULL is allowed

// Judges the next batch: one verdict for each access, valid until the next call.
int dj_sampled_judge(dj_sampled *sampled, dj_context *context, const dj_batch *batch, const uint8_t **out);
// How often an access of that batch counts: once for each block that it is split at.
uint32_t dj_sampled_pieces(const dj_sampled *sampled, const dj_batch *batch, uint32_t i);

#endif
