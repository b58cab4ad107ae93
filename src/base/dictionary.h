// SPDX-License-Identifier: MIT
// Assigns dense 32-bit ids (0, 1, 2, … in order of first appearance) to 64-bit values: program counters, or
// hashes of names, so that memory grows with the number of names and not with their length.
#ifndef DEJA_BASE_DICTIONARY_H
#define DEJA_BASE_DICTIONARY_H

#include "base/map.h"

typedef struct dj_dictionary {
    dj_map map; // value → id + 1
    dj_footprint footprint;
} dj_dictionary;

// The dictionary must not move until it is destroyed.
int dj_dictionary_create(dj_dictionary *dictionary, dj_context *context);
void dj_dictionary_destroy(dj_dictionary *dictionary); // a zero-initialized one is allowed

// Returns the id of `value`; *fresh says whether it is new. Fails if memory runs out or after 2^32 − 1
// values.
int dj_dictionary_value(dj_dictionary *dictionary, dj_context *context, uint64_t value, uint32_t *id,
                        bool *fresh);

#endif
