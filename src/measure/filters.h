// SPDX-License-Identifier: MIT
// The filters of a measurement that leave something out, and what they need of the trace.
#ifndef DEJA_MEASURE_FILTERS_H
#define DEJA_MEASURE_FILTERS_H

#include "measure/measure.h"

// Fills in the filters of a group, for which *filters (to be freed) has the room. Options that make no
// sense are DJ_ERR_USAGE, a trace without the columns that are needed is DJ_ERR_UNSUPPORTED.
int dj_filters_choose(dj_context *context, const dj_measurement *measurement, dj_filter_choice **filters,
                      dj_lane_group *group);

#endif
