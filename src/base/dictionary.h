// SPDX-License-Identifier: MIT
// Dense 32-bit ids, 0, 1, 2, …, in order of first appearance, for 64-bit
// values: a program counter, or the hash of a name, so that memory grows with
// the number of names and not with their length.
#ifndef DEJA_BASE_DICTIONARY_H
#define DEJA_BASE_DICTIONARY_H

#include "base/map.h"

typedef struct dj_dictionary {
    dj_map map; // value → id + 1
    dj_footprint footprint;
} dj_dictionary;

// The dictionary must stay where it is until it is destroyed.
int dj_dictionary_create(dj_dictionary *dictionary, dj_context *context);
void dj_dictionary_destroy(dj_dictionary *dictionary); // one that is all zero is fine

// The id of `value`; *fresh tells whether it is new. Fails when memory is out
// or after 2^32 − 1 values.
int dj_dictionary_value(dj_dictionary *dictionary, dj_context *context, uint64_t value, uint32_t *id,
                        bool *fresh);

#endif
