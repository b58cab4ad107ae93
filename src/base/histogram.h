// SPDX-License-Identifier: MIT
// What the two halves of the histogram tell each other.
#ifndef DEJA_BASE_HISTOGRAM_H
#define DEJA_BASE_HISTOGRAM_H

#include <deja/histogram.h>

// Walks the whole histogram; dj_histogram_moments remembers the result.
dj_moments dj_histogram_measure(const dj_histogram *histogram);

#endif
