// SPDX-License-Identifier: MIT
// What the machine could do at best: random access and streaming.
#include <stdlib.h>
#include <sys/mman.h>

#include "base/random.h"
#include "bench/bench.h"

enum { HUGE_PAGE = 2 << 20, STEPS = 1 << 22, AHEAD = 32, STREAM_WORDS = 1 << 24 };

static size_t whole_pages(size_t bytes)
{
    return (bytes + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE;
}

void *bench_huge_allocate(size_t bytes)
{
    void *memory = mmap(NULL, whole_pages(bytes), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        return NULL;
    madvise(memory, whole_pages(bytes), MADV_HUGEPAGE);
    return memory;
}

void bench_huge_free(void *memory, size_t bytes)
{
    if (memory)
        munmap(memory, whole_pages(bytes));
}

// The sum goes here, so that no compiler leaves the loops out.
static volatile uint64_t sink;

static double dependent_rate(const uint64_t *table, uint64_t words)
{
    uint64_t at = 1;
    double start = bench_seconds();
    for (uint64_t i = 0; i < STEPS; i++) {
        uint64_t mixed = (table[at] + i) * UINT64_C(0x9e3779b97f4a7c15); // the next place is known only now
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
    double best = 0;
    for (int round = 0; round < 3; round++) {
        double start = bench_seconds();
        for (uint64_t i = 0; i < STREAM_WORDS; i++)
            to[i] = words[i] + 1;
        double rate = 2 * STREAM_WORDS * sizeof *words / (bench_seconds() - start);
        best = rate > best ? rate : best;
        sink = to[round];
    }
    return best;
}

int bench_limits_measure(dj_context *context, uint64_t table_bytes, bench_limits *out)
{
    const size_t stream_bytes = STREAM_WORDS * sizeof(uint64_t);
    uint64_t *table = bench_huge_allocate(table_bytes);
    uint64_t *from = bench_huge_allocate(stream_bytes);
    uint64_t *to = bench_huge_allocate(stream_bytes);
    int err = DJ_OK;
    if (table && from && to) {
        uint64_t words = table_bytes / sizeof *table;
        for (uint64_t i = 0; i < words; i++)
            table[i] = i;
        for (uint64_t i = 0; i < STREAM_WORDS; i++)
            from[i] = to[i] = i;
        *out = (bench_limits){.table_bytes = table_bytes,
                              .dependent_per_s = dependent_rate(table, words),
                              .prefetched_per_s = prefetched_rate(table, words),
                              .stream_bytes_per_s = stream_rate(from, to)};
    } else {
        err = dj_fail_memory(context, "the tables for the machine's limits", table_bytes + 2 * stream_bytes);
    }
    bench_huge_free(table, table_bytes);
    bench_huge_free(from, stream_bytes);
    bench_huge_free(to, stream_bytes);
    return err;
}
