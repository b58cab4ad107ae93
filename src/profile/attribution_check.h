// SPDX-License-Identifier: MIT
// What every attribution must hold beside indexes that lie in their tables.
#ifndef DEJA_PROFILE_ATTRIBUTION_CHECK_H
#define DEJA_PROFILE_ATTRIBUTION_CHECK_H

#include <deja/attribution.h>

// DJ_ERR_INPUT unless edges and cuts increase, and contexts stand behind their parents.
int dj_attribution_check_order(dj_context *context, const dj_attribution *attribution);
// DJ_ERR_INPUT unless chains of parents end, and tallies add up. All indexes are good.
int dj_attribution_check_values(dj_context *context, const dj_attribution *attribution);

#endif
