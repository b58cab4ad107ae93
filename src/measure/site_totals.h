// SPDX-License-Identifier: MIT
// Matches the accesses of places, which come from a sample of the blocks, to those of their sites, which are
// known.
#ifndef DEJA_MEASURE_SITE_TOTALS_H
#define DEJA_MEASURE_SITE_TOTALS_H

#include "locate/locate.h"

// Before names are resolved. Does nothing unless the locator has counted the accesses of each site.
int dj_match_sites(dj_context *context, const dj_locator *locator, dj_attribution *attribution);

#endif
