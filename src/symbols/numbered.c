// SPDX-License-Identifier: MIT
#include "symbols/numbered.h"

#include <stdlib.h>

static int add_chunk(dj_numbered *rows, dj_context *context)
{
    if ((rows->chunk_count & (rows->chunk_count - 1)) == 0) {
        size_t capacity = rows->chunk_count ? 2 * rows->chunk_count : 1;
        char **grown = realloc(rows->chunks, capacity * sizeof *grown);
        if (!grown)
            return dj_fail_memory(context, "symbols", capacity * sizeof *grown);
        rows->chunks = grown;
    }
    char *chunk = calloc(DJ_NUMBERED_CHUNK, rows->row_bytes);
    if (!chunk)
        return dj_fail_memory(context, "symbols", DJ_NUMBERED_CHUNK * rows->row_bytes);
    rows->chunks[rows->chunk_count++] = chunk;
    return DJ_OK;
}

void *dj_numbered_add(dj_numbered *rows, dj_context *context, uint32_t *number)
{
    if (rows->count == UINT32_MAX) {
        dj_fail(context, DJ_ERR_MEMORY, "more than 2^32 - 1 symbols of one kind");
        return NULL;
    }
    if (rows->count == rows->chunk_count * DJ_NUMBERED_CHUNK && add_chunk(rows, context) != DJ_OK)
        return NULL;
    *number = ++rows->count;
    return dj_numbered_get(rows, rows->count);
}

void dj_numbered_free(dj_numbered *rows)
{
    for (size_t i = 0; i < rows->chunk_count; i++)
        free(rows->chunks[i]);
    free(rows->chunks);
    *rows = (dj_numbered){.row_bytes = rows->row_bytes};
}
