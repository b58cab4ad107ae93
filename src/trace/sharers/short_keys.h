// SPDX-License-Identifier: MIT
// Shortens keys, one to one, so that the number of a sharer fits beside them. Many traces have hashes of 64
// bits as keys.
#ifndef DEJA_TRACE_SHARERS_SHORT_KEYS_H
#define DEJA_TRACE_SHARERS_SHORT_KEYS_H

#include "base/map.h"

typedef struct dj_short_keys {
    uint64_t limit; // keys below it stay as they are
    dj_map numbers; // of the upper parts of longer keys
    dj_footprint footprint;
} dj_short_keys;

// `spare_bits`: the highest bits, which are not to be used; from 1 to 16.
int dj_short_keys_create(dj_context *context, unsigned spare_bits, dj_short_keys *out);
void dj_short_keys_destroy(dj_short_keys *keys); // also one of zeros
// The low 20 bits are kept, so that keys of one block stay together (blocks of up to 2^20, a power of two).
int dj_short_keys_apply(dj_short_keys *keys, dj_context *context, uint64_t *key, uint32_t count);

#endif
