// SPDX-License-Identifier: MIT
// Compares the device alone and engine gpu with engine fast, bit for bit: histograms, and each access with
// its tag and time.
#include <inttypes.h>

#include "bench/gpu_checker.h"

// Sizes around those of warps, blocks and tiles, and between them.
static const size_t all_sizes[] = {
    1,     2,     3,     31,    32,    33,    64,     65,     127,     255,     256,     257,  511,
    513,   1000,  1023,  1024,  1025,  2047,  2048,   2049,   4095,    4096,    4097,    8191, 8193,
    10007, 16383, 16385, 65535, 65536, 65537, 100003, 262143, 1048577, 4194307, 16777217};
static const size_t small_sizes[] = {1, 33, 257, 1025, 4097, 20011};
static const size_t few_sizes[] = {9001};

// Which sizes are checked, and from which size on only the important patterns.
typedef struct extent {
    const size_t *sizes;
    size_t count, long_from;
    unsigned worth; // of the patterns, from there on
    double seconds; // after which the rest is skipped
} extent;

static const extent extents[] = {
    {all_sizes, sizeof all_sizes / sizeof all_sizes[0], 1000000, 1, 45},
    {all_sizes, sizeof all_sizes / sizeof all_sizes[0] - 2, 100000, 1, 12},
    {small_sizes, sizeof small_sizes / sizeof small_sizes[0], 4097, 1, 25},
    {few_sizes, sizeof few_sizes / sizeof few_sizes[0], 0, 2, 15},
};

enum { WHOLE, QUICK, SMALL, FEW };
// Engines start slowly, and more slowly with chunks that they choose: only one case in that many runs them.
enum { MOST_WRONG = 12, ENGINE_STEP = 4, OWN_CHUNK_STEP = 16 };

static int run_manner(checker *c, dj_context *context, const char *name, const manner *m)
{
    int err = checker_run(c, context, m);
    c->runs++;
    if (err == DJ_OK)
        return DJ_OK;
    dj_fail_within(context, err, "%s, %zu accesses, %s, chunk %" PRIu64, name, c->count, m->name, m->chunk);
    gpu_wrong(c->bench, context);
    return c->bench->failures < MOST_WRONG ? DJ_OK : err;
}

static int check_case(checker *c, dj_context *context, const gpu_case *which, size_t count, size_t number)
{
    const uint64_t third = count / 3 + 1, tiny = count <= 33 ? 1 : count <= 300 ? 7 : third;
    const manner manners[] = {
        {"histogram", count, 0, 0, false, true, false},
        {"histogram in chunks", tiny, 0, 0, false, true, true},
        {"histogram on two devices in turn", third, count / 9 + 1, count / 2, false, true, false},
        {"answers", count, 0, 0, false, false, false},
        {"answers in chunks", tiny, count / 7 + 1, 0, false, false, true},
        {"answers on two devices in turn", third, 0, count / 2, false, false, false},
        {"engine gpu, histogram", 0, 0, 0, true, true, false},
        {"engine gpu, histogram in chunks", third, 0, 0, true, true, false},
        {"engine gpu, answers", 0, 0, 0, true, false, false},
        {"engine gpu, answers in chunks", third, 0, 0, true, false, false},
    };
    int err = checker_ask(c, context, which, count);
    for (size_t i = 0; err == DJ_OK && i < sizeof manners / sizeof manners[0]; i++)
        if (c->bench->set.few
                ? manners[i].few
                : !manners[i].engine || number % (manners[i].chunk ? ENGINE_STEP : OWN_CHUNK_STEP) == 0)
            err = run_manner(c, context, which->name, &manners[i]);
    return err;
}

static int check_all(checker *c, dj_context *context, const extent *e)
{
    const double start = bench_wall_seconds();
    for (size_t s = 0; s < e->count; s++) {
        for (size_t w = 0; gpu_cases[w].name; w++) {
            if (e->sizes[s] >= e->long_from && gpu_cases[w].worth < e->worth)
                continue;
            if (bench_wall_seconds() - start > e->seconds) {
                gpu_say("check: %.0f seconds are over; of %zu accesses, %s and what follows are left out",
                        e->seconds, e->sizes[s], gpu_cases[w].name);
                return DJ_OK;
            }
            int err = check_case(c, context, &gpu_cases[w], e->sizes[s], s + w);
            if (err != DJ_OK)
                return err;
        }
    }
    return DJ_OK;
}

int gpu_check(gpu_bench *bench, dj_context *context)
{
    const gpu_settings *set = &bench->set;
    const extent *e = &extents[set->few ? FEW : set->small ? SMALL : set->quick ? QUICK : WHOLE];
    checker c = {.bench = bench, .capacity = e->sizes[e->count - 1]};
    unsigned before = bench->failures;
    double start = bench_wall_seconds();
    int err = checker_make(&c, context);
    if (err == DJ_OK)
        err = check_all(&c, context, e);
    if (err == DJ_OK || bench->failures > before)
        gpu_say("check: %u runs in %.1f s, %u wrong: %s", c.runs, bench_wall_seconds() - start,
                bench->failures - before,
                bench->failures > before ? "NOT what engine fast says"
                                         : "all bit for bit what engine fast says");
    checker_unmake(&c);
    return bench->failures > before ? DJ_OK : err;
}
