// SPDX-License-Identifier: MIT
// Selects the calling contexts that a profile keeps.
#ifndef DEJA_LOCATE_PRUNE_H
#define DEJA_LOCATE_PRUNE_H

#include "locate/locate.h"

// Contexts beyond the DJ_CCT_KEPT most important ones (by accesses and long reuses, including callees) are
// counted with their callers: places that differ in nothing else are merged, and so are pairs. The rows of
// the attribution are those of `located`; afterwards some have no accesses.
enum { DJ_CCT_KEPT = 2048 };
int dj_prune_cct(dj_context *context, const dj_located *located, size_t kept, dj_attribution *attribution);

// Adds up the pairs of the same places with the same carriers. place_to[i] is the place that i is now; NULL:
// the same.
int dj_merge_pairs(dj_context *context, const uint32_t *place_to, dj_attribution *attribution);

#endif
