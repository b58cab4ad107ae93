// SPDX-License-Identifier: MIT
// --caches for a profile that was measured with others.
#ifndef DEJA_CLI_OPTIONS_OTHER_CACHES_H
#define DEJA_CLI_OPTIONS_OTHER_CACHES_H

#include "cli/options/caches.h"

// Of a profile with sharers: a cache with the name of a measured one is shared by as many.
int dj_caches_share_again(dj_context *context, const dj_cache_options *given, dj_profile *profile);
// Of a profile with attribution: DJ_ERR_USAGE if it does not know the misses of its rows in these caches.
int dj_caches_cut_again(dj_context *context, const dj_cache_options *given, dj_profile *profile);

#endif
