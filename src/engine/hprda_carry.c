// SPDX-License-Identifier: MIT
// From one fragment to the next. Engine fast is told, for each fragment, the
// first accesses to its keys and then the last ones, both in order: what it
// answers to the first ones are the exact distances to the fragments before.
#include "engine/hprda.h"
#include "engine/registry.h"

#include <deja/batch.h>
#include <stdlib.h>

enum { COUNT = DJ_BATCH_CAPACITY };

void dj_hprda_carry_free(dj_hprda_carry *c)
{
    if (c->engine)
        dj_engine_fast.destroy(c->engine);
    free(c->key);
    free(c->distance);
    free(c->answer);
    *c = (dj_hprda_carry){0};
}

static int begin(dj_hprda_carry *c, dj_context *context)
{
    const dj_engine_params params = {0};
    if (c->engine)
        return DJ_OK;
    int err = dj_engine_fast.create(context, &params, &c->engine);
    if (err)
        return err;
    c->key = malloc(COUNT * sizeof *c->key);
    c->distance = malloc(COUNT * sizeof *c->distance);
    c->answer = malloc(COUNT * sizeof *c->answer);
    return c->key && c->distance && c->answer ? DJ_OK : dj_fail_memory(context, "engine hprda", 0);
}

static int tell(dj_hprda_carry *c, dj_context *context, const uint64_t *keys, size_t count)
{
    dj_work work = {.count = count, .key = keys, .distance = c->answer}, *answered;
    int err = dj_engine_fast.push(c->engine, context, &work);
    return err ? err : dj_engine_fast.pull(c->engine, context, &answered);
}

int dj_hprda_carry_flush(dj_hprda_carry *c, dj_context *context)
{
    if (c->count == 0)
        return DJ_OK;
    int err = tell(c, context, c->key, c->count);
    for (size_t i = 0; !err && i < c->count; i++)
        *c->distance[i] = c->answer[i];
    c->count = 0;
    return err;
}

int dj_hprda_carry_ask(dj_hprda_carry *c, dj_context *context, uint64_t key, uint64_t *distance)
{
    if (!c->engine)
        return DJ_OK; // nothing came before: it is cold, as it says
    c->key[c->count] = key;
    c->distance[c->count++] = distance;
    return c->count == COUNT ? dj_hprda_carry_flush(c, context) : DJ_OK;
}

// Places of last accesses, as bits, and how many lie before each word.
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

int dj_hprda_carry_take(dj_hprda_carry *c, dj_context *context, const dj_map *shards, uint64_t places)
{
    uint64_t words = places / 64 + 1, keys = 0;
    for (unsigned s = 0; s < DJ_HPRDA_SHARDS; s++)
        keys += shards[s].count;
    ranks r = {calloc(words, sizeof *r.bits), malloc(words * sizeof *r.before)};
    uint64_t *order = malloc((keys + 1) * sizeof *order);
    int err = r.bits && r.before && order
                  ? begin(c, context)
                  : dj_fail_memory(context, "the last-access order of a fragment", keys * sizeof *order);
    if (!err) {
        rank_all(&r, shards, words);
        put_in_order(&r, shards, order);
    }
    for (uint64_t at = 0; !err && at < keys; at += COUNT)
        err = tell(c, context, order + at, keys - at < COUNT ? keys - at : COUNT);
    free(order);
    free(r.bits);
    free(r.before);
    return err;
}

void dj_hprda_carry_stats(const dj_hprda_carry *c, dj_engine_stats *out)
{
    *out = (dj_engine_stats){0};
    if (!c->engine)
        return;
    dj_engine_fast.stats(c->engine, out);
    uint64_t own = COUNT * (sizeof *c->key + sizeof *c->distance + sizeof *c->answer);
    out->bytes += own;
    out->peak_bytes += own;
}
