// SPDX-License-Identifier: MIT
// Invariants of an attribution, in addition to valid indexes.
#ifndef DEJA_PROFILE_ATTRIBUTION_CHECK_H
#define DEJA_PROFILE_ATTRIBUTION_CHECK_H

#include <deja/attribution.h>

// DJ_ERR_INPUT unless edges and cuts increase, and contexts come after their parents.
int dj_attribution_check_order(dj_context *context, const dj_attribution *attribution);
// DJ_ERR_INPUT unless chains of parents end, and tallies add up. Assumes that all indexes are valid.
int dj_attribution_check_values(dj_context *context, const dj_attribution *attribution);

#endif
