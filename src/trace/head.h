// SPDX-License-Identifier: MIT
// What probes ask of the first bytes of a trace.
#ifndef DEJA_TRACE_HEAD_H
#define DEJA_TRACE_HEAD_H

#include "trace/format.h"

// How many bytes a head has, if the trace has as many.
enum { DJ_HEAD_BYTES = 64 << 10 };

// UTF-8 without control characters other than white space; a character cut
// off at the end of the head is no fault. An empty head is not text.
bool dj_head_is_text(const dj_head *head);

// Whether the name ends in one of the space-separated extensions (with dots,
// case does not matter).
bool dj_head_has_extension(const dj_head *head, const char *extensions);

// A few words on what the head looks like, for messages.
void dj_head_describe(const dj_head *head, char *out, size_t bytes);

#endif
