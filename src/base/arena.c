// SPDX-License-Identifier: MIT
#include "base/arena.h"

#include <stdlib.h>
#include <string.h>

enum { CHUNK_BYTES = 1 << 16, ALIGNMENT = _Alignof(max_align_t) };

struct dj_arena_chunk {
    struct dj_arena_chunk *next;
    size_t used, capacity;
    max_align_t data[];
};

void dj_arena_free(dj_arena *arena)
{
    while (arena->chunks != NULL) {
        struct dj_arena_chunk *next = arena->chunks->next;
        free(arena->chunks);
        arena->chunks = next;
    }
}

dj_arena dj_arena_enter(dj_arena *arena)
{
    dj_arena outer = *arena;
    arena->chunks = NULL;
    return outer;
}

void dj_arena_leave(dj_arena *arena, dj_arena outer)
{
    dj_arena_free(arena);
    arena->chunks = outer.chunks;
}

void *dj_arena_alloc(dj_arena *arena, size_t count, size_t element_bytes)
{
    size_t bytes;
    if (__builtin_mul_overflow(count, element_bytes, &bytes) || bytes > SIZE_MAX / 2) {
        arena->failed = true;
        return NULL;
    }
    bytes = (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    struct dj_arena_chunk *chunk = arena->chunks;
    if (chunk == NULL || chunk->capacity - chunk->used < bytes) {
        size_t capacity = bytes > CHUNK_BYTES / 4 ? bytes : CHUNK_BYTES;
        chunk = calloc(1, sizeof *chunk + capacity);
        if (chunk == NULL) {
            arena->failed = true;
            return NULL;
        }
        chunk->capacity = capacity;
        // A large value gets a separate chunk, placed after the current one, which still has space.
        struct dj_arena_chunk **place =
            capacity == bytes && arena->chunks != NULL ? &arena->chunks->next : &arena->chunks;
        chunk->next = *place;
        *place = chunk;
    }
    char *value = (char *)chunk->data + chunk->used;
    chunk->used += bytes;
    return value;
}

char *dj_arena_copy(dj_arena *arena, const char *text, size_t length)
{
    char *copy = dj_arena_alloc(arena, length + 1, 1);
    if (copy != NULL)
        memcpy(copy, text, length);
    return copy;
}
