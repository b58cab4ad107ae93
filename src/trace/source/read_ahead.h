// SPDX-License-Identifier: MIT
// A source that is read ahead, by a thread of its own: what it costs to make
// batches is spent beside what it costs to analyze them.
#ifndef DEJA_TRACE_SOURCE_READ_AHEAD_H
#define DEJA_TRACE_SOURCE_READ_AHEAD_H

#include <deja/source.h>

// `inner` belongs to the thread until the new source is closed, which is to
// happen first. It must not wait for long without asking dj_context_stopped.
int dj_read_ahead_source(dj_context *context, dj_source *inner, dj_source **out);

#endif
