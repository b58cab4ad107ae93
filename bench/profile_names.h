// SPDX-License-Identifier: MIT
#ifndef DEJA_BENCH_PROFILE_NAMES_H
#define DEJA_BENCH_PROFILE_NAMES_H

#include <deja/attribution.h>

// Gives the places of an attribution what those of a large program have: functions, loops and lines in files,
// calling contexts, data objects with fields, and long reuses between places.
int bench_name_places(dj_context *context, dj_attribution *attribution);

#endif
