// SPDX-License-Identifier: MIT
// A few bytes of a trace, fit to be printed in a message.
#ifndef DEJA_TRACE_PARSE_EXCERPT_H
#define DEJA_TRACE_PARSE_EXCERPT_H

enum { DJ_EXCERPT_BYTES = 160 };

// Writes the first bytes of [at, end) in quotes, other than printable ones as
// \xNN, "…" at the end when there is more; "the end of the line" for nothing.
void dj_excerpt(char out[DJ_EXCERPT_BYTES], const char *at, const char *end);

#endif
