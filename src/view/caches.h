// SPDX-License-Identifier: MIT
// The caches that a page begins with, and the ranges of an estimate's miss ratios.
#ifndef DEJA_VIEW_CACHES_H
#define DEJA_VIEW_CACHES_H

#include "view/view.h"

typedef struct dj_view_cache {
    const char *name;
    uint64_t blocks;
} dj_view_cache;

// The range of the miss ratio in a cache of `size` blocks.
typedef struct dj_view_band {
    uint64_t size;
    double low, high;
} dj_view_band;

// The caches of a profile of the request: those that it was measured with, or else those of the request.
size_t dj_view_cache_count(const dj_view_request *request, unsigned number);
dj_view_cache dj_view_cache_get(const dj_view_request *request, unsigned number, size_t index);
// For the lane 0 of an estimate, in increasing size: several sizes per doubling, and the caches of the page.
// The list is for free().
int dj_view_bands_find(dj_context *context, const dj_view_request *request, unsigned number,
                       dj_view_band **out, size_t *count);

#endif
