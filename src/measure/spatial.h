// SPDX-License-Identifier: MIT
// Defaults for a request for spatial locality.
#ifndef DEJA_MEASURE_SPATIAL_H
#define DEJA_MEASURE_SPATIAL_H

#include <deja/measure.h>
#include <deja/observer_options.h>

// Block sizes from *first to *last, each twice the previous one, for such a trace.
void dj_spatial_default_blocks(const dj_source_info *info, uint64_t *first, uint64_t *last);

// The block and cache size for which line utilization is counted. The caches must increase.
dj_usage_options dj_spatial_usage(const dj_spatial_request *request, const uint64_t *blocks,
                                  size_t block_count, const dj_cache_size *caches, size_t cache_count);

#endif
