// SPDX-License-Identifier: MIT
// A request (deja/measure.h) prepared for a given source: chooses block sizes and observers, creates
// the stages around the source, and fills in a measurement that refers to them.
#ifndef DEJA_MEASURE_REQUEST_H
#define DEJA_MEASURE_REQUEST_H

#include <deja/measure.h>

#include "measure/measure.h"

typedef struct dj_prepared dj_prepared;

typedef struct dj_preparation {
    bool ahead;           // as in dj_measurement
    bool mark_statements; // as in dj_attribute_config
} dj_preparation;

// The caller keeps the source and closes it after dj_prepared_destroy.
int dj_request_prepare(dj_context *context, const dj_request *request, dj_source *source, dj_preparation how,
                       dj_prepared **out);
const dj_measurement *dj_prepared_measurement(const dj_prepared *prepared);
void dj_prepared_destroy(dj_prepared *prepared); // NULL is allowed

// Like dj_measure_source, with the source on a separate thread.
int dj_request_measure_ahead(dj_context *context, dj_source *source, const dj_request *request,
                             dj_profile **out);

// Whether it restricts which accesses count or changes which accesses touch the same data.
bool dj_request_selects(const dj_request *request);

#endif
