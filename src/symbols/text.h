// SPDX-License-Identifier: MIT
// Strings that live as long as their pool, each kept once.
#ifndef DEJA_SYMBOLS_TEXT_H
#define DEJA_SYMBOLS_TEXT_H

#include "base/arena.h"
#include "base/map.h"

typedef struct dj_text {
    dj_arena arena;
    dj_map map; // hash → string
    dj_footprint footprint;
} dj_text;

// The pool must stay where it is until it is destroyed; one that is all zero may be, too.
int dj_text_create(dj_text *text, dj_context *context);
void dj_text_destroy(dj_text *text);

// The pool's copy of a string of `length` bytes, ended by a 0; NULL: memory is out.
const char *dj_text_keep(dj_text *text, dj_context *context, const char *string, size_t length);

#endif
