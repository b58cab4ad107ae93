// SPDX-License-Identifier: MIT
// Strings that live as long as their pool, each kept once.
#ifndef DEJA_SYMBOLS_STRING_POOL_H
#define DEJA_SYMBOLS_STRING_POOL_H

#include "base/arena.h"
#include "base/map.h"

typedef struct dj_string_pool {
    dj_arena arena;
    dj_map map; // hash → string
    dj_footprint footprint;
} dj_string_pool;

// The pool must stay where it is until it is destroyed; one that is all zero may be, too.
int dj_string_pool_create(dj_string_pool *text, dj_context *context);
void dj_string_pool_destroy(dj_string_pool *text);

// The pool's copy of a string of `length` bytes, ended by a 0; NULL: memory is out.
const char *dj_string_pool_keep(dj_string_pool *text, dj_context *context, const char *string, size_t length);

#endif
