// SPDX-License-Identifier: MIT
// The steps from pairs of places to reuses with advice.
#ifndef DEJA_MODEL_REUSE_REUSE_H
#define DEJA_MODEL_REUSE_REUSE_H

#include <deja/reuse.h>

#include "model/breakdown/grouping.h"
#include "model/names.h"

// How the two uses of a pair are related.
typedef struct dj_reuse_link {
    enum dj_relation relation;
    uint32_t loop;           // innermost that contains both
    uint32_t frame;          // innermost context that contains both
    bool loop_in_frame;      // the loop is in that frame
    uint32_t from_at, to_at; // where the paths diverge: loops (siblings) or contexts (calls)
    bool next_iteration;
} dj_reuse_link;

typedef struct dj_reuse_paths {
    dj_path from, to;
    size_t common; // number of common steps
} dj_reuse_paths;

int dj_reuse_paths_find(dj_reuse_paths *paths, dj_context *context, const dj_attribution *a,
                        const dj_place_row *from, const dj_place_row *to, dj_reuse_link *out);
void dj_reuse_paths_free(dj_reuse_paths *paths);

typedef struct dj_advice_rules {
    const dj_advice_rule *const *list;
    size_t count;
} dj_advice_rules;

extern const dj_advice_rules dj_advice_builtin;

// As dj_reuses_create. The profile of the attribution tells the sizes of accesses and blocks; NULL: typical
// ones. `loops` is the breakdown by loop; NULL: it is made.
int dj_reuses_create_from(dj_context *context, const dj_attribution *a, const dj_profile *profile,
                          const dj_breakdown *loops, const dj_advice_rules *rules, dj_reuses **out);

// Counts misses and sorts.
int dj_reuses_order(dj_reuses *reuses, dj_context *context, const dj_attribution *a);

#endif
