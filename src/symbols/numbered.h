// SPDX-License-Identifier: MIT
// Rows of one kind, numbered from 1, that never move.
#ifndef DEJA_SYMBOLS_NUMBERED_H
#define DEJA_SYMBOLS_NUMBERED_H

#include <deja/error.h>

enum { DJ_NUMBERED_CHUNK = 1024 };

typedef struct dj_numbered {
    size_t row_bytes;
    uint32_t count;
    size_t chunk_count;
    char **chunks;
} dj_numbered;

// A new zeroed row and its number; NULL: out of memory, or 2^32 − 1 rows exist.
void *dj_numbered_add(dj_numbered *rows, dj_context *context, uint32_t *number);
void dj_numbered_free(dj_numbered *rows); // frees what it owns, not what the rows own

// NULL: no row has that number.
static inline void *dj_numbered_get(const dj_numbered *rows, uint32_t number)
{
    if (number == 0 || number > rows->count)
        return NULL;
    return rows->chunks[(number - 1) / DJ_NUMBERED_CHUNK] +
           (number - 1) % DJ_NUMBERED_CHUNK * rows->row_bytes;
}

#endif
