// SPDX-License-Identifier: MIT
// The limits of the machine: random access and streaming.
#include "base/huge.h"
#include "base/random.h"
#include "bench/bench.h"

enum { ROUNDS = 3, STEPS = 1 << 21, AHEAD = 32, STREAM_WORDS = 1 << 24 };

// Receives the sum, so that no compiler removes the loops.
static volatile uint64_t sink;

static double dependent_rate(const uint64_t *table, uint64_t words)
{
    uint64_t at = 1;
    double start = bench_seconds();
    for (uint64_t i = 0; i < STEPS; i++) {
        uint64_t mixed =
            (table[at] + i) * UINT64_C(0x9e3779b97f4a7c15); // so that the next index depends on this read
        at = (uint64_t)((unsigned __int128)mixed * words >> 64);
    }
    sink = at;
    return STEPS / (bench_seconds() - start);
}

static uint64_t random_place(uint64_t i, uint64_t words)
{
    return (uint64_t)((unsigned __int128)dj_random_mix(i) * words >> 64);
}

static double prefetched_rate(uint64_t *table, uint64_t words)
{
    double start = bench_seconds();
    for (uint64_t i = 0; i < STEPS; i += AHEAD) {
        uint64_t places[AHEAD];
        for (uint64_t j = 0; j < AHEAD; j++) {
            places[j] = random_place(i + j, words);
            __builtin_prefetch(&table[places[j]], 1);
        }
        for (uint64_t j = 0; j < AHEAD; j++)
            table[places[j]]++;
    }
    return STEPS / (bench_seconds() - start);
}

static double stream_rate(const uint64_t *words, uint64_t *to)
{
    double start = bench_seconds();
    for (uint64_t i = 0; i < STREAM_WORDS; i++)
        to[i] = words[i] + 1;
    sink = to[0];
    return 2 * STREAM_WORDS * sizeof *words / (bench_seconds() - start);
}

static double larger(double a, double b)
{
    return a > b ? a : b;
}

// The best of some rounds, as for the engines.
static void measure(uint64_t *table, uint64_t words, const uint64_t *from, uint64_t *to, bench_limits *out)
{
    for (int round = 0; round < ROUNDS; round++) {
        out->dependent_per_s = larger(out->dependent_per_s, dependent_rate(table, words));
        out->prefetched_per_s = larger(out->prefetched_per_s, prefetched_rate(table, words));
        out->stream_bytes_per_s = larger(out->stream_bytes_per_s, stream_rate(from, to));
    }
}

int bench_limits_measure(dj_context *context, uint64_t table_bytes, bench_limits *out)
{
    static const char what[] = "the tables for the machine's limits";
    const uint64_t words = table_bytes / sizeof(uint64_t);
    dj_footprint footprint = {0};
    dj_huge table = {0}, from = {0}, to = {0};
    int err = dj_huge_allocate(&table, &footprint, context, what, words, sizeof(uint64_t));
    if (err == DJ_OK)
        err = dj_huge_allocate(&from, &footprint, context, what, STREAM_WORDS, sizeof(uint64_t));
    if (err == DJ_OK)
        err = dj_huge_allocate(&to, &footprint, context, what, STREAM_WORDS, sizeof(uint64_t));
    if (err == DJ_OK) {
        for (uint64_t i = 0; i < words; i++)
            ((uint64_t *)table.memory)[i] = i;
        for (uint64_t i = 0; i < STREAM_WORDS; i++)
            ((uint64_t *)from.memory)[i] = ((uint64_t *)to.memory)[i] = i;
        *out = (bench_limits){.table_bytes = table_bytes};
        measure(table.memory, words, from.memory, to.memory, out);
    }
    dj_huge_free(&table, &footprint);
    dj_huge_free(&from, &footprint);
    dj_huge_free(&to, &footprint);
    return err;
}
