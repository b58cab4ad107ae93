// SPDX-License-Identifier: MIT
// Idea:  A bit for every point in time, set at the last access to some key, and above it levels of
//        counters, each the sum of B entries of the level below. The reuse distance is the number of
//        set bits between the two accesses: partial blocks at both ends of each level, until both ends
//        lie in one block. When the timeline is full, the set bits are compacted, so that it grows with
//        the keys and not with the trace.
// Paper: Ding and Zhong, "Reuse distance analysis", 2001, section 2.2 and Figure 3 (after Bennett and
// Kruskal,
//        1975). Corrections: the remainder between both ends is added at the level that the loop
//        reached; the update starts from the original times; a first access counts at every level.
// Cost:  O(B log_B keys) per access. 8 bytes per key, and for each of the 8 points in time per key 1
//        bit and 32/(B−1) bits of counters (1.2 bytes per key at B = 200), in addition to the table of
//        keys (elements.h).
// Bound: exact; at most 2^32 − 2 keys.
#include "engine/elements.h"
#include "engine/registry.h"
#include "engine/work.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_LEVELS = 64, LEAST_TIMES = 1024, TIMES_PER_KEY = 8, LARGEST_BLOCK = 1 << 20 };

typedef struct count_options {
    uint64_t block;
} count_options;

static const count_options default_options = {.block = 200};

static const dj_option option_table[] = {
    {.name = "count-block",
     .type = DJ_OPTION_UINT,
     .offset = offsetof(count_options, block),
     .argument = "B",
     .help = "number of entries that each counter of engine count sums up, 2 to 1048576 (default 200)"},
    {.name = NULL},
};

typedef struct counts {
    dj_work_queue answered; // must be first for dj_work_pull_at_once
    dj_elements elements;
    uint64_t *last; // time of the last access, by key number
    uint32_t capacity;
    uint64_t block;
    uint64_t now, times;          // the timeline is 0 … times − 1; times before `now` are used
    uint64_t *trace;              // level 0: one bit per time
    uint32_t *level[MOST_LEVELS]; // from 1; times / block^level counters each, rounded up
    unsigned levels;              // the top level has at most `block` entries
    dj_footprint footprint;
} counts;

static uint64_t divide_up(uint64_t a, uint64_t b)
{
    return a / b + (a % b != 0);
}

static void free_timeline(counts *c)
{
    dj_footprint_free(&c->footprint, c->trace, divide_up(c->times, 64), sizeof *c->trace);
    c->trace = NULL;
    uint64_t entries = c->times;
    for (unsigned l = 1; l <= c->levels; l++) {
        entries = divide_up(entries, c->block);
        dj_footprint_free(&c->footprint, c->level[l], entries, sizeof *c->level[l]);
        c->level[l] = NULL;
    }
    c->levels = 0;
}

static int allocate_timeline(counts *c, dj_context *context, uint64_t times)
{
    c->times = times;
    c->trace =
        dj_footprint_array(&c->footprint, context, "the timeline", divide_up(times, 64), sizeof *c->trace);
    if (!c->trace)
        return DJ_ERR_MEMORY;
    for (uint64_t entries = times; entries > c->block;) {
        entries = divide_up(entries, c->block);
        uint32_t *level =
            dj_footprint_array(&c->footprint, context, "the block counters", entries, sizeof *level);
        if (!level)
            return DJ_ERR_MEMORY;
        c->level[++c->levels] = level;
    }
    return DJ_OK;
}

static void count_destroy(void *state)
{
    counts *c = state;
    if (!c)
        return;
    free_timeline(c);
    dj_elements_destroy(&c->elements);
    free(c->last);
    free(c);
}

static int resize_last(counts *c, dj_context *context)
{
    int err = dj_footprint_resize(&c->footprint, context, "the last access times", &c->last, c->capacity,
                                  c->elements.capacity, sizeof *c->last);
    if (err == DJ_OK)
        c->capacity = c->elements.capacity;
    return err;
}

static int count_create(dj_context *context, const dj_engine_params *params, void **state)
{
    const count_options *options = params->options ? params->options : &default_options;
    int err = dj_engine_check(context, &dj_engine_count_blocks, params);
    if (err != DJ_OK)
        return err;
    if (options->block < 2 || options->block > LARGEST_BLOCK)
        return dj_fail(context, DJ_ERR_USAGE, "--count-block %llu: must be 2 to %d",
                       (unsigned long long)options->block, LARGEST_BLOCK);
    counts *c = calloc(1, sizeof *c);
    if (!c)
        return dj_fail_memory(context, "engine count", sizeof *c);
    dj_footprint_add(&c->footprint, sizeof *c);
    c->block = options->block;
    err = dj_elements_create(&c->elements, context, params, &c->footprint);
    if (err == DJ_OK)
        err = resize_last(c, context);
    if (err == DJ_OK)
        err = allocate_timeline(c, context, LEAST_TIMES);
    if (err != DJ_OK)
        goto fail;
    *state = c;
    return DJ_OK;
fail:
    count_destroy(c);
    return err;
}

// Set bits among times from … to − 1.
static uint64_t count_bits(const uint64_t *trace, uint64_t from, uint64_t to)
{
    if (from >= to)
        return 0;
    uint64_t word = from / 64, last = (to - 1) / 64, sum = 0;
    uint64_t bits = trace[word] & (UINT64_MAX << from % 64);
    for (; word < last; bits = trace[++word])
        sum += (uint64_t)__builtin_popcountll(bits);
    return sum + (uint64_t)__builtin_popcountll(bits & (UINT64_MAX >> (63 - (to - 1) % 64)));
}

