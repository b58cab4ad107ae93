// SPDX-License-Identifier: MIT
// Queries on the first bytes of a trace, for probes.
#ifndef DEJA_TRACE_HEAD_H
#define DEJA_TRACE_HEAD_H

#include "trace/format.h"

// The size of a head, unless the trace is shorter.
enum { DJ_HEAD_BYTES = 64 << 10 };

// Whether the head is UTF-8 without control characters other than white space; a character cut off at its end
// is allowed. An empty head is not text.
bool dj_head_is_text(const dj_head *head);

// Whether the name ends in one of the space-separated extensions (with dots, in any case).
bool dj_head_has_extension(const dj_head *head, const char *extensions);

// What to do with a file of Deja that is not a trace, such as a profile; NULL if it is none.
const char *dj_head_find_other(const dj_head *head);

// Describes in a few words what the head looks like, for messages.
void dj_head_describe(const dj_head *head, char *out, size_t bytes);

#endif
