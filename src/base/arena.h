// SPDX-License-Identifier: MIT
// Memory that is given back all at once: many small values and strings that
// live as long as what they describe.
#ifndef DEJA_BASE_ARENA_H
#define DEJA_BASE_ARENA_H

#include <deja/error.h>

typedef struct dj_arena {
    struct dj_arena_chunk *chunks; // the newest first
} dj_arena;                        // one that is all zero is empty

void dj_arena_free(dj_arena *arena); // and it is empty again

// Zeroed and aligned for any type. NULL when memory is out or the size overflows.
void *dj_arena_take(dj_arena *arena, size_t count, size_t element_bytes);
// A copy with a zero behind it; NULL when memory is out.
char *dj_arena_span(dj_arena *arena, const char *text, size_t length);

#endif
