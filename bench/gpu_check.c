// SPDX-License-Identifier: MIT
// Bit for bit what engine fast says: histograms, and each access with its tag
// and time, by the device alone and by engine gpu.
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "bench/gpu.h"

// Around the sizes of warps, blocks and tiles, and what lies between.
static const size_t all_sizes[] = {
    1,     2,     3,     31,    32,    33,    64,     65,     127,     255,     256,     257,  511,
    513,   1000,  1023,  1024,  1025,  2047,  2048,   2049,   4095,    4096,    4097,    8191, 8193,
    10007, 16383, 16385, 65535, 65536, 65537, 100003, 262143, 1048577, 4194307, 16777217};
static const size_t small_sizes[] = {1, 33, 257, 1025, 4097, 20011};

// Which sizes are checked, and from which on only the patterns that are worth it.
typedef struct extent {
    const size_t *sizes;
    size_t count, long_from;
    double seconds; // then the rest is left out
} extent;

static const extent extents[] = {
    {all_sizes, sizeof all_sizes / sizeof all_sizes[0], 1000000, 45},
    {all_sizes, sizeof all_sizes / sizeof all_sizes[0] - 2, 100000, 25},
    {small_sizes, sizeof small_sizes / sizeof small_sizes[0], 4097, 25},
};

enum { WHOLE, QUICK, SMALL };
// Engines take a while to start, with chunks of their own choice a longer one: one case in so many.
enum { MOST_WRONG = 12, ENGINE_STEP = 4, OWN_CHUNK_STEP = 16 };

typedef struct checker {
    gpu_bench *bench;
    const extent *extent;
    size_t room;
    // Questions and the device's answers, pinned.
    uint64_t *key, *time, *prev_time;
    uint32_t *tag, *distance, *prev_tag;
    // What fast and engine gpu answer.
    uint64_t *right, *right_time, *wide, *wide_time;
    uint32_t *right_tag, *wide_tag;
    dj_histogram *histogram;
    uint64_t cold;
    dj_order order;
    size_t count; // accesses of the case
    unsigned runs;
} checker;

static int pin(dj_context *context, size_t count, size_t bytes, void *out)
{
    return dj_gpu_pin(context, count * bytes, (void **)out);
}

static int make(checker *c, dj_context *context)
{
    int err = pin(context, c->room, sizeof *c->key, &c->key);
    if (err == DJ_OK)
        err = pin(context, c->room, sizeof *c->time, &c->time);
    if (err == DJ_OK)
        err = pin(context, c->room, sizeof *c->prev_time, &c->prev_time);
    if (err == DJ_OK)
        err = pin(context, c->room, sizeof *c->tag, &c->tag);
    if (err == DJ_OK)
        err = pin(context, c->room, sizeof *c->distance, &c->distance);
    if (err == DJ_OK)
        err = pin(context, c->room, sizeof *c->prev_tag, &c->prev_tag);
    c->right = calloc(c->room, sizeof *c->right);
    c->right_time = calloc(c->room, sizeof *c->right_time);
    c->right_tag = calloc(c->room, sizeof *c->right_tag);
    c->wide = calloc(c->room, sizeof *c->wide);
    c->wide_time = calloc(c->room, sizeof *c->wide_time);
    c->wide_tag = calloc(c->room, sizeof *c->wide_tag);
    if (err == DJ_OK &&
        (!c->right || !c->right_time || !c->right_tag || !c->wide || !c->wide_time || !c->wide_tag))
        err = dj_fail_memory(context, "answers", c->room * 40);
    for (size_t i = 0; err == DJ_OK && i < c->room; i++) {
        c->tag[i] = (uint32_t)dj_random_mix(i);
        c->time[i] = 3 * i + 7;
    }
    return err;
}

static void forget(checker *c)
{
    dj_histogram_destroy(c->histogram);
    c->histogram = NULL;
    dj_order_free(&c->order);
    c->order = (dj_order){0};
}

