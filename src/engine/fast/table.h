// SPDX-License-Identifier: MIT
// The hash table of engine fast: from a key to the time of its last access.
//
// Idea:  Lines of 64 bytes, the size of a cache line, hold five keys and five times; a full line
//        overflows into the next. So a key is found with one cache miss, and all keys of a line are
//        compared at once. A key keeps its slot until the table grows. Lines are in order of the hash,
//        so growing reads the old table and writes the new one sequentially.
// Cost:  17 to 26 bytes per key, 1.3 to 2 words more for tags and for times.
#ifndef DEJA_ENGINE_FAST_TABLE_H
#define DEJA_ENGINE_FAST_TABLE_H

#include "base/huge.h"
#include <deja/engine.h>

enum {
    DJ_FAST_WAYS = 5,
    DJ_FAST_LINE_WORDS = 16,
    DJ_FAST_FIRST_TIME = 10,
    DJ_FAST_CROWDED = 256, // consecutive full lines: chance alone does not fill this many
};

// All zero: empty.
typedef struct dj_fast_line {
    uint64_t key[DJ_FAST_WAYS];
    uint32_t time[DJ_FAST_WAYS]; // on the timeline; 0: none (not yet, or still in the window)
    uint32_t used;               // number of entries in use, which are the first ones
} dj_fast_line;

// A slot is the index of its time among all 32-bit words of the table.
typedef struct dj_fast_table {
    dj_fast_line *lines; // `homes` lines, and one more for key 0, which marks free slots elsewhere
    uint64_t homes;      // lines to which hashes map
    uint64_t seed;
    uint64_t keys, most_keys; // not counting key 0
    uint64_t limit;           // there will never be more keys; 0: unknown
    bool crowded;             // the hash is bad for these keys: they need another seed
    uint32_t *tag;            // by slot index; NULL unless requested, like `stamp`
    uint64_t *stamp;          // the user's time
    dj_huge lines_memory, tag_memory, stamp_memory;
    dj_footprint *footprint;
} dj_fast_table;

// Leaves nothing allocated on failure.
int dj_fast_table_create(dj_fast_table *table, dj_context *context, dj_footprint *footprint,
                         const dj_engine_params *params);
void dj_fast_table_destroy(dj_fast_table *table);
void dj_fast_table_clear(dj_fast_table *table); // removes all keys

// Ensures space for `more` keys. *moved is set if all slots, and with a new seed all hashes, have
// changed. Changes nothing on failure.
int dj_fast_table_reserve(dj_fast_table *table, dj_context *context, uint64_t more, bool *moved);

// Removes all keys without a time, and frees memory that is not needed for `room` keys. Changes nothing on
// failure.
int dj_fast_table_forget(dj_fast_table *table, dj_context *context, uint64_t room);

// The size of a table that is just large enough for `keys` keys; `use`: bits of dj_capability.
uint64_t dj_fast_table_bytes(uint32_t use, uint64_t keys);

// The slot of a key; 0 if it is not in the table.
uint32_t dj_fast_table_find(const dj_fast_table *table, uint64_t key);

#define DJ_FAST_FIRST_FACTOR UINT64_C(0x9e3779b97f4a7c15)
#define DJ_FAST_SECOND_FACTOR UINT64_C(0xd6e8feb86659fd93)

static inline uint32_t dj_fast_hash(uint64_t key, uint64_t seed)
{
    uint64_t x = (key ^ seed) * DJ_FAST_FIRST_FACTOR;
    x ^= x >> 32;
    return (uint32_t)(x * DJ_FAST_SECOND_FACTOR >> 32);
}

// The line where the search for a key begins.
static inline uint64_t dj_fast_home(uint64_t homes, uint64_t key, uint32_t hash)
{
    return key != 0 ? hash * homes >> 32 : homes;
}

static inline uint32_t dj_fast_slot(uint64_t line, unsigned way)
{
    return (uint32_t)(line * DJ_FAST_LINE_WORDS) + DJ_FAST_FIRST_TIME + way;
}

// The line where the search continues after `steps` full ones.
static inline uint64_t dj_fast_line_after(dj_fast_table *table, uint64_t line, uint32_t steps)
{
    if (__builtin_expect(steps > DJ_FAST_CROWDED, 0))
        table->crowded = true;
    return line + 1 == table->homes ? 0 : line + 1;
}

// Adds a key that is not in the table to a line that is not full; returns its slot.
static inline uint32_t dj_fast_put(dj_fast_table *table, uint64_t key, uint64_t line)
{
    dj_fast_line *l = &table->lines[line];
    unsigned way = l->used++;
    l->key[way] = key;
    table->keys++;
    return dj_fast_slot(line, way);
}

#endif
