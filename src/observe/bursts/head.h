// SPDX-License-Identifier: MIT
// Joins the head of a curve, from bursts, to its tail, from a sample of the blocks: where their bands cross.
#ifndef DEJA_OBSERVE_BURSTS_HEAD_H
#define DEJA_OBSERVE_BURSTS_HEAD_H

#include <deja/sample.h>

#include "observe/bursts/sums.h"

// Replaces the distances below the size where the head ends, and the errors in section `sample`, if bursts
// know any size better than the sample does.
int dj_join_head(dj_context *context, const dj_burst_sums *sums, const dj_profile *profile,
                 dj_lane_profile *lane, dj_sample *sample);

#endif
