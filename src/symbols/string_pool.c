// SPDX-License-Identifier: MIT
#include "symbols/string_pool.h"

#include <string.h>
#include <xxhash.h>

int dj_string_pool_create(dj_string_pool *text, dj_context *context)
{
    *text = (dj_string_pool){0};
    return dj_map_create(&text->map, context, &text->footprint, 0);
}

void dj_string_pool_destroy(dj_string_pool *text)
{
    dj_arena_free(&text->arena);
    dj_map_destroy(&text->map);
}

const char *dj_string_pool_keep(dj_string_pool *text, dj_context *context, const char *string, size_t length)
{
    // Strings whose hashes collide use the next keys.
    uint64_t key = XXH3_64bits(string, length);
    for (const char *kept; (kept = (const char *)(uintptr_t)dj_map_get(&text->map, key)); key++)
        if (strncmp(kept, string, length) == 0 && kept[length] == 0)
            return kept;
    char *copy = dj_arena_copy(&text->arena, string, length);
    uint64_t *value = copy ? dj_map_at(&text->map, context, key) : NULL;
    if (!value)
        return NULL;
    *value = (uint64_t)(uintptr_t)copy;
    return copy;
}
