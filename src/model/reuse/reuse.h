// SPDX-License-Identifier: MIT
// The steps from pairs of places to advice.
#ifndef DEJA_MODEL_REUSE_REUSE_H
#define DEJA_MODEL_REUSE_REUSE_H

#include <deja/reuse.h>

#include "model/breakdown/grouping.h"
#include "model/names.h"

// How the uses of a pair stand to each other.
typedef struct dj_bond {
    enum dj_relation relation;
    uint32_t loop;           // innermost that contains both
    uint32_t frame;          // innermost context that contains both
    bool loop_in_frame;      // the loop is one of that frame
    uint32_t from_at, to_at; // where the ways part: loops (siblings) or contexts (calls)
    bool next_iteration;
} dj_bond;

typedef struct dj_bonds {
    dj_path from, to;
    size_t common; // steps
} dj_bonds;

int dj_bonds_find(dj_bonds *bonds, dj_context *context, const dj_attribution *a, const dj_place_row *from,
                  const dj_place_row *to, dj_bond *out);
void dj_bonds_free(dj_bonds *bonds);

typedef struct dj_advice_rules {
    const dj_advice_rule *const *list;
    size_t count;
} dj_advice_rules;

extern const dj_advice_rules dj_advice_builtin;

// Counts misses and sorts.
int dj_reuses_order(dj_reuses *reuses, dj_context *context, const dj_attribution *a);

#endif
