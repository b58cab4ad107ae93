// SPDX-License-Identifier: MIT
// Freeing a provenance that is not part of a profile.
#ifndef DEJA_PROFILE_PROVENANCE_H
#define DEJA_PROFILE_PROVENANCE_H

#include <deja/profile.h>

// Frees its members and clears it.
void dj_provenance_free(dj_provenance *provenance);

#endif
