// SPDX-License-Identifier: MIT
// Simulated caches.
#ifndef DEJA_OBSERVE_SIMULATE_SIMULATE_H
#define DEJA_OBSERVE_SIMULATE_SIMULATE_H

#include <deja/profile.h>

// Set-associative: searches the ways of a set. O(ways) for each access; 8 bytes for each block, 16 for LFU.
typedef struct dj_set_cache dj_set_cache;

int dj_set_cache_create(dj_context *context, enum dj_policy policy, uint64_t sets, uint64_t ways,
                        dj_set_cache **out);
void dj_set_cache_destroy(dj_set_cache *cache);
// Accesses `key` in its `set` and returns whether it hit.
bool dj_set_cache_access(dj_set_cache *cache, uint64_t set, uint64_t key);

// Fully associative, over dense ids 0, 1, 2, … of keys. O(1) for each access; 12 bytes for each id.
typedef struct dj_full_cache dj_full_cache;

int dj_full_cache_create(dj_context *context, enum dj_policy policy, uint64_t blocks, dj_full_cache **out);
void dj_full_cache_destroy(dj_full_cache *cache);
int dj_full_cache_access(dj_full_cache *cache, dj_context *context, uint32_t id, bool *hit);

#endif
