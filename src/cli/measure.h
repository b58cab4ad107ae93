// SPDX-License-Identifier: MIT
// Measuring a trace while the user waits.
#ifndef DEJA_CLI_MEASURE_H
#define DEJA_CLI_MEASURE_H

#include <deja/measure.h>

// As dj_measure_source, with a progress line.
int dj_measure_with_progress(dj_context *context, dj_source *source, const dj_request *request,
                             dj_profile **out);
// As dj_measure_part, likewise.
int dj_measure_part_with_progress(dj_context *context, dj_source *source, const dj_request *request,
                                  dj_part part, dj_summary **out);

#endif