static void unmake(checker *c)
{
    forget(c);
    void *const pinned[] = {c->key, c->time, c->prev_time, c->tag, c->distance, c->prev_tag};
    for (size_t i = 0; i < sizeof pinned / sizeof pinned[0]; i++)
        dj_gpu_unpin(pinned[i]);
    void *const plain[] = {c->right, c->right_time, c->wide, c->wide_time, c->right_tag, c->wide_tag};
    for (size_t i = 0; i < sizeof plain / sizeof plain[0]; i++)
        free(plain[i]);
}

static int tell_right(checker *c, dj_context *context)
{
    forget(c);
    gpu_engine_run run = {.engine = dj_engine_find("fast"),
                          .use = DJ_CAN_PER_ACCESS | DJ_CAN_TAGS | DJ_CAN_TIMES,
                          .key = c->key,
                          .tag = c->tag,
                          .time = c->time,
                          .count = c->count,
                          .distance = c->right,
                          .prev_tag = c->right_tag,
                          .prev_time = c->right_time,
                          .order = &c->order};
    int err = gpu_run_engine(context, &run);
    if (err == DJ_OK)
        err = dj_histogram_create(context, &c->histogram);
    if (err == DJ_OK)
        err = dj_histogram_add_all(c->histogram, context, c->right, c->count, &c->cold);
    return err;
}

static int compare_order(const checker *c, dj_context *context, const dj_order *got, bool all)
{
    if (got->count != c->order.count)
        return dj_fail(context, DJ_ERR_INPUT, "%zu keys are held, not %zu", got->count, c->order.count);
    for (size_t i = 0; i < got->count; i++)
        if (got->key[i] != c->order.key[i] ||
            (all && (got->tag[i] != c->order.tag[i] || got->time[i] != c->order.time[i])))
            return dj_fail(context, DJ_ERR_INPUT, "the order of the keys is wrong at %zu", i);
    return DJ_OK;
}

static int compare_answers(const checker *c, dj_context *context, const uint64_t *distance,
                           const uint32_t *tag, const uint64_t *time)
{
    for (size_t i = 0; i < c->count; i++) {
        uint64_t got = distance ? distance[i] : c->distance[i] == DJ_GPU_COLD ? DJ_COLD : c->distance[i];
        if (got != c->right[i])
            return dj_fail(context, DJ_ERR_INPUT, "the distance of access %zu is %" PRId64 ", not %" PRId64,
                           i, (int64_t)got, (int64_t)c->right[i]);
        if (tag[i] != c->right_tag[i])
            return dj_fail(context, DJ_ERR_INPUT, "the tag before access %zu is wrong", i);
        if (time[i] != c->right_time[i])
            return dj_fail(context, DJ_ERR_INPUT, "the time before access %zu is wrong", i);
    }
    return DJ_OK;
}

// How a run is made.
typedef struct manner {
    const char *name;
    bool engine, totals;
    uint64_t chunk, piece, resume_at;
} manner;

static int run_device(checker *c, dj_context *context, const manner *m, dj_histogram *into)
{
    dj_order order = {0};
    gpu_device_run run = {.from = {.key = c->key},
                          .count = c->count,
                          .keys = c->order.count,
                          .chunk = m->chunk,
                          .piece = m->piece,
                          .resume_at = m->resume_at,
                          .order = &order};
    if (m->totals) {
        run.use = DJ_CAN_TOTALS;
        run.into = into;
    } else {
        run.use = DJ_CAN_PER_ACCESS | DJ_CAN_TAGS | DJ_CAN_TIMES;
        run.from.tag = c->tag;
        run.from.time = c->time;
        run.answers = (dj_gpu_answers){c->distance, c->prev_tag, c->prev_time};
        memset(c->distance, 0x5a, c->count * sizeof *c->distance);
    }
    int err = gpu_run_device(context, &run);
    if (err == DJ_OK)
        err = m->totals ? gpu_compare_histograms(context, c->histogram, c->cold, into, run.cold)
                        : compare_answers(c, context, NULL, c->prev_tag, c->prev_time);
    if (err == DJ_OK)
        err = compare_order(c, context, &order, !m->totals);
    dj_order_free(&order);
    return err;
}

