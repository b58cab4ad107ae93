// SPDX-License-Identifier: MIT
// What byte distances from a sample need besides the distances: what is known of all accesses, and their
// error.
#ifndef DEJA_OBSERVE_BYTE_SAMPLE_H
#define DEJA_OBSERVE_BYTE_SAMPLE_H

#include "observe/sample_slices.h"

enum { DJ_SIZE_CLASSES = 65 }; // by dj_log2_bin

// Zero-initialized.
typedef struct dj_byte_sample {
    uint64_t total;    // bytes of all accesses that count, in the sample or not
    uint64_t certain;  // bytes of those that were counted while all blocks were analyzed
    uint64_t smallest; // size of such an access, plus 1; 0: there was none
    // Sizes of the sampled keys, each counted for those that it stands for, and of all accesses that count. A
    // sample may lack the few largest keys.
    struct dj_size_class {
        uint64_t bytes;
        unsigned __int128 squares;
    } keys[DJ_SIZE_CLASSES], accesses[DJ_SIZE_CLASSES];
    dj_sample_slices requests, bytes; // misses, counted in accesses and in requested bytes
} dj_byte_sample;

void dj_byte_sample_free(dj_byte_sample *sample);
// All accesses of a batch, in this lane.
void dj_byte_sample_watch(dj_byte_sample *sample, const dj_view *view, const dj_lane_view *lane);
// An access in the sample; `needed` bytes make it a hit, or DJ_COLD.
int dj_byte_sample_add(dj_byte_sample *sample, dj_context *context, unsigned slice, uint64_t needed,
                       uint64_t size, uint64_t weight);
int dj_byte_sample_merge(dj_byte_sample *sample, dj_context *context, const dj_byte_sample *other);
void dj_byte_sample_save(const dj_byte_sample *sample, dj_packer *to);
int dj_byte_sample_load(dj_byte_sample *sample, dj_context *context, dj_unpacker *from);
// Matches the distances to what is known of all accesses, `cold` of which are estimated to be first accesses,
// and adds the errors.
int dj_byte_sample_finish(const dj_byte_sample *sample, dj_context *context, uint64_t accesses, uint64_t cold,
                          dj_byte_profile *to);

#endif
