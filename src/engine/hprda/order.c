// SPDX-License-Identifier: MIT
// The keys of a fragment in the order of their last accesses.
#include "engine/hprda/hprda.h"

#include <stdlib.h>

// Positions of last accesses, as bits, and the number of bits before each word.
typedef struct ranks {
    uint64_t *bits;
    uint32_t *before;
} ranks;

static void rank_all(const ranks *r, const dj_map *shards, uint64_t words)
{
    for (unsigned s = 0; s < DJ_HPRDA_SHARDS; s++)
        for (uint64_t i = 0; i <= shards[s].mask; i++)
            r->bits[shards[s].entries[i].value / 64] |= UINT64_C(1) << shards[s].entries[i].value % 64;
    r->bits[0] &= ~UINT64_C(1); // free entries
    uint32_t sum = 0;
    for (uint64_t w = 0; w < words; w++) {
        r->before[w] = sum;
        sum += (uint32_t)__builtin_popcountll(r->bits[w]);
    }
}

static void put_in_order(const ranks *r, const dj_map *shards, uint64_t *keys)
{
    for (unsigned s = 0; s < DJ_HPRDA_SHARDS; s++)
        for (uint64_t i = 0; i <= shards[s].mask; i++) {
            const dj_map_entry *e = &shards[s].entries[i];
            uint64_t below = r->bits[e->value / 64] & ((UINT64_C(1) << e->value % 64) - 1);
            if (e->value != 0)
                keys[r->before[e->value / 64] + (uint32_t)__builtin_popcountll(below)] = e->key;
        }
}

int dj_hprda_last_order(const dj_hprda *h, dj_context *context, uint64_t **out)
{
    uint64_t words = h->places / 64 + 1, keys = dj_hprda_keys(h);
    ranks r = {calloc(words, sizeof *r.bits), malloc(words * sizeof *r.before)};
    uint64_t *order = malloc((keys + 1) * sizeof *order);
    int err = DJ_OK;
    if (r.bits && r.before && order) {
        rank_all(&r, h->shards, words);
        put_in_order(&r, h->shards, order);
        *out = order;
    } else {
        err = dj_fail_memory(context, "the last-access order of a fragment", keys * sizeof *order);
        free(order);
    }
    free(r.bits);
    free(r.before);
    return err;
}
