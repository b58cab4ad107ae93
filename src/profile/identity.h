// SPDX-License-Identifier: MIT
// The identity of a lane, as a value.
#ifndef DEJA_PROFILE_IDENTITY_H
#define DEJA_PROFILE_IDENTITY_H

#include <deja/profile.h>

void dj_lane_id_free(dj_lane_id *id);
// *out has none; it is freed in any case.
int dj_lane_id_copy(dj_context *context, const dj_lane_id *id, dj_lane_id *out);
bool dj_lane_id_same(const dj_lane_id *a, const dj_lane_id *b);

#endif
