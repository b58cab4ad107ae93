// SPDX-License-Identifier: MIT
// Whether the numbers of section `sharing` that were read from a file are possible.
#ifndef DEJA_PROFILE_SHARING_CHECK_H
#define DEJA_PROFILE_SHARING_CHECK_H

#include <deja/sharing.h>

// After the lanes are settled. DJ_ERR_INPUT, with a message that names the place, if they are not.
int dj_sharing_check(dj_context *context, const dj_profile *profile, const dj_sharing *sharing);

#endif