// block(level, from) + … + block(level, to − 1) of the paper.
static uint64_t sum_blocks(const counts *c, unsigned level, uint64_t from, uint64_t to)
{
    if (level == 0)
        return count_bits(c->trace, from, to);
    uint64_t sum = 0;
    for (uint64_t i = from; i < to; i++)
        sum += c->level[level][i];
    return sum;
}

static uint64_t count_between(const counts *c, uint64_t t1, uint64_t t2)
{
    uint64_t distance = 0;
    unsigned level = 0;
    for (; t1 / c->block != t2 / c->block; level++) {
        uint64_t block1 = t1 / c->block, block2 = t2 / c->block;
        distance += sum_blocks(c, level, t1 + 1, (block1 + 1) * c->block);
        distance += sum_blocks(c, level, block2 * c->block, t2);
        t1 = block1;
        t2 = block2;
    }
    return distance + sum_blocks(c, level, t1 + 1, t2);
}

static void flip(counts *c, uint64_t time)
{
    c->trace[time / 64] ^= UINT64_C(1) << time % 64;
}

static void move_access(counts *c, uint64_t t1, uint64_t t2)
{
    flip(c, t1);
    flip(c, t2);
    for (unsigned level = 1; t1 / c->block != t2 / c->block; level++) {
        c->level[level][t1 /= c->block]--;
        c->level[level][t2 /= c->block]++;
    }
}

static void add_access(counts *c, uint64_t time)
{
    flip(c, time);
    for (unsigned level = 1; level <= c->levels; level++)
        c->level[level][time /= c->block]++;
}

// Uses exactly the first `live` times.
static void fill_timeline(counts *c, uint64_t live)
{
    memset(c->trace, 0xff, live / 64 * sizeof *c->trace);
    if (live % 64)
        c->trace[live / 64] = UINT64_MAX >> (64 - live % 64);
    uint64_t width = 1;
    for (unsigned l = 1; l <= c->levels; l++) {
        width *= c->block;
        for (uint64_t i = 0; i * width < live; i++)
            c->level[l][i] = (uint32_t)(live - i * width < width ? live - i * width : width);
    }
    c->now = live;
}

// Renumbers the live keys 0, 1, 2, … in order of last access and resizes the timeline.
static int compact(counts *c, dj_context *context)
{
    uint64_t words = divide_up(c->times, 64), live = c->elements.count;
    uint32_t *before = dj_footprint_array(&c->footprint, context, "the compaction", words, sizeof *before);
    if (!before)
        return DJ_ERR_MEMORY;
    for (uint64_t w = 1; w < words; w++)
        before[w] = before[w - 1] + (uint32_t)__builtin_popcountll(c->trace[w - 1]);
    for (uint64_t n = 1; n <= live; n++) {
        uint64_t time = c->last[n];
        uint64_t earlier = c->trace[time / 64] & ((UINT64_C(1) << time % 64) - 1);
        c->last[n] = before[time / 64] + (uint64_t)__builtin_popcountll(earlier);
    }
    dj_footprint_free(&c->footprint, before, words, sizeof *before);

    free_timeline(c);
    int err = allocate_timeline(c, context,
                                TIMES_PER_KEY * live > LEAST_TIMES ? TIMES_PER_KEY * live : LEAST_TIMES);
    if (err == DJ_OK)
        fill_timeline(c, live);
    return err;
}

static int access_key(counts *c, dj_context *context, const dj_work *work, size_t i)
{
    uint32_t n;
    bool cold;
    int err = c->now == c->times ? compact(c, context) : DJ_OK;
    if (err == DJ_OK)
        err = dj_elements_find(&c->elements, context, work->key[i], &n, &cold);
    if (err == DJ_OK && c->elements.capacity > c->capacity)
        err = resize_last(c, context);
    if (err != DJ_OK)
        return err;

    work->distance[i] = cold ? DJ_COLD : count_between(c, c->last[n], c->now);
    dj_elements_exchange(&c->elements, work, i, n, cold);
    if (cold)
        add_access(c, c->now);
    else
        move_access(c, c->last[n], c->now);
    c->last[n] = c->now++;
    return DJ_OK;
}

static int count_push(void *state, dj_context *context, dj_work *work)
{
    counts *c = state;
    for (size_t i = 0; i < work->count; i++) {
        int err = access_key(c, context, work, i);
        if (err != DJ_OK)
            return err;
    }
    dj_work_queue_put(&c->answered, work);
    return DJ_OK;
}

static int count_order(void *state, dj_context *context, dj_order *out)
{
    counts *c = state;
    int err = compact(c, context); // leaves the position in the order in `last`
    if (err == DJ_OK)
        err = dj_order_create(context, c->elements.count, c->elements.use, out);
    for (uint32_t n = 1; err == DJ_OK && n <= c->elements.count; n++)
        dj_elements_order_put(&c->elements, n, out, c->last[n]);
    return err;
}

static void count_stats(const void *state, dj_engine_stats *out)
{
    const counts *c = state;
    *out = (dj_engine_stats){
        .keys = c->elements.count, .bytes = c->footprint.bytes, .peak_bytes = c->footprint.peak_bytes};
}

const dj_engine_ops dj_engine_count_blocks = {
    .name = "count",
    .summary = "bit vector over time, with a tree of block counters",
    .cost = "O(B log keys) per access; 38 to 68 bytes per key",
    .can = DJ_CAN_EXACT | DJ_CAN_PER_ACCESS | DJ_CAN_TAGS | DJ_CAN_TIMES | DJ_CAN_SUMMARY,
    .options = option_table,
    .options_bytes = sizeof(count_options),
    .default_options = &default_options,
    .create = count_create,
    .destroy = count_destroy,
    .push = count_push,
    .pull = dj_work_pull_at_once,
    .drain = dj_work_drain_at_once,
    .order = count_order,
    .stats = count_stats,
};
