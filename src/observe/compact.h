// SPDX-License-Identifier: MIT
// Compaction: removes values from an array, so that later loops process only the relevant ones. An access
// that repeats the key of the previous one has distance 0 at every larger block size, too.
#ifndef DEJA_OBSERVE_COMPACT_H
#define DEJA_OBSERVE_COMPACT_H

#include <stdint.h>

enum { DJ_COMPACT_PAD = 16 }; // up to this many values may be written after the last one

typedef struct dj_compact {
    // Sets a bit for each nonzero value. Returns their number.
    uint32_t (*find)(const uint64_t *value, uint32_t count, uint64_t *bits);
    // Gathers the values with a bit set. Returns their number.
    uint32_t (*gather)(const uint64_t *bits, const uint64_t *value, uint32_t count, uint64_t *to);
    // Both in one pass.
    uint32_t (*drop_zeros)(const uint64_t *value, uint32_t count, uint64_t *to);
    // For values with a bit set: whether the lower halves of the keys differ from `last`. Returns their
    // number.
    uint32_t (*differ)(const uint64_t *bits, const uint32_t *last, const uint64_t *key, uint32_t count,
                       uint32_t *to);
} dj_compact;

extern const dj_compact dj_compact_portable;
#if defined(__x86_64__)
extern const dj_compact dj_compact_avx512;
#endif

// The implementation for this machine.
const dj_compact *dj_compact_choose(void);

#endif
