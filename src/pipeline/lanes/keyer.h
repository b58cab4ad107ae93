// SPDX-License-Identifier: MIT
// Makes keys of addresses for one block size.
//
// The key is the number of the block. Where a trace has devices, the device
// number is laid into it from the top, bit-reversed, so that the two meet only
// if they need more than 64 bits together; that is checked.
#ifndef DEJA_PIPELINE_LANES_KEYER_H
#define DEJA_PIPELINE_LANES_KEYER_H

#include <deja/batch.h>

typedef struct dj_keyer {
    uint64_t block;
    int shift;             // log2 of block, or -1
    uint64_t blocks_seen;  // OR of all block numbers seen beside a device
    uint32_t devices_seen; // OR of all device numbers
} dj_keyer;

void dj_keyer_init(dj_keyer *keyer, uint64_t block);

// Gives the keys of all accesses of the batch: in `room`, or where the
// addresses are, when those are keys already.
int dj_keyer_keys(dj_keyer *keyer, dj_context *context, const dj_batch *batch, uint64_t *room,
                  const uint64_t **keys);

// The key of one access; the batch that held it went through dj_keyer_keys.
uint64_t dj_keyer_key(const dj_keyer *keyer, uint64_t address, uint32_t device);

// Takes over what another keyer of the same block size has seen.
int dj_keyer_merge(dj_keyer *keyer, dj_context *context, const dj_keyer *other);

#endif
