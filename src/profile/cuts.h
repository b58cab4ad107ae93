// SPDX-License-Identifier: MIT
// Other caches whose misses an attribution reports than those that it was measured with.
#ifndef DEJA_PROFILE_CUTS_H
#define DEJA_PROFILE_CUTS_H

#include <deja/attribution.h>
#include <deja/profile.h>

// Replaces the caches of the attribution by others, in increasing size. Their misses are exact, since their
// sizes must be edges of the bins. DJ_ERR_USAGE with the reason if they are not, or if something else in the
// profile was measured for its own caches. Long reuses are known only from `pair_from` on; if a cache is
// smaller, they are removed, and *left_out is set. Simulated caches (deja/hierarchy.h) are removed, too.
int dj_attribution_cut(dj_context *context, dj_profile *profile, const dj_cut *cuts, size_t count,
                       bool *left_out);
// Removes simulated caches, also from the places of the attribution, which exists.
void dj_hierarchy_drop(dj_profile *profile);

#endif