static int run_engine(checker *c, dj_context *context, const manner *m, dj_histogram *into)
{
    dj_order order = {0};
    gpu_engine_run run = {.engine = dj_engine_find("gpu"),
                          .option = "chunk",
                          .value = m->chunk,
                          .key = c->key,
                          .count = c->count,
                          .order = &order};
    if (m->totals) {
        run.use = DJ_CAN_TOTALS;
        run.into = into;
    } else {
        run.use = DJ_CAN_PER_ACCESS | DJ_CAN_TAGS | DJ_CAN_TIMES;
        run.tag = c->tag;
        run.time = c->time;
        run.distance = c->wide;
        run.prev_tag = c->wide_tag;
        run.prev_time = c->wide_time;
        memset(c->wide, 0x5a, c->count * sizeof *c->wide);
    }
    int err = gpu_run_engine(context, &run);
    if (err == DJ_OK)
        err = m->totals ? gpu_compare_histograms(context, c->histogram, c->cold, into, run.cold)
                        : compare_answers(c, context, c->wide, c->wide_tag, c->wide_time);
    if (err == DJ_OK)
        err = compare_order(c, context, &order, !m->totals);
    dj_order_free(&order);
    return err;
}

static int run_manner(checker *c, dj_context *context, const char *name, const manner *m)
{
    dj_histogram *into = NULL;
    int err = dj_histogram_create(context, &into);
    if (err != DJ_OK)
        return err;
    err = m->engine ? run_engine(c, context, m, into) : run_device(c, context, m, into);
    dj_histogram_destroy(into);
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
        {"histogram", false, true, count, 0, 0},
        {"histogram in chunks", false, true, tiny, 0, 0},
        {"histogram on two devices in turn", false, true, third, count / 9 + 1, count / 2},
        {"answers", false, false, count, 0, 0},
        {"answers in chunks", false, false, tiny, count / 7 + 1, 0},
        {"answers on two devices in turn", false, false, third, 0, count / 2},
        {"engine gpu, histogram", true, true, 0, 0, 0},
        {"engine gpu, histogram in chunks", true, true, third, 0, 0},
        {"engine gpu, answers", true, false, 0, 0, 0},
        {"engine gpu, answers in chunks", true, false, third, 0, 0},
    };
    c->count = count;
    which->fill(c->key, count);
    int err = tell_right(c, context);
    for (size_t i = 0; err == DJ_OK && i < sizeof manners / sizeof manners[0]; i++)
        if (!manners[i].engine || number % (manners[i].chunk ? ENGINE_STEP : OWN_CHUNK_STEP) == 0)
            err = run_manner(c, context, which->name, &manners[i]);
    return err;
}

static int check_all(checker *c, dj_context *context)
{
    const extent *e = c->extent;
    const double start = bench_wall_seconds();
    for (size_t s = 0; s < e->count; s++) {
        for (size_t w = 0; gpu_cases[w].name; w++) {
            if (e->sizes[s] >= e->long_from && !gpu_cases[w].long_too)
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
    checker c = {.bench = bench, .extent = &extents[set->small ? SMALL : set->quick ? QUICK : WHOLE]};
    c.room = c.extent->sizes[c.extent->count - 1];
    unsigned before = bench->failures;
    double start = bench_wall_seconds();
    int err = make(&c, context);
    if (err == DJ_OK)
        err = check_all(&c, context);
    if (err == DJ_OK || bench->failures > before)
        gpu_say("check: %u runs in %.1f s, %u wrong: %s", c.runs, bench_wall_seconds() - start,
                bench->failures - before,
                bench->failures > before ? "NOT what engine fast says"
                                         : "all bit for bit what engine fast says");
    unmake(&c);
    return bench->failures > before ? DJ_OK : err;
}
