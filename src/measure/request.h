// SPDX-License-Identifier: MIT
// A request (deja/measure.h) settled for a source at hand: block sizes, observers
// and the stages around the source are made, and a measurement refers to them.
#ifndef DEJA_MEASURE_REQUEST_H
#define DEJA_MEASURE_REQUEST_H

#include <deja/measure.h>

#include "measure/measure.h"

typedef struct dj_settled dj_settled;

// The source stays the caller's and is closed after dj_settled_destroy. `ahead` as in dj_measurement.
int dj_request_settle(dj_context *context, const dj_request *request, dj_source *source, bool ahead,
                      dj_settled **out);
const dj_measurement *dj_settled_measurement(const dj_settled *settled);
void dj_settled_destroy(dj_settled *settled); // NULL is fine

// As dj_measure_source, for a source that is worth a thread of its own.
int dj_request_measure_ahead(dj_context *context, dj_source *source, const dj_request *request,
                             dj_profile **out);

// Whether it says which accesses count, or what is the same data.
bool dj_request_selects(const dj_request *request);

#endif
