// SPDX-License-Identifier: MIT
// The pages of engine shadow. See shadow.c for the idea.
#ifndef DEJA_ENGINE_SHADOW_SHADOW_H
#define DEJA_ENGINE_SHADOW_SHADOW_H

#include "base/map.h"
#include "engine/fast/fast.h"

enum { DJ_SHADOW_RECENT = 256 };

// A recently used page, stored at its number modulo DJ_SHADOW_RECENT.
typedef struct dj_shadow_recent {
    uint64_t page;
    uint32_t first_slot;
    bool there;
} dj_shadow_recent;

typedef struct dj_shadow {
    dj_fast fast;
    uint32_t page_bits;     // a page has 2^page_bits consecutive keys, in consecutive slots
    dj_map directory;       // page number → 1 + its index in memory
    uint64_t pages_at_most; // allocated
    uint32_t looked_up;     // run beginnings of this chunk whose pages have been found
    dj_shadow_recent recent[DJ_SHADOW_RECENT];
    dj_huge times, tags, stamps;
} dj_shadow;

extern const dj_fast_store dj_shadow_store;
extern const dj_fast_finder dj_shadow_finder;

// After a failure, the memory must still be destroyed.
int dj_shadow_pages_create(dj_shadow *shadow, dj_context *context, uint64_t expected_keys);

#endif
