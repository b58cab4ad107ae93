// SPDX-License-Identifier: MIT
// A few bytes of a trace, made printable for a message.
#ifndef DEJA_TRACE_PARSE_EXCERPT_H
#define DEJA_TRACE_PARSE_EXCERPT_H

enum { DJ_EXCERPT_BYTES = 160 };

// Writes the first bytes of [at, end) in quotes, unprintable ones as \xNN, with "…" at the end if there are
// more; "the end of the line" if there are none.
void dj_excerpt(char out[DJ_EXCERPT_BYTES], const char *at, const char *end);

#endif
