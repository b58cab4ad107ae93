// SPDX-License-Identifier: MIT
// Finds the accesses whose blocks are in a sample: one bit for each access, in words of 64.
#ifndef DEJA_FILTER_SAMPLE_FIND_H
#define DEJA_FILTER_SAMPLE_FIND_H

#include "base/sample.h"

// The sample of the blocks `address >> shift`.
typedef struct dj_sample_choice {
    uint64_t seed;
    unsigned shift, log2;
} dj_sample_choice;

typedef void dj_sample_find_function(const dj_sample_choice *choice, const uint64_t *address, uint32_t count,
                                     uint64_t *bits);

// All versions give the same bits.
dj_sample_find_function dj_sample_find_portable, dj_sample_find_avx2, dj_sample_find_avx512;
// The fastest one on this machine.
dj_sample_find_function *dj_sample_find_choose(void);

// The last step of the hash changes only lower bits than those that decide, so vector versions omit it.
_Static_assert(DJ_SAMPLE_LOG2_MOST <= 31, "the last shift of dj_random_mix is 31");

// The bits of the hash that must be 0.
static inline uint64_t dj_sample_mask(unsigned log2)
{
    return ~(UINT64_MAX >> log2);
}

#endif
