// SPDX-License-Identifier: MIT
// Which thread last wrote to each word: 4 bytes of memory, a sector of 512 bytes of a volume, or a key. Needs
// 128 bytes, and a place in a hash table, for each block of 16 words that was written to.
#ifndef DEJA_TRACE_SHARERS_LAST_WRITERS_H
#define DEJA_TRACE_SHARERS_LAST_WRITERS_H

#include <deja/source.h>

#include "base/map.h"

enum { DJ_WRITTEN_WORDS = 16, DJ_WRITTEN_MOST = 16384 };

// The low 16 bits are a thread; the others the number of accesses that it had made after the write. 0: none.
typedef uint64_t dj_last_write;

typedef struct dj_last_writers {
    unsigned word_bits; // of an address within a word
    bool keys;          // sizes do not matter
    // Private to last_writers.c.
    dj_map devices; // from device + 1 to positions in `maps` + 1
    dj_map *maps;   // of each device: from blocks to rows + 1
    size_t map_count, map_capacity;
    dj_last_write **chunks; // of rows
    size_t row_count, chunk_capacity;
    uint32_t last_device; // looked up last, with its map
    size_t last_map;
    dj_footprint footprint;
} dj_last_writers;

// A range of words.
typedef struct dj_word_range {
    uint64_t first, count;
} dj_word_range;

int dj_last_writers_create(dj_context *context, const dj_source_info *info, dj_last_writers *writers);
void dj_last_writers_free(dj_last_writers *writers);
// The words of an access; of a larger one the first DJ_WRITTEN_MOST.
dj_word_range dj_last_writers_words(const dj_last_writers *writers, uint64_t address, uint64_t size);
// Fetches what a later find for device 0 and this word will need: first its entry, later its row.
static inline void dj_last_writers_fetch_entry(const dj_last_writers *writers, uint64_t word)
{
    const dj_map *map = &writers->maps[0];
    __builtin_prefetch(&map->entries[dj_map_hash(word / DJ_WRITTEN_WORDS) & map->mask]);
}
void dj_last_writers_fetch_row(const dj_last_writers *writers, uint64_t word);
// The words of the block of word `word` of a device. If nothing was written there, *out is NULL, or zeros if
// `create`. Valid until the next call.
int dj_last_writers_find(dj_last_writers *writers, dj_context *context, uint32_t device, uint64_t word,
                         bool create, dj_last_write **out);

#endif
