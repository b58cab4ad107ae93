// SPDX-License-Identifier: MIT
// Computes keys from addresses for one block size.
//
// The key is the number of the block. If a trace has devices, the bit-reversed device number occupies
// the top bits, so that the two collide only if together they need more than 64 bits; that is checked.
#ifndef DEJA_PIPELINE_LANES_KEYER_H
#define DEJA_PIPELINE_LANES_KEYER_H

#include <deja/batch.h>

typedef struct dj_keyer {
    uint64_t block;
    int shift;             // log2 of block, or -1
    uint64_t blocks_seen;  // OR of all block numbers that came with a device
    uint32_t devices_seen; // OR of all device numbers
} dj_keyer;

void dj_keyer_init(dj_keyer *keyer, uint64_t block);

// Sets *keys to the keys of all accesses of the batch: in `buffer`, or the addresses themselves if
// those are keys already.
int dj_keyer_keys(dj_keyer *keyer, dj_context *context, const dj_batch *batch, uint64_t *buffer,
                  const uint64_t **keys);

// The key of one access of a batch that went through dj_keyer_keys.
uint64_t dj_keyer_key(const dj_keyer *keyer, uint64_t address, uint32_t device);

// The number of the block and the device of a key; 0 if there are no devices. All keys so far must have gone
// through dj_keyer_keys.
void dj_keyer_split(const dj_keyer *keyer, uint64_t key, uint64_t *block, uint32_t *device);

// Merges in what another keyer of the same block size has seen.
int dj_keyer_merge(dj_keyer *keyer, dj_context *context, const dj_keyer *other);

#endif
