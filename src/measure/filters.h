// SPDX-License-Identifier: MIT
// Selects the filters of a measurement that are needed, and checks that the trace provides the columns
// they read.
#ifndef DEJA_MEASURE_FILTERS_H
#define DEJA_MEASURE_FILTERS_H

#include "measure/measure.h"

// Fills in the filters of a group; *filters holds them and must be freed. Returns DJ_ERR_USAGE for
// options that make no sense, DJ_ERR_UNSUPPORTED if the trace lacks a column.
int dj_filters_choose(dj_context *context, const dj_measurement *measurement, dj_filter_choice **filters,
                      dj_lane_group *group);

// Whether only a sample of the blocks is analyzed.
bool dj_filters_sample(const dj_measurement *measurement);
// Whether the analysis must stay within a number of bytes.
bool dj_filters_limit_memory(const dj_measurement *measurement);

#endif
