// SPDX-License-Identifier: MIT
#ifndef DEJA_VIEW_PLAIN_H
#define DEJA_VIEW_PLAIN_H

#include <deja/profile.h>

// Makes all texts of a profile plain (base/plain.h), in place: names come from programs and traces, and a
// page shows them.
void dj_view_clean_profile(dj_profile *profile);

#endif
