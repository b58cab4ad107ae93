// SPDX-License-Identifier: MIT
// The beginning of a trace that grows while it is read.
#ifndef DEJA_TRACE_SOURCE_GROWING_H
#define DEJA_TRACE_SOURCE_GROWING_H

#include "trace/format.h"

// Waits until a format fits what has come so far, or `forced` if it is not NULL, and the first line or record
// is complete. Refuses what cannot be followed. `input` is from dj_growing_open.
int dj_growing_begin(dj_context *context, dj_input *input, const dj_format *forced, const dj_format **format);

#endif
