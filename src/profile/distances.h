// SPDX-License-Identifier: MIT
// Reuse distances that were read from a file.
#ifndef DEJA_PROFILE_DISTANCES_H
#define DEJA_PROFILE_DISTANCES_H

#include <deja/profile.h>

// Fills in what follows from them. DJ_ERR_INPUT where there are none, or they do not add up to the
// accesses, which those of an estimate need not.
int dj_distances_settle(dj_context *context, dj_lane_profile *lane, bool exact);

#endif
