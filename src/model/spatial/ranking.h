// SPDX-License-Identifier: MIT
// The steps from places to a ranking of spatial locality.
#ifndef DEJA_MODEL_SPATIAL_RANKING_H
#define DEJA_MODEL_SPATIAL_RANKING_H

#include <deja/components.h>

#include "base/dictionary.h"
#include "model/names.h"
#include "model/path.h"

typedef struct dj_ranking_work {
    const dj_profile *profile;
    const dj_attribution *a;
    const dj_ranking_options *options;
    dj_names names;
    uint32_t *row_of;   // for each place
    uint32_t *cct_loop; // for each context the innermost loop around its call, possibly in a caller
    dj_ranking *out;
    size_t capacity;
} dj_ranking_work;

// Sums up the places in rows, which are complete except for names, shares and advice.
int dj_ranking_group(dj_ranking_work *work, dj_context *context);
// The innermost loop around a place, possibly in a caller; DJ_NOWHERE: none.
uint32_t dj_ranking_loop(const dj_ranking_work *work, const dj_place_row *place);
// Whether both have the same innermost loop or, without a loop, the same function.
bool dj_ranking_is_together(const dj_ranking_work *work, const dj_place_row *a, const dj_place_row *b);
// Whether both are in the same row.
bool dj_ranking_is_same_row(const dj_ranking_work *work, const dj_place_row *a, const dj_place_row *b);
// Twice the misses that would be hits at 2b with a score of 1, which half of the reuses at b have; negative
// if others prepare them.
int64_t dj_ranking_unsaved(const dj_ranking_work *work, const dj_spatial_tally *tally);

#endif
