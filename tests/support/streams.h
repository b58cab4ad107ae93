// SPDX-License-Identifier: MIT
// Random and adversarial streams of accesses for tests. A seed determines everything.
#ifndef DEJA_TESTS_STREAMS_H
#define DEJA_TESTS_STREAMS_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct stream {
    uint64_t seed;
    const char *order, *keys; // names, for messages
    size_t count;
    uint64_t *key, *time, *weight;
    uint32_t *tag;
    uint8_t *op; // enum dj_op; NULL: only accesses
} stream;

static inline uint64_t random_next(uint64_t *state) // splitmix64
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

static inline uint64_t random_below(uint64_t *state, uint64_t bound)
{
    return random_next(state) % bound;
}

// The orders write element numbers 0 … range − 1; these are converted to keys later.

static void order_uniform(uint64_t *to, size_t count, uint64_t range, uint64_t *rng)
{
    for (size_t i = 0; i < count; i++)
        to[i] = random_below(rng, range);
}

static void order_sequential(uint64_t *to, size_t count, uint64_t range, uint64_t *rng)
{
    (void)rng;
    for (size_t i = 0; i < count; i++)
        to[i] = i % range;
}

static void order_reverse(uint64_t *to, size_t count, uint64_t range, uint64_t *rng)
{
    (void)rng;
    for (size_t i = 0; i < count; i++)
        to[i] = range - 1 - i % range;
}

static void order_sawtooth(uint64_t *to, size_t count, uint64_t range, uint64_t *rng)
{
    (void)rng;
    for (size_t i = 0; i < count; i++)
        to[i] = i / range % 2 ? range - 1 - i % range : i % range;
}

static void order_one_key(uint64_t *to, size_t count, uint64_t range, uint64_t *rng)
{
    uint64_t one = random_below(rng, range);
    for (size_t i = 0; i < count; i++)
        to[i] = one;
}

static void order_all_cold(uint64_t *to, size_t count, uint64_t range, uint64_t *rng)
{
    (void)range;
    (void)rng;
    for (size_t i = 0; i < count; i++)
        to[i] = i;
}

// A few frequent keys and many rare ones.
static void order_skewed(uint64_t *to, size_t count, uint64_t range, uint64_t *rng)
{
    for (size_t i = 0; i < count; i++) {
        uint64_t bound = range >> random_below(rng, 12);
        to[i] = random_below(rng, bound ? bound : 1);
    }
}

// Chooses the distance itself: near the top of the stack, and about 16, 64 and 512 deep, where fast
// engines switch data structures.
static void order_by_distance(uint64_t *to, size_t count, uint64_t range, uint64_t *rng)
{
    static const uint64_t depths[] = {1, 4, 16, 17, 18, 32, 64, 65, 512, 513};
    uint64_t *stack = malloc(range * sizeof *stack);
    for (uint64_t i = 0; stack && i < range; i++)
        stack[i] = i;
    for (size_t i = 0; stack && i < count; i++) {
        uint64_t depth = random_below(rng, depths[random_below(rng, 10)]);
        if (depth >= range || random_below(rng, 50) == 0)
            depth = range - 1; // the least recently used one
        to[i] = stack[depth];
        memmove(stack + 1, stack, depth * sizeof *stack);
        stack[0] = to[i];
    }
    free(stack);
}

// Working sets that change, with some keys in common between consecutive ones.
static void order_phases(uint64_t *to, size_t count, uint64_t range, uint64_t *rng)
{
    uint64_t base = 0, width = 1;
    for (size_t i = 0; i < count; i++) {
        if (i % 97 == 0) {
            base = random_below(rng, range);
            width = 1 + random_below(rng, range < 80 ? range : 80);
        }
        to[i] = (base + random_below(rng, width)) % range;
    }
}

// A loop with a few hot keys in between, like nested loops.
static void order_nested(uint64_t *to, size_t count, uint64_t range, uint64_t *rng)
{
    uint64_t inner = 1 + random_below(rng, 20);
    for (size_t i = 0; i < count; i++)
        to[i] = i % 3 ? i % inner % range : i / 3 % range;
}

// Consecutive accesses to one key, sometimes many and sometimes none.
static void order_repeats(uint64_t *to, size_t count, uint64_t range, uint64_t *rng)
{
    static const uint64_t sixteenths[] = {0, 1, 2, 3, 8, 15};
    uint64_t chance = 0;
    for (size_t i = 0; i < count; i++) {
        if (i % 3001 == 0)
            chance = sixteenths[random_below(rng, 6)];
        to[i] = i > 0 && random_below(rng, 16) < chance ? to[i - 1] : random_below(rng, range);
    }
}

typedef struct stream_order {
    const char *name;
    void (*fill)(uint64_t *to, size_t count, uint64_t range, uint64_t *rng);
} stream_order;

