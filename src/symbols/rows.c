// SPDX-License-Identifier: MIT
#include "symbols/rows.h"

#include <stdlib.h>

static int add_chunk(dj_rows *rows, dj_context *context)
{
    if ((rows->chunk_count & (rows->chunk_count - 1)) == 0) {
        size_t room = rows->chunk_count ? 2 * rows->chunk_count : 1;
        char **grown = realloc(rows->chunks, room * sizeof *grown);
        if (!grown)
            return dj_fail_memory(context, "symbols", room * sizeof *grown);
        rows->chunks = grown;
    }
    char *chunk = calloc(DJ_ROWS_CHUNK, rows->row_bytes);
    if (!chunk)
        return dj_fail_memory(context, "symbols", DJ_ROWS_CHUNK * rows->row_bytes);
    rows->chunks[rows->chunk_count++] = chunk;
    return DJ_OK;
}

void *dj_rows_add(dj_rows *rows, dj_context *context, uint32_t *number)
{
    if (rows->count == UINT32_MAX) {
        dj_fail(context, DJ_ERR_MEMORY, "more than 2^32 - 1 symbols of one kind");
        return NULL;
    }
    if (rows->count == rows->chunk_count * DJ_ROWS_CHUNK && add_chunk(rows, context) != DJ_OK)
        return NULL;
    *number = ++rows->count;
    return dj_rows_get(rows, rows->count);
}

void dj_rows_free(dj_rows *rows)
{
    for (size_t i = 0; i < rows->chunk_count; i++)
        free(rows->chunks[i]);
    free(rows->chunks);
    *rows = (dj_rows){.row_bytes = rows->row_bytes};
}
