// SPDX-License-Identifier: MIT
// A source that reads ahead on a separate thread, so that producing batches overlaps with analyzing them.
#ifndef DEJA_TRACE_SOURCE_READ_AHEAD_H
#define DEJA_TRACE_SOURCE_READ_AHEAD_H

#include <deja/source.h>

// `inner` belongs to the thread until the new source is closed; close that one first. `inner` must not block
// for long without checking dj_context_stopped. If no thread can be started, it warns and *out is NULL: read
// `inner` itself.
int dj_read_ahead_source(dj_context *context, dj_source *inner, dj_source **out);

#endif
