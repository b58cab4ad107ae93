// SPDX-License-Identifier: MIT
// A file that grows while it is read, or a pipe. Reading never waits: at the end of what is there, the input
// ends for now. It ends only between lines or records; what is incomplete is held back. dj_growing_wait
// continues it.
#ifndef DEJA_TRACE_INPUT_GROWING_H
#define DEJA_TRACE_INPUT_GROWING_H

#include "trace/input/input.h"

// "-" is standard input.
int dj_growing_open(dj_context *context, const char *path, dj_input **out);

// Everything that has come so far, complete or not, before any of it was read. *closed: no more will come.
int dj_growing_head(dj_context *context, dj_input *input, dj_span *out, bool *closed);

// What an input consists of: records of so many bytes, or, 1, lines. Must be set before reading.
void dj_growing_set_unit(dj_input *input, unsigned bytes);

// Waits until more can be read, at most so many milliseconds. *closed: nothing more can be read, and no more
// will come. DJ_ERR_INPUT if the file was shortened, replaced or removed.
int dj_growing_wait(dj_context *context, dj_input *input, unsigned most_ms, bool *closed);

#endif
