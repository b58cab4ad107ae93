// SPDX-License-Identifier: MIT
#ifndef DEJA_MODEL_DIFF_LIMIT_H
#define DEJA_MODEL_DIFF_LIMIT_H

#include <deja/limit.h>

// Refuses a limit on the misses of parts in a cache for which they are not known.
int dj_limits_fail_parts(dj_context *context, const dj_limit *limit);

#endif
