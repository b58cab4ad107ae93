// SPDX-License-Identifier: MIT
// Traces that are difficult for an engine on a device.
#include "base/random.h"
#include "bench/gpu.h"

static void fill_cold(uint64_t *key, size_t count)
{
    for (size_t i = 0; i < count; i++)
        key[i] = dj_random_mix(i);
}

static void fill_one(uint64_t *key, size_t count)
{
    for (size_t i = 0; i < count; i++)
        key[i] = 7;
}

static void fill_two(uint64_t *key, size_t count)
{
    for (size_t i = 0; i < count; i++)
        key[i] = i & 1;
}

static void fill_loop(uint64_t *key, size_t count)
{
    for (size_t i = 0; i < count; i++)
        key[i] = i % (count / 3 + 1);
}

static void fill_uniform(uint64_t *key, size_t count)
{
    dj_random random;
    dj_random_seed(&random, count);
    for (size_t i = 0; i < count; i++)
        key[i] = dj_random_below(&random, count / 5 + 1);
}

static void fill_skewed(uint64_t *key, size_t count)
{
    dj_random random;
    dj_random_seed(&random, count);
    for (size_t i = 0; i < count; i++)
        key[i] = dj_random_below(&random, 1 + dj_random_below(&random, 1 + dj_random_below(&random, count)));
}

// All 64 bits of a key matter.
static void fill_scattered(uint64_t *key, size_t count)
{
    fill_skewed(key, count);
    for (size_t i = 0; i < count; i++)
        key[i] = dj_random_mix(key[i]);
}

// Keys with equal low halves.
static void fill_high(uint64_t *key, size_t count)
{
    fill_uniform(key, count);
    for (size_t i = 0; i < count; i++)
        key[i] = key[i] << 32 | 5;
}

// The smallest and the largest possible keys.
static void fill_ends(uint64_t *key, size_t count)
{
    dj_random random;
    dj_random_seed(&random, count);
    for (size_t i = 0; i < count; i++)
        key[i] = dj_random_below(&random, 9) - 4;
}

// Up and down: all distances differ.
static void fill_zigzag(uint64_t *key, size_t count)
{
    size_t top = count / 4 + 1;
    for (size_t i = 0; i < count; i++)
        key[i] = i / top % 2 ? top - 1 - i % top : i % top;
}

// Each key a few times in a row.
static void fill_runs(uint64_t *key, size_t count)
{
    dj_random random;
    dj_random_seed(&random, count);
    for (size_t i = 0, k = 0; i < count; i++) {
        if (i == 0 || dj_random_below(&random, 4) == 0)
            k = dj_random_below(&random, count / 16 + 2);
        key[i] = k;
    }
}

// All keys, then all again: the number of reused keys is never a power of two, and they are not in one half.
static void fill_twice(uint64_t *key, size_t count)
{
    for (size_t i = 0; i < count; i++)
        key[i] = i % (count / 2 + 1) * 64;
}

static void fill_stencil(uint64_t *key, size_t count)
{
    size_t elements = count / 16 + 3;
    for (size_t i = 0; i < count; i++) {
        size_t at = i / 4 % elements;
        key[i] = i % 4 == 3 ? elements + at : (at + elements + i % 4 - 1) % elements;
    }
}

const gpu_case gpu_cases[] = {
    {"all cold", fill_cold, 1},   {"one key", fill_one, 1},
    {"two keys", fill_two, 0},    {"loop", fill_loop, 0},
    {"uniform", fill_uniform, 2}, {"skewed", fill_skewed, 0},
    {"ends", fill_ends, 0},       {"high halves", fill_high, 0},
    {"runs", fill_runs, 0},       {"zigzag", fill_zigzag, 1},
    {"twice", fill_twice, 0},     {"scattered", fill_scattered, 2},
    {"stencil", fill_stencil, 1}, {NULL, NULL, 0},
};
