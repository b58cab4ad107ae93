// SPDX-License-Identifier: MIT
// Memory that is freed all at once, for many small values and strings with the same lifetime.
#ifndef DEJA_BASE_ARENA_H
#define DEJA_BASE_ARENA_H

#include <deja/error.h>

typedef struct dj_arena {
    struct dj_arena_chunk *chunks; // newest first
    bool failed;                   // memory ran out, at any time
} dj_arena;                        // zero-initialized: empty

void dj_arena_free(dj_arena *arena); // leaves the arena empty; `failed` stays

// Empties an arena for values with a shorter lifetime; dj_arena_leave frees them and restores the others.
dj_arena dj_arena_enter(dj_arena *arena);
void dj_arena_leave(dj_arena *arena, dj_arena outer);

// Zeroed and aligned for any type. NULL if memory runs out or the size overflows.
void *dj_arena_alloc(dj_arena *arena, size_t count, size_t element_bytes);
// Copies `length` bytes and appends a zero byte; NULL if memory runs out.
char *dj_arena_copy(dj_arena *arena, const char *text, size_t length);

#endif
