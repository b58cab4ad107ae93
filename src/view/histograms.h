// SPDX-License-Identifier: MIT
#ifndef DEJA_VIEW_HISTOGRAMS_H
#define DEJA_VIEW_HISTOGRAMS_H

#include <deja/profile.h>

enum { DJ_VIEW_DISTANCES_MOST = 1 << 16 };

// A histogram with more than `most` different distances gets bins: 512 for each doubling, and each distance
// becomes the longest one in its bin, as in a profile with bins. The caches of `a` (NULL: none) are between
// bins: their misses are to be exact. *out is NULL if it needs none.
int dj_view_bin(dj_context *context, const dj_histogram *from, size_t most, const dj_attribution *a,
                dj_histogram **out);

#endif
