// SPDX-License-Identifier: MIT
// The miss-ratio curve of the last part of a trace: what was added to a profile since an earlier one of the
// same run. The caches are as the earlier part left them.
#ifndef DEJA_MODEL_CURVE_SINCE_H
#define DEJA_MODEL_CURVE_SINCE_H

#include <deja/model.h>

// At each of `sizes` (increasing), for lane 0. `before` may be NULL: everything is new. `bands` may be NULL;
// it is filled if those of `now` are known, and contains the exact ratio wherever both of theirs do. If
// nothing is new, all ratios are 0.
int dj_mrc_since(dj_context *context, const dj_profile *now, const dj_profile *before, const uint64_t *sizes,
                 size_t count, dj_mrc_point *points, dj_band *bands);

#endif
