// SPDX-License-Identifier: MIT
// The error of miss counts from a sample. The sampled blocks are divided into slices by hash. All slices
// share the stack of the whole sample, and each counts the misses of its own blocks: how much these counts
// differ shows how much the sum depends on which blocks are in the sample.
#ifndef DEJA_OBSERVE_SAMPLE_SLICES_H
#define DEJA_OBSERVE_SAMPLE_SLICES_H

#include <deja/observer.h>
#include <deja/sample.h>

#include "base/sample.h"

// Zero-initialized. Memory depends on the longest distance only: some KB for each slice.
typedef struct dj_sample_slices {
    uint64_t all[DJ_SAMPLE_SLICES]; // accesses of each slice
    uint64_t *reuses;               // by bin of the distance and slice
    size_t capacity, count;
} dj_sample_slices;

// The slice of a block. Uses other bits than those that select the sample.
static inline unsigned dj_sample_slice(uint64_t key)
{
    return (unsigned)(dj_sample_hash(key, UINT64_C(0x51ce)) % DJ_SAMPLE_SLICES);
}

void dj_sample_slices_free(dj_sample_slices *slices);
// Counts an access to a block of this slice `weight` times. The distance may be DJ_COLD.
int dj_sample_slices_add(dj_sample_slices *slices, dj_context *context, unsigned slice, uint64_t distance,
                         uint64_t weight);
int dj_sample_slices_merge(dj_sample_slices *slices, dj_context *context, const dj_sample_slices *other);
// With fixed memory: what they may take while they grow, and for their errors.
uint64_t dj_sample_slices_bytes_ahead(const dj_sample_slices *slices);
void dj_sample_slices_save(const dj_sample_slices *slices, dj_packer *to);
int dj_sample_slices_load(dj_sample_slices *slices, dj_context *context, dj_unpacker *from);

// What a sample consists of, and its error. Zero-initialized.
typedef struct dj_sample_tally {
    uint64_t blocks, accesses; // in the sample, not multiplied
    uint64_t weighted;         // the accesses, each as often as it counts
    dj_sample_slices slices;
} dj_sample_tally;

static inline int dj_sample_tally_add(dj_sample_tally *tally, dj_context *context, unsigned slice,
                                      uint64_t distance, uint64_t weight)
{
    tally->accesses++;
    tally->weighted += weight;
    tally->blocks += distance == DJ_COLD;
    // With a weight of 1, all blocks are analyzed, and nothing depends on the sample.
    return weight > 1 ? dj_sample_slices_add(&tally->slices, context, slice, distance, weight) : DJ_OK;
}

int dj_sample_tally_merge(dj_sample_tally *tally, dj_context *context, const dj_sample_tally *other);
void dj_sample_tally_save(const dj_sample_tally *tally, dj_packer *to);
int dj_sample_tally_load(dj_sample_tally *tally, dj_context *context, dj_unpacker *from);
// Fills in the section of a lane with this rate and this many accesses, sampled or not.
int dj_sample_tally_finish(const dj_sample_tally *tally, dj_context *context, double rate, uint64_t total,
                           dj_sample *to);

// The standard error of the miss ratio by cache size, for `total` accesses. The caller frees *out.
int dj_sample_slices_errors(const dj_sample_slices *slices, dj_context *context, uint64_t total,
                            dj_sample_error **out, size_t *count);

#endif
