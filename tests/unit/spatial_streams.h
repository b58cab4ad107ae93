// SPDX-License-Identifier: MIT
// Streams of blocks with known or varied spatial locality, for tests of estimates from bursts.
#ifndef DEJA_TESTS_SPATIAL_STREAMS_H
#define DEJA_TESTS_SPATIAL_STREAMS_H

#include "unit/spatial_trace.h"

enum { BLOCK = 64, ACCESSES = 400000 };

static const dj_spatial_cache_size caches[] = {{(char *)"L1", 4096}, {(char *)"L2", 65536}};
static const spatial_setup blocks = {
    {BLOCK, 2 * BLOCK, 4 * BLOCK}, 3, .split = false, .caches = caches, .cache_count = 2};

typedef uint64_t stream(uint64_t i, dj_random *random);

// Sweeps over 200 blocks: all halves are used together.
static uint64_t sweep(uint64_t i, dj_random *random)
{
    (void)random;
    return i % 200;
}

// Only every fourth block is used.
static uint64_t strided(uint64_t i, dj_random *random)
{
    (void)random;
    return 4 * (i % 200);
}

static uint64_t scattered(uint64_t i, dj_random *random)
{
    (void)i;
    return dj_random_next(random) % 400;
}

// More blocks than a burst accesses.
static uint64_t wide(uint64_t i, dj_random *random)
{
    (void)random;
    return i % 20000;
}

// The three that a burst can follow alternate.
static uint64_t phases(uint64_t i, dj_random *random)
{
    stream *const of[] = {sweep, strided, scattered};
    return of[i / 9000 % 3](i, random);
}

// As many accesses in order as strided, in turn, and some to more blocks than a burst accesses.
static uint64_t halves(uint64_t i, dj_random *random)
{
    return i % 16 == 0 ? 100000 + wide(i, random) : i < ACCESSES / 2 ? sweep(i, random) : strided(i, random);
}

// Accesses near the previous one, and jumps.
static uint64_t walk(uint64_t i, dj_random *random)
{
    static uint64_t at;
    const uint64_t r = dj_random_next(random);
    at = i == 0 || r % 50 == 0 ? r / 50 % 3000 : at + r / 50 % 3;
    return at;
}

static void make_trace(stream *of, spatial_trace *t)
{
    dj_random random;
    dj_random_seed(&random, 7);
    for (uint64_t i = 0; i < ACCESSES; i++)
        spatial_trace_add(t, of(i, &random) * BLOCK);
}

static stream *const streams[] = {sweep, strided, scattered, wide, phases, halves, walk};
enum { STREAMS = sizeof streams / sizeof *streams };

#endif
