// SPDX-License-Identifier: MIT
#include "observe/hierarchy/recent.h"

#include <stdlib.h>
#include <string.h>

enum { WORD = 64, POSITIONS_PER_BLOCK = 8 };

static uint32_t word_count(const dj_recent *r)
{
    return r->end / WORD;
}

int dj_recent_create(dj_recent *r, dj_context *context, uint64_t capacity, size_t most)
{
    *r = (dj_recent){.capacity = capacity, .head = 1, .tail = 1};
    if (capacity == 0 || capacity > INT32_MAX / (2 * POSITIONS_PER_BLOCK))
        return dj_fail(context, DJ_ERR_USAGE, "a simulated cache cannot have %llu blocks",
                       (unsigned long long)capacity);
    const uint64_t words = (capacity * POSITIONS_PER_BLOCK + 2 * most) / WORD + 2;
    r->end = (uint32_t)(words * WORD);
    r->used = calloc(words, sizeof *r->used);
    r->ranks = calloc(words, sizeof *r->ranks);
    if (!r->used || !r->ranks)
        return dj_fail_memory(context, "a simulated cache", words * sizeof *r->used);
    memset(r->used, 0xff, words * sizeof *r->used);
    dj_recent_forget(r, 0);
    return DJ_OK;
}

void dj_recent_free(dj_recent *r)
{
    free(r->used);
    free(r->ranks);
}

void dj_recent_advance(dj_recent *r)
{
    uint32_t word = r->tail / WORD;
    uint64_t left = r->used[word] & ~((UINT64_C(1) << r->tail % WORD) - 1);
    while (!left)
        left = r->used[++word];
    r->tail = word * WORD + (uint32_t)__builtin_ctzll(left) + 1;
}

void dj_recent_begin_renumber(dj_recent *r)
{
    uint32_t below = 0;
    for (uint32_t i = 0; i < word_count(r); i++) {
        r->ranks[i] = below;
        below += (uint32_t)__builtin_popcountll(r->used[i]);
    }
}

void dj_recent_end_renumber(dj_recent *r)
{
    r->tail = dj_recent_renumber(r, r->tail);
    r->head = dj_recent_renumber(r, r->head);
    memset(r->used, 0xff, word_count(r) * sizeof *r->used);
    dj_recent_forget(r, 0);
}