static const stream_order stream_orders[] = {
    {"uniform", order_uniform},   {"sequential", order_sequential},   {"reverse", order_reverse},
    {"sawtooth", order_sawtooth}, {"one key", order_one_key},         {"all cold", order_all_cold},
    {"skewed", order_skewed},     {"by distance", order_by_distance}, {"phases", order_phases},
    {"nested", order_nested},     {"repeats", order_repeats},
};

// The key of element n; different elements have different keys.

static inline uint64_t key_small(uint64_t n, uint64_t salt)
{
    (void)salt;
    return n;
}

static inline uint64_t key_large(uint64_t n, uint64_t salt)
{
    (void)salt;
    return UINT64_MAX - n;
}

static inline uint64_t key_any(uint64_t n, uint64_t salt) // odd factors and shifts are invertible
{
    uint64_t x = (n + salt) * UINT64_C(0x9e3779b97f4a7c15);
    return (x ^ x >> 32) * UINT64_C(0xd6e8feb86659fd93);
}

static inline uint64_t key_high_bits(uint64_t n, uint64_t salt)
{
    return n << 40 | (salt & 0xff);
}

static inline uint64_t key_both_ends(uint64_t n, uint64_t salt)
{
    (void)salt;
    return n % 2 ? UINT64_MAX - n / 2 : n / 2;
}

static inline uint64_t key_strided(uint64_t n, uint64_t salt)
{
    return n * 4096 + (salt & 0xfff);
}

static inline uint64_t undo_shift_33(uint64_t x)
{
    return x ^ x >> 33;
}

// Keys whose hash in the base map ends in 40 zero bits: all start at the same entry.
static inline uint64_t key_colliding(uint64_t n, uint64_t salt)
{
    (void)salt;
    uint64_t x = undo_shift_33(n << 40);
    x *= UINT64_C(0x9cb4b2f8129337db); // inverses of the factors of MurmurHash3, modulo 2^64
    x = undo_shift_33(x) * UINT64_C(0x4f74430c22a54005);
    return undo_shift_33(x);
}

typedef struct stream_keys {
    const char *name;
    uint64_t (*key)(uint64_t n, uint64_t salt);
} stream_keys;

static const stream_keys stream_key_kinds[] = {
    {"small", key_small},         {"large", key_large},         {"64-bit", key_any},
    {"high bits", key_high_bits}, {"0 and max", key_both_ends}, {"strided", key_strided},
    {"colliding", key_colliding},
};

static inline void stream_free(stream *s)
{
    free(s->key);
    free(s->time);
    free(s->weight);
    free(s->tag);
    free(s->op);
    memset(s, 0, sizeof *s);
}

// 0, or −1 if out of memory.
static inline int stream_make(stream *s, uint64_t seed, const stream_order *order, const stream_keys *keys,
                              size_t count, uint64_t range)
{
    uint64_t rng = seed;
    *s = (stream){.seed = seed, .order = order->name, .keys = keys->name, .count = count};
    s->key = calloc(count + 1, sizeof *s->key);
    s->time = calloc(count + 1, sizeof *s->time);
    s->weight = calloc(count + 1, sizeof *s->weight);
    s->tag = calloc(count + 1, sizeof *s->tag);
    if (!s->key || !s->time || !s->weight || !s->tag) {
        stream_free(s);
        return -1;
    }
    order->fill(s->key, count, range, &rng);
    uint64_t salt = random_next(&rng), time = random_below(&rng, 3) ? 0 : UINT64_MAX / 2;
    for (size_t i = 0; i < count; i++) {
        s->key[i] = keys->key(s->key[i], salt);
        s->time[i] = time += 1 + random_below(&rng, 3);
        s->weight[i] = random_below(&rng, 8) ? random_below(&rng, 5000) : random_next(&rng) >> 20;
        s->tag[i] = (uint32_t)random_next(&rng);
    }
    return 0;
}

// A stream drawn entirely from the seed: 0 … 5000 accesses, mostly few, 1 … 2000 keys.
static inline int stream_make_random(stream *s, uint64_t seed)
{
    static const uint64_t counts[] = {8, 40, 40, 300, 300, 300, 1200, 1200, 2500, 5000};
    static const uint64_t ranges[] = {1, 3, 15, 17, 40, 40, 300, 300, 1000, 2000};
    uint64_t rng = seed * UINT64_C(0xda942042e4dd58b5);
    size_t orders = sizeof stream_orders / sizeof stream_orders[0];
    size_t kinds = sizeof stream_key_kinds / sizeof stream_key_kinds[0];
    const stream_order *order = &stream_orders[random_below(&rng, orders)];
    const stream_keys *keys = &stream_key_kinds[random_below(&rng, kinds)];
    size_t count = random_below(&rng, counts[random_below(&rng, 10)] + 1);
    uint64_t range = 1 + random_below(&rng, ranges[random_below(&rng, 10)]);
    return stream_make(s, seed, order, keys, count, range);
}

#endif
