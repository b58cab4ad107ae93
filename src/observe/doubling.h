// SPDX-License-Identifier: MIT
// Shared by the observers of spatial locality: lanes whose block sizes double, and cache sizes in blocks of
// each lane.
#ifndef DEJA_OBSERVE_DOUBLING_H
#define DEJA_OBSERVE_DOUBLING_H

#include <deja/observer.h>

// DJ_ERR_USAGE unless each block size is twice the one before and the caches increase.
int dj_doubling_check(dj_context *context, const dj_setup *setup, const dj_spatial_cache_size *caches,
                      size_t cache_count);
// [lane][cache], in blocks; the caller frees it.
int dj_doubling_cuts(dj_context *context, const dj_setup *setup, const dj_spatial_cache_size *caches,
                     size_t cache_count, uint64_t **out);

#endif
