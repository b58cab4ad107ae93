// SPDX-License-Identifier: MIT
#include "symbols/text.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

struct dj_text_block {
    dj_text_block *next;
    char bytes[];
};

enum { BLOCK_BYTES = 1 << 16 };

int dj_text_create(dj_text *text, dj_context *context)
{
    *text = (dj_text){0};
    return dj_map_create(&text->map, context, &text->footprint, 0);
}

void dj_text_destroy(dj_text *text)
{
    while (text->blocks) {
        dj_text_block *next = text->blocks->next;
        free(text->blocks);
        text->blocks = next;
    }
    dj_map_destroy(&text->map);
}

static char *take(dj_text *text, dj_context *context, size_t bytes)
{
    if (text->room - text->used < bytes) {
        size_t room = bytes > BLOCK_BYTES ? bytes : BLOCK_BYTES;
        dj_text_block *block = malloc(sizeof *block + room);
        if (!block) {
            dj_fail_memory(context, "the names of functions and files", room);
            return NULL;
        }
        block->next = text->blocks;
        text->blocks = block;
        text->used = 0;
        text->room = room;
    }
    char *at = text->blocks->bytes + text->used;
    text->used += bytes;
    return at;
}

const char *dj_text_keep(dj_text *text, dj_context *context, const char *string, size_t length)
{
    // Strings whose hashes collide take the next keys.
    uint64_t key = XXH3_64bits(string, length);
    for (const char *kept; (kept = (const char *)(uintptr_t)dj_map_get(&text->map, key)); key++)
        if (strncmp(kept, string, length) == 0 && kept[length] == 0)
            return kept;
    uint64_t *value = dj_map_at(&text->map, context, key);
    if (!value)
        return NULL;
    char *copy = take(text, context, length + 1);
    if (!copy)
        copy = ""; // the entry must not stay without a value
    else {
        memcpy(copy, string, length);
        copy[length] = 0;
    }
    *value = (uint64_t)(uintptr_t)copy;
    return *copy || length == 0 ? copy : NULL;
}
