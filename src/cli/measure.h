// SPDX-License-Identifier: MIT
// Measures a trace with a progress line.
#ifndef DEJA_CLI_MEASURE_H
#define DEJA_CLI_MEASURE_H

#include <deja/measure.h>

// Like dj_measure_source.
int dj_measure_with_progress(dj_context *context, dj_source *source, const dj_request *request,
                             dj_profile **out);
// Like dj_measure_part.
int dj_measure_part_with_progress(dj_context *context, dj_source *source, const dj_request *request,
                                  dj_part part, dj_summary **out);

#endif
