// SPDX-License-Identifier: MIT
// Rows of one kind, numbered from 1 on, that never move.
#ifndef DEJA_SYMBOLS_ROWS_H
#define DEJA_SYMBOLS_ROWS_H

#include <deja/error.h>

enum { DJ_ROWS_CHUNK = 1024 };

typedef struct dj_rows {
    size_t row_bytes;
    uint32_t count;
    size_t chunk_count;
    char **chunks;
} dj_rows;

// A new row, all zero, and its number; NULL: memory is out, or 2^32 − 1 rows are there.
void *dj_rows_add(dj_rows *rows, dj_context *context, uint32_t *number);
void dj_rows_free(dj_rows *rows); // what it owns; not what the rows own

// NULL: there is no row of that number.
static inline void *dj_rows_get(const dj_rows *rows, uint32_t number)
{
    if (number == 0 || number > rows->count)
        return NULL;
    return rows->chunks[(number - 1) / DJ_ROWS_CHUNK] + (number - 1) % DJ_ROWS_CHUNK * rows->row_bytes;
}

#endif
