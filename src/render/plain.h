// SPDX-License-Identifier: MIT
// Plain text: an untrusted string without anything that could control a terminal, change the writing
// direction or break a file format. All strings of a document pass through here.
#ifndef DEJA_RENDER_PLAIN_H
#define DEJA_RENDER_PLAIN_H

#include <deja/document.h>

#include <stdio.h>

#include "base/arena.h"

// The next character of *at as plain text: sets *out to its bytes, advances *at and returns their number; 0
// at the end. Invalid and forbidden characters become '?'. Without `unicode`, signs that Deja itself uses
// are written in ASCII, and others become '?'.
size_t dj_plain_next(const char **at, bool unicode, const char **out);

// A plain copy; "" if out of memory.
const char *dj_plain(dj_arena *arena, const char *text, bool unicode);
// The width of a plain text; every character counts as one column.
unsigned dj_plain_columns(const char *plain);
// Shortens a plain text to at most `columns` columns.
const char *dj_plain_fit(dj_arena *arena, const char *plain, unsigned columns, enum dj_fit fit, bool unicode);

// Writes a plain text.
void dj_plain_print(FILE *out, const char *text, bool unicode);

// A value as people read it, in plain text.
const char *dj_datum_show(dj_arena *arena, const dj_datum *datum, bool unicode);
bool dj_datum_is_number(const dj_datum *datum);

// The number of columns of a sparkline.
enum { DJ_SPARK = 12 };

#endif
