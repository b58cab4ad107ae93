// SPDX-License-Identifier: MIT
// Relative speeds as integers, so that equal times are exactly equal.
#ifndef DEJA_TRACE_SHARERS_SPEEDS_H
#define DEJA_TRACE_SHARERS_SPEEDS_H

#include <deja/sharers.h>

#define DJ_SPEED_MOST ((uint64_t)1 << 40)

// Notes the speeds of the sharers, which must be positive, and scales them to integers of at most
// DJ_SPEED_MOST without a common divisor. The proportions are exact if the speeds are fractions of small
// numbers (0.1 is 1/10); otherwise the largest speed becomes DJ_SPEED_MOST and the others are rounded.
int dj_speeds_choose(dj_context *context, const dj_interleave_options *options, dj_sharer *sharers,
                     size_t count, uint64_t *out);

#endif
