// SPDX-License-Identifier: MIT
// Several schedules of the same threads: the spread of their misses and distances.
#ifndef DEJA_MEASURE_SCHEDULES_H
#define DEJA_MEASURE_SCHEDULES_H

#include "measure/measure.h"

// Measures the schedules after the first one, whose source and profile are given, and adds the spread of all
// to the profile. When it is stopped, the spread is that of the schedules so far, and the profile is marked.
int dj_schedules_measure(dj_context *context, const dj_measurement *measurement, dj_stored_threads *threads,
                         const dj_source *first, dj_profile *profile);

#endif
