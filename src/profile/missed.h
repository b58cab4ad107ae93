// SPDX-License-Identifier: MIT
#ifndef DEJA_PROFILE_MISSED_H
#define DEJA_PROFILE_MISSED_H

#include <deja/attribution.h>

// Adds `other` to *to, which is created if it is NULL.
int dj_miss_counts_add(dj_miss_counts **to, dj_context *context, const dj_miss_counts *other);
// Whether they are counts of at most that many accesses.
bool dj_miss_counts_fit(const dj_miss_counts *counts, uint64_t accesses);
// Forgets the classes of all misses.
void dj_misses_forget(dj_attribution *attribution);

#endif
