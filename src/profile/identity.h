// SPDX-License-Identifier: MIT
// Copying and freeing the identity of a lane.
#ifndef DEJA_PROFILE_IDENTITY_H
#define DEJA_PROFILE_IDENTITY_H

#include <deja/profile.h>

void dj_lane_id_free(dj_lane_id *id);
// Overwrites *out without freeing it; the caller frees it even after an error.
int dj_lane_id_copy(dj_context *context, const dj_lane_id *id, dj_lane_id *out);
bool dj_lane_id_same(const dj_lane_id *a, const dj_lane_id *b);

#endif
