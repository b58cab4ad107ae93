// SPDX-License-Identifier: MIT
/// \file
/// What the two halves of the histogram tell each other.
#ifndef DJ_BASE_HISTOGRAM_H
#define DJ_BASE_HISTOGRAM_H

#include <deja/histogram.h>

/// Walks the whole histogram; dj_histogram_moments remembers the result.
dj_moments dj_histogram_measure(const dj_histogram *histogram);

#endif
