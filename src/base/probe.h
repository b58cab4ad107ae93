// SPDX-License-Identifier: MIT
// Open addressing with linear probing, for every table that is one array of entries, a power of two of
// them: the statement after it is done for `at`, the number of an entry, from that of the hash on until it
// leaves the loop, at the key or at a free entry. There must be a free one. Nothing is removed from such a
// table; one with entries that are out of date is made again without them.
//
// Not this idea: the table of engine fast (engine/fast/table.h), with lines of five keys that are compared
// at once and stand in the order of their hashes, and the tables in the memory of a GPU (src/gpu), where
// many threads probe and insert at the same time.
#ifndef DEJA_BASE_PROBE_H
#define DEJA_BASE_PROBE_H

#include <stdint.h>

#define DJ_PROBE(at, hash, mask) for (uint64_t at = (hash) & (mask);; at = (at + 1) & (mask))

// Entries for so many keys, at most three quarters full, and not fewer than `least`, a power of two.
static inline uint64_t dj_probe_entries(uint64_t keys, uint64_t least)
{
    uint64_t entries = least;
    while (entries / 4 * 3 < keys && entries <= UINT64_MAX / 2)
        entries *= 2;
    return entries;
}

#endif
