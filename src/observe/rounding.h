// SPDX-License-Identifier: MIT
// Histograms in fixed memory: once a lane has become a sample, few values differ.
#ifndef DEJA_OBSERVE_ROUNDING_H
#define DEJA_OBSERVE_ROUNDING_H

#include <deja/histogram.h>

// Replaces *histogram by one whose values are rounded to DJ_SAMPLE_DIGITS significant bits.
int dj_histogram_round(dj_context *context, dj_histogram **histogram);

// The memory that it may take until it has doubled, or has been copied twice into a profile.
uint64_t dj_histogram_bytes_ahead(const dj_histogram *histogram);

#endif
