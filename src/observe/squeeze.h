// SPDX-License-Identifier: MIT
// Leaves values out of a row of them, so that loops after it see what matters
// alone: an access that repeats the key of the one before has distance 0 at
// every larger block size, too.
#ifndef DEJA_OBSERVE_SQUEEZE_H
#define DEJA_OBSERVE_SQUEEZE_H

#include <stdint.h>

enum { DJ_SQUEEZE_PAD = 16 }; // so many values may be written behind the last one

typedef struct dj_squeeze {
    // A bit for each value that is not 0. Returns how many.
    uint32_t (*find)(const uint64_t *value, uint32_t count, uint64_t *bits);
    // Gathers the values that have a bit. Returns how many.
    uint32_t (*gather)(const uint64_t *bits, const uint64_t *value, uint32_t count, uint64_t *to);
    // Both at once.
    uint32_t (*leave_zeros)(const uint64_t *value, uint32_t count, uint64_t *to);
    // Of those with a bit: whether the lower halves of the keys differ from `last`. Returns how many.
    uint32_t (*differ)(const uint64_t *bits, const uint32_t *last, const uint64_t *key, uint32_t count,
                       uint32_t *to);
} dj_squeeze;

extern const dj_squeeze dj_squeeze_portable;
#if defined(__x86_64__)
extern const dj_squeeze dj_squeeze_avx512;
#endif

// The one for this machine.
const dj_squeeze *dj_squeeze_choose(void);

#endif
