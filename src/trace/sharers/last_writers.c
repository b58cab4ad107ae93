// SPDX-License-Identifier: MIT
#include "trace/sharers/last_writers.h"

#include <stdlib.h>

#include "base/grow.h"

enum { MEMORY_BITS = 2, SECTOR_BITS = 9, CHUNK_ROWS = 1024 };

static int add_device(dj_last_writers *w, dj_context *context, uint32_t device)
{
    int err =
        dj_grow(context, "the written words", &w->maps, &w->map_capacity, w->map_count + 1, sizeof *w->maps);
    uint64_t *number = err ? NULL : dj_map_at(&w->devices, context, (uint64_t)device + 1);
    if (!number)
        return DJ_ERR_MEMORY;
    *number = w->map_count + 1;
    err = dj_map_create(&w->maps[w->map_count], context, &w->footprint, 0);
    w->map_count += !err;
    return err;
}

int dj_last_writers_create(dj_context *context, const dj_source_info *info, dj_last_writers *w)
{
    *w = (dj_last_writers){.keys = info->kind == DJ_CLASS_KEYS};
    if (info->unit_bytes > 0)
        w->word_bits = info->kind == DJ_CLASS_MEMORY     ? MEMORY_BITS
                       : info->kind == DJ_CLASS_BLOCK_IO ? SECTOR_BITS
                                                         : 0;
    int err = dj_map_create(&w->devices, context, &w->footprint, 0);
    return err ? err : add_device(w, context, 0);
}

void dj_last_writers_free(dj_last_writers *w)
{
    for (size_t i = 0; i < w->map_count; i++)
        dj_map_destroy(&w->maps[i]);
    for (size_t i = 0; i < w->chunk_capacity; i++)
        free(w->chunks[i]);
    dj_map_destroy(&w->devices);
    free(w->maps);
    free(w->chunks);
    *w = (dj_last_writers){0};
}

dj_word_range dj_last_writers_words(const dj_last_writers *w, uint64_t address, uint64_t size)
{
    uint64_t last;
    if (w->keys || size == 0 || __builtin_add_overflow(address, size - 1, &last))
        last = address;
    uint64_t first = address >> w->word_bits, count = (last >> w->word_bits) - first + 1;
    return (dj_word_range){first, count < DJ_WRITTEN_MOST ? count : DJ_WRITTEN_MOST};
}

static int find_device(dj_last_writers *w, dj_context *context, uint32_t device)
{
    int err = DJ_OK;
    uint64_t number = dj_map_get(&w->devices, (uint64_t)device + 1);
    if (number == 0) {
        err = add_device(w, context, device);
        number = w->map_count;
    }
    if (err)
        return err;
    w->last_device = device;
    w->last_map = number - 1;
    return DJ_OK;
}

static dj_last_write *row_at(const dj_last_writers *w, uint64_t row)
{
    return w->chunks[row / CHUNK_ROWS] + row % CHUNK_ROWS * DJ_WRITTEN_WORDS;
}

void dj_last_writers_fetch_row(const dj_last_writers *w, uint64_t word)
{
    uint64_t row = dj_map_get(&w->maps[0], word / DJ_WRITTEN_WORDS);
    if (row > 0)
        __builtin_prefetch(row_at(w, row - 1) + word % DJ_WRITTEN_WORDS);
}

static int add_row(dj_last_writers *w, dj_context *context, dj_map *map, uint64_t block)
{
    size_t chunk = w->row_count / CHUNK_ROWS;
    int err =
        dj_grow(context, "the written words", &w->chunks, &w->chunk_capacity, chunk + 1, sizeof *w->chunks);
    if (err)
        return err;
    if (!w->chunks[chunk])
        w->chunks[chunk] = calloc((size_t)CHUNK_ROWS * DJ_WRITTEN_WORDS, sizeof **w->chunks);
    if (!w->chunks[chunk])
        return dj_fail_memory(context, "the written words",
                              CHUNK_ROWS * DJ_WRITTEN_WORDS * sizeof **w->chunks);
    uint64_t *row = dj_map_at(map, context, block);
    if (!row)
        return DJ_ERR_MEMORY;
    *row = ++w->row_count;
    return DJ_OK;
}

int dj_last_writers_find(dj_last_writers *w, dj_context *context, uint32_t device, uint64_t word, bool create,
                         dj_last_write **out)
{
    uint64_t block = word / DJ_WRITTEN_WORDS;
    int err = device == w->last_device ? DJ_OK : find_device(w, context, device);
    dj_map *map = &w->maps[w->last_map];
    uint64_t row = err ? 0 : dj_map_get(map, block);
    *out = NULL;
    if (!err && row == 0 && create) {
        err = add_row(w, context, map, block);
        row = w->row_count;
    }
    if (!err && row > 0)
        *out = row_at(w, row - 1);
    return err;
}
