// SPDX-License-Identifier: MIT
// Engine aet.
#ifndef DEJA_ENGINE_AET_AET_H
#define DEJA_ENGINE_AET_AET_H

#include "engine/aet/times.h"

enum { DJ_AET_KEYS = 1 << 16 }; // most keys in the sample

typedef struct dj_aet_options {
    int model; // enum dj_times_model
} dj_aet_options;

#endif
