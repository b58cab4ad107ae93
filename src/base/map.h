// SPDX-License-Identifier: MIT
// A hash map from any 64-bit key to a nonzero value: open addressing (probe.h), at most three quarters full.
// 21 to 43 bytes per key.
#ifndef DEJA_BASE_MAP_H
#define DEJA_BASE_MAP_H

#include "base/footprint.h"
#include "base/probe.h"

typedef struct dj_map_entry {
    uint64_t key;
    uint64_t value; // 0: the entry is free
} dj_map_entry;

typedef struct dj_map {
    dj_map_entry *entries;
    uint64_t mask; // entries − 1
    uint64_t count;
    uint64_t limit; // grows when count would exceed it
    dj_footprint *footprint;
} dj_map;

// Creates an empty map; `expected_keys` is a hint for its capacity. Memory is counted in `footprint`, which
// must outlive the map.
int dj_map_create(dj_map *map, dj_context *context, dj_footprint *footprint, uint64_t expected_keys);
void dj_map_destroy(dj_map *map);

// Makes space for one more key.
int dj_map_grow(dj_map *map, dj_context *context);

// Removes a key and returns its value, or 0 if it is not in the map.
uint64_t dj_map_remove(dj_map *map, uint64_t key);

// Every bit of the key affects every bit of the result (the finalizer of MurmurHash3).
static inline uint64_t dj_map_hash(uint64_t key)
{
    key ^= key >> 33;
    key *= UINT64_C(0xff51afd7ed558ccd);
    key ^= key >> 33;
    key *= UINT64_C(0xc4ceb9fe1a85ec53);
    return key ^ key >> 33;
}

// The entry of `key`, or the free entry where it would go.
static inline dj_map_entry *dj_map_probe(const dj_map *map, uint64_t key)
{
    DJ_PROBE (at, dj_map_hash(key), map->mask)
        if (map->entries[at].value == 0 || map->entries[at].key == key)
            return &map->entries[at];
}

// The value of `key`, or 0 if it is not in the map.
static inline uint64_t dj_map_get(const dj_map *map, uint64_t key)
{
    return dj_map_probe(map, key)->value;
}

// Returns a pointer to the value of `key`, valid until the next call; NULL if memory runs out. For a new key
// the value is 0, and the caller must store a nonzero value before using the map again.
static inline uint64_t *dj_map_at(dj_map *map, dj_context *context, uint64_t key)
{
    dj_map_entry *entry = dj_map_probe(map, key);
    if (entry->value != 0)
        return &entry->value;
    if (map->count == map->limit) {
        if (dj_map_grow(map, context) != DJ_OK)
            return NULL;
        entry = dj_map_probe(map, key);
    }
    map->count++;
    entry->key = key;
    return &entry->value;
}

#endif
