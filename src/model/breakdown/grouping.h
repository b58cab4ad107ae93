// SPDX-License-Identifier: MIT
// The entities of a breakdown while it is created: each has a key, derived from what it represents, and a
// number in order of first appearance.
#ifndef DEJA_MODEL_BREAKDOWN_GROUPING_H
#define DEJA_MODEL_BREAKDOWN_GROUPING_H

#include <deja/breakdown.h>

#include "base/map.h"
#include "model/path.h"

// Accesses without a row are grouped by module, so that a reader learns what to compile with -g.
#define DJ_KEY_REST ((uint64_t)UINT32_MAX << 32)

// Lines of a module whose file is not there are addresses: each site is one.
#define DJ_KEY_ADDRESS ((uint64_t)(UINT32_MAX - 1) << 32)

static inline bool dj_key_is_address(uint64_t key)
{
    return key >> 32 == UINT32_MAX - 1;
}

static inline bool dj_key_is_rest(uint64_t key)
{
    return key >> 32 == UINT32_MAX;
}

typedef struct dj_grouping {
    const dj_attribution *a;
    enum dj_by by;
    uint32_t *rows; // of keys that are rows: their number + 1
    size_t row_count;
    dj_map others; // of other keys
    dj_footprint footprint;
    dj_entity *entities;
    uint64_t *keys;
    size_t count, capacity;
    uint64_t *around; // keys of all entities around an access, without duplicates
    size_t around_count, around_capacity;
    dj_path path;
} dj_grouping;

int dj_grouping_create(dj_grouping *groups, dj_context *context, const dj_attribution *a, enum dj_by by);
void dj_grouping_destroy(dj_grouping *groups); // including the entities, unless they were moved out

// Adds an entity if there is none with this key.
int dj_grouping_find(dj_grouping *groups, dj_context *context, uint64_t key, uint32_t *id);
// The number of the entity + 1; 0: there is none.
uint32_t dj_grouping_get(const dj_grouping *groups, uint64_t key);

// The key of an access at `site` in calling context `row` to `object`.
uint64_t dj_key_of(const dj_attribution *a, enum dj_by by, uint32_t site, uint32_t row, uint32_t object);
// Sets groups->around to the keys of everything that contains calling context `row`.
int dj_keys_around_context(dj_grouping *groups, dj_context *context, uint32_t row);
// Adds to groups->around what contains `site` in its function, unless already there.
int dj_keys_around_site(dj_grouping *groups, dj_context *context, uint32_t site);

// Misses at each cut; exact, since cuts are edges.
void dj_tally_cuts(const dj_tally *tally, const dj_attribution *a, uint64_t *out);

#endif
