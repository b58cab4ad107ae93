// SPDX-License-Identifier: MIT
// The costs that an export lists for code: accesses, writes, cold misses, misses at each cut, and the sum
// of the distances, as one vector of numbers.
#ifndef DEJA_MODEL_COSTS_H
#define DEJA_MODEL_COSTS_H

#include <deja/profile.h>

enum { DJ_COST_ACCESSES, DJ_COST_WRITES, DJ_COST_COLD, DJ_COST_MISSES };

// The length of a vector: the numbers above, one for each cut, and the sum.
size_t dj_cost_count(const dj_attribution *attribution);
// Adds the costs of a tally to `to`.
void dj_cost_add(const dj_attribution *attribution, const dj_tally *tally, uint64_t *to);

// The place in a vector of what users call "accesses" (NULL is that), "writes",
// "cold", "distance", or by the name of a cut. DJ_ERR_USAGE for other names,
// and without an attribution.
int dj_cost_find(dj_context *context, const dj_profile *profile, const char *name, size_t *out);
int dj_fail_attribution(dj_context *context); // the profile has none: DJ_ERR_USAGE

// The function that was called, with everything inlined into it, not the inlined function that contains the
// line; DJ_NOWHERE if unknown.
uint32_t dj_place_called(const dj_attribution *attribution, const dj_place_row *place);

// Costs of each context including its callees; the caller frees *out.
int dj_cost_cct(dj_context *context, const dj_attribution *attribution, uint64_t **out);

#endif
