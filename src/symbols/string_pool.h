// SPDX-License-Identifier: MIT
// Interned strings that live as long as their pool.
#ifndef DEJA_SYMBOLS_STRING_POOL_H
#define DEJA_SYMBOLS_STRING_POOL_H

#include "base/arena.h"
#include "base/map.h"

typedef struct dj_string_pool {
    dj_arena arena;
    dj_map map; // hash → string
    dj_footprint footprint;
} dj_string_pool;

// The pool must not move until it is destroyed; a zeroed one may be destroyed, too.
int dj_string_pool_create(dj_string_pool *text, dj_context *context);
void dj_string_pool_destroy(dj_string_pool *text);

// The pool's copy of a string of `length` bytes, 0-terminated; NULL: out of memory.
const char *dj_string_pool_keep(dj_string_pool *text, dj_context *context, const char *string, size_t length);

#endif
