// SPDX-License-Identifier: MIT
// Caches that are simulated, access by access.
#ifndef DEJA_OBSERVE_SIMULATE_SIMULATE_H
#define DEJA_OBSERVE_SIMULATE_SIMULATE_H

#include <deja/profile.h>

// Set-associative: searches the ways of a set. O(ways) an access; 8 bytes a
// block, 16 for LFU.
typedef struct dj_set_cache dj_set_cache;

int dj_set_cache_create(dj_context *context, enum dj_policy policy, uint64_t sets, uint64_t ways,
                        dj_set_cache **out);
void dj_set_cache_destroy(dj_set_cache *cache);
// Accesses `key` in its `set` and tells whether it was there.
bool dj_set_cache_access(dj_set_cache *cache, uint64_t set, uint64_t key);

// Fully associative, over dense ids 0, 1, 2, … of keys. O(1) an access; 12
// bytes an id.
typedef struct dj_full_cache dj_full_cache;

int dj_full_cache_create(dj_context *context, enum dj_policy policy, uint64_t blocks, dj_full_cache **out);
void dj_full_cache_destroy(dj_full_cache *cache);
int dj_full_cache_access(dj_full_cache *cache, dj_context *context, uint32_t id, bool *hit);

#endif
