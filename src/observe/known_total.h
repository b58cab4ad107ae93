// SPDX-License-Identifier: MIT
// Matches counts from a sample to what is known of all accesses.
#ifndef DEJA_OBSERVE_KNOWN_TOTAL_H
#define DEJA_OBSERVE_KNOWN_TOTAL_H

#include <deja/histogram.h>

// The number of all accesses is known, so an error in the number of those that the sample stands for can be
// removed. A few blocks with very many accesses cause most of it, by being in the sample or not. Their
// distances are short: the shortest are adjusted, and the misses of all but the smallest caches stay what the
// sample says. What is missing is added at the shortest distance that is possible. Replaces *distances; *cold
// becomes `total` at most.
int dj_match_known_total(dj_context *context, uint64_t total, uint64_t shortest, uint64_t *cold,
                         dj_histogram **distances);

#endif
