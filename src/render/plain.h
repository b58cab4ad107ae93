// SPDX-License-Identifier: MIT
// Plain text for documents: all their strings pass through here. Plain texts are measured and shortened.
#ifndef DEJA_RENDER_PLAIN_H
#define DEJA_RENDER_PLAIN_H

#include <deja/document.h>

#include "base/arena.h"
#include "base/plain.h"

// A plain copy; "" if out of memory, which the arena remembers.
const char *dj_plain(dj_arena *arena, const char *text, bool unicode);
// The width of a plain text; every character counts as one column.
unsigned dj_plain_columns(const char *plain);
// Shortens a plain text to at most `columns` columns.
const char *dj_plain_fit(dj_arena *arena, const char *plain, unsigned columns, enum dj_fit fit, bool unicode);

// A value as people read it, in plain text.
const char *dj_datum_show(dj_arena *arena, const dj_datum *datum, bool unicode);
bool dj_datum_is_number(const dj_datum *datum);

// The number of columns of a sparkline.
enum { DJ_SPARK = 12 };

#endif
