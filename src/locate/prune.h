// SPDX-License-Identifier: MIT
// Which calling contexts a profile keeps.
#ifndef DEJA_LOCATE_PRUNE_H
#define DEJA_LOCATE_PRUNE_H

#include "locate/locate.h"

// Contexts beyond the DJ_CCT_KEPT that matter most (accesses and long
// reuses in them and in what they call) are counted with their callers: places
// that differ in nothing else become one, and so do pairs. The rows of the
// attribution are those of `located`; afterwards some have no accesses.
enum { DJ_CCT_KEPT = 2048 };
int dj_prune_cct(dj_context *context, const dj_located *located, size_t kept, dj_attribution *attribution);

#endif
