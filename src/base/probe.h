// SPDX-License-Identifier: MIT
// Open addressing with linear probing, for tables that are one array of entries, a power of two of them. The
// statement after DJ_PROBE runs for `at`, the index of an entry, starting at the hash, until it leaves the
// loop at the key or at a free entry. There must be a free entry. Only dj_map_remove removes entries; other
// tables with outdated entries are rebuilt without them.
//
// Not used by the table of engine fast (engine/fast/table.h), with lines of five keys that are compared at
// once and ordered by hash, nor by the tables in GPU memory (src/gpu), where many threads probe and insert
// concurrently.
#ifndef DEJA_BASE_PROBE_H
#define DEJA_BASE_PROBE_H

#include <stdint.h>

#define DJ_PROBE(at, hash, mask) for (uint64_t at = (hash) & (mask);; at = (at + 1) & (mask))

// The number of entries for `keys` keys, at most three quarters full and at least `least`, a power of two.
static inline uint64_t dj_probe_entries(uint64_t keys, uint64_t least)
{
    uint64_t entries = least;
    while (entries / 4 * 3 < keys && entries <= UINT64_MAX / 2)
        entries *= 2;
    return entries;
}

#endif
