// SPDX-License-Identifier: MIT
// Invariants of an attribution, in addition to valid indexes.
#ifndef DEJA_PROFILE_ATTRIBUTION_CHECK_H
#define DEJA_PROFILE_ATTRIBUTION_CHECK_H

#include <deja/profile.h>

// DJ_ERR_INPUT unless edges and cuts increase, and contexts come after their parents.
int dj_attribution_check_order(dj_context *context, const dj_attribution *attribution);
// DJ_ERR_INPUT unless chains of parents end, and tallies add up. Assumes that all indexes are valid.
int dj_attribution_check_values(dj_context *context, const dj_attribution *attribution);
// DJ_ERR_INPUT unless the caches of the places add up to those of section `hierarchy`.
int dj_level_tallies_check(dj_context *context, const dj_profile *profile, const dj_attribution *attribution);

#endif
