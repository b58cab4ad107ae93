// SPDX-License-Identifier: MIT
// The options of filter `sample`.
#ifndef DEJA_FILTER_SAMPLE_OPTIONS_H
#define DEJA_FILTER_SAMPLE_OPTIONS_H

#include <stdint.h>

typedef struct dj_sample_options {
    const char *rate; // as typed, or NULL
    uint64_t seed;
    const char *memory; // as typed, or NULL
} dj_sample_options;

#endif
