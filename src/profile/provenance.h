// SPDX-License-Identifier: MIT
// A provenance by itself, before there is a profile.
#ifndef DEJA_PROFILE_PROVENANCE_H
#define DEJA_PROFILE_PROVENANCE_H

#include <deja/profile.h>

// Frees what it holds, and empties it.
void dj_provenance_free(dj_provenance *provenance);

#endif
