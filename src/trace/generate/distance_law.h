// SPDX-License-Identifier: MIT
// Distributions of reuse distances, drawn from tables of integers.
#ifndef DEJA_TRACE_GENERATE_DISTANCE_LAW_H
#define DEJA_TRACE_GENERATE_DISTANCE_LAW_H

#include <deja/error.h>

#include "base/random.h"

typedef struct dj_distance_law {
    uint64_t *sums; // of the weights of distances 0 … i; NULL: all are equally likely
    uint64_t count; // distances
} dj_distance_law;

// Distances below `elements` by the law of this name: random (all equally likely), exponential (0.97^d),
// normal (mean 100, standard deviation 33, rounded, drawn again if outside).
int dj_distance_law_create(dj_context *context, const char *name, uint64_t elements, dj_distance_law *out);
void dj_distance_law_destroy(dj_distance_law *law);
uint64_t dj_distance_law_draw(const dj_distance_law *law, dj_random *random);

#endif
