// SPDX-License-Identifier: MIT
// Plain text: what is left of a string that nobody has vouched for when all
// that could command a terminal, turn the direction of writing or break a file
// format is gone. All strings of a document come through here.
#ifndef DEJA_RENDER_PLAIN_H
#define DEJA_RENDER_PLAIN_H

#include <deja/document.h>

#include <stdio.h>

#include "base/arena.h"

// The next character of *at as plain text: sets *out to its bytes, moves *at on
// and returns how many there are; 0 at the end. What is no character, and what
// may not be shown, is '?'. Without `unicode` the signs that Deja uses itself
// are written in ASCII, and others are '?'.
size_t dj_plain_next(const char **at, bool unicode, const char **out);

// A plain copy; "" when memory is out.
const char *dj_plain(dj_arena *arena, const char *text, bool unicode);
// Columns that a plain text takes; every character counts as one.
unsigned dj_plain_columns(const char *plain);
// At most `columns` columns of a plain text.
const char *dj_plain_fit(dj_arena *arena, const char *plain, unsigned columns, enum dj_fit fit, bool unicode);

// Writes a plain text.
void dj_plain_print(FILE *out, const char *text, bool unicode);

// A value as people read it, in plain text.
const char *dj_datum_show(dj_arena *arena, const dj_datum *datum, bool unicode);
bool dj_datum_is_number(const dj_datum *datum);

// The figures of a histogram over the columns of a spark.
enum { DJ_SPARK = 12 };

#endif
