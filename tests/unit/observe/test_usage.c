// SPDX-License-Identifier: MIT
// Observer `usage` against brute force: a list of blocks in the order of their last use, and a flag for
// every byte; and programs with known usage.
#include <deja/deja.h>
#include <deja/observer_options.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
// cmocka needs the four above it
#include <cmocka.h>

#include "base/random.h"
#include "support/context.h"

enum { MOST = 20000, PLACES = 7, SPAN = 1 << 16, SLOTS = 5 };

typedef struct stream {
    dj_place_table table;
    dj_place rows[PLACES];
    uint64_t address[MOST], size[MOST];
    uint32_t place[MOST];
    size_t count, at;
    bool sized;
} stream;

static stream trace;

static void begin_trace(bool sized)
{
    trace.table = (dj_place_table){.chunks = {trace.rows}, .count = PLACES};
    for (uint32_t i = 0; i < PLACES; i++)
        trace.rows[i] = (dj_place){i, 0, 0, 0};
    trace.count = 0;
    trace.sized = sized;
}

static void touch(uint32_t place, uint64_t address, uint64_t size)
{
    assert_true(trace.count < MOST);
    trace.address[trace.count] = address;
    trace.size[trace.count] = size;
    trace.place[trace.count++] = place;
}

static int next(void *state, dj_context *ctx, dj_pool *pool, dj_batch **out)
{
    stream *s = state;
    *out = NULL;
    if (s->at == s->count)
        return DJ_OK;
    int err = dj_pool_take(ctx, pool, out);
    if (err)
        return err;
    dj_batch_buffers to = dj_batch_writable(*out);
    dj_batch_set_columns(*out, DJ_COLUMN_PLACE | (s->sized ? DJ_COLUMN_SIZE : 0u));
    for (; (*out)->count < 777 && s->at < s->count; s->at++) {
        to.address[(*out)->count] = s->address[s->at];
        to.size[(*out)->count] = s->size[s->at];
        to.place[(*out)->count++] = s->place[s->at];
    }
    return DJ_OK;
}

typedef struct way {
    uint64_t blocks[3];
    size_t block_count;
    bool split;
    dj_usage_options usage;
} way;

static dj_profile *measure(const way *w)
{
    static const dj_source_ops ops = {.next = next};
    static const dj_source_info info = {.format = "test",
                                        .kind = DJ_CLASS_MEMORY,
                                        .default_block = 64,
                                        .unit_bytes = 1,
                                        .columns = DJ_COLUMN_PLACE | DJ_COLUMN_SIZE};
    const dj_places_options places = {.places = &trace.table};
    const dj_observer_choice observers[] = {{dj_observer_find("places"), &places},
                                            {dj_observer_find("spatial"), NULL},
                                            {dj_observer_find("usage"), &w->usage},
                                            {dj_observer_find("histogram"), NULL}};
    const dj_pipeline_config config = {.blocks = w->blocks,
                                       .block_count = w->block_count,
                                       .split = w->split,
                                       .tag = DJ_TAG_PLACE,
                                       .observers = observers,
                                       .observer_count = 4};
    dj_source *source;
    dj_pipeline *pipeline;
    dj_profile *profile, *between;
    trace.at = 0;
    assert_int_equal(dj_source_create(context, &ops, &trace, &info, &source), DJ_OK);
    assert_int_equal(dj_pipeline_create(context, &config, &pipeline), DJ_OK);
    assert_int_equal(dj_pipeline_run(pipeline, context, source), DJ_OK);
    // Creating a profile in between changes nothing.
    assert_int_equal(dj_pipeline_finish(pipeline, context, &between), DJ_OK);
    dj_profile_destroy(between);
    assert_int_equal(dj_pipeline_finish(pipeline, context, &profile), DJ_OK);
    dj_pipeline_destroy(pipeline);
    dj_source_close(source);
    return profile;
}

static const dj_usage *usage_of(const dj_profile *profile, uint32_t place)
{
    assert_non_null(dj_profile_attribution(profile)->places[place].tally.spatial);
    return &dj_profile_attribution(profile)->places[place].tally.spatial->usage;
}

typedef struct expected {
    uint64_t accesses, fetched, used;
    int64_t stride[MOST]; // of each access but the first, in order
} expected;

typedef struct brute {
    const way *w;
    uint64_t order[SPAN]; // blocks, the last used one first
    size_t depth;
    bool used[SPAN];       // of each byte, while its block is in the cache
    uint32_t by[SPAN];     // of each block
    uint64_t last[PLACES]; // address
    expected want[PLACES];
} brute;

static size_t move_to_front(brute *b, uint64_t block)
{
    size_t at = 0;
    while (at < b->depth && b->order[at] != block)
        at++;
    bool cold = at == b->depth;
    b->depth += cold;
    memmove(b->order + 1, b->order, at * sizeof *b->order);
    b->order[0] = block;
    return cold ? SIZE_MAX : at;
}

static void leave(brute *b, uint64_t block)
{
    uint64_t size = b->w->usage.block;
    for (uint64_t i = 0; i < size; i++) {
        b->want[b->by[block]].used += b->used[block * size + i];
        b->used[block * size + i] = false;
    }
}

static void step_to(brute *b, uint32_t place, uint64_t address)
{
    expected *want = &b->want[place];
    if (want->accesses++ > 0)
        want->stride[want->accesses - 2] = (int64_t)address - (int64_t)b->last[place];
    b->last[place] = address;
}

static void access_piece(brute *b, uint32_t place, uint64_t address, uint64_t size)
{
    uint64_t block_size = b->w->usage.block, block = address / block_size;
    expected *want = &b->want[place];
    size_t distance = move_to_front(b, block), room = b->w->usage.cache_bytes / block_size;
    if (distance >= (room ? room : 1)) {
        if (distance != SIZE_MAX)
            leave(b, block);
        b->by[block] = place;
        want->fetched++;
    }
    for (uint64_t i = address; i < address + (size ? size : 1) && i / block_size == block; i++)
        b->used[i] = true;
}

static brute *count_all(const way *w)
{
    brute *b = calloc(1, sizeof *b);
    assert_non_null(b);
    b->w = w;
    for (size_t i = 0; i < trace.count; i++) {
        uint64_t at = trace.address[i], left = trace.sized ? trace.size[i] : 1;
        step_to(b, trace.place[i], at);
        do {
            uint64_t room = w->blocks[0] - at % w->blocks[0];
            uint64_t part = !w->split || left < room ? left : room;
            access_piece(b, trace.place[i], at, part);
            at += part;
            left -= part;
        } while (left > 0);
    }
    for (size_t i = 0; i < b->depth; i++)
        leave(b, b->order[i]);
    return b;
}

static uint64_t times(const expected *want, int64_t stride)
{
    uint64_t n = 0;
    for (uint64_t i = 0; i + 1 < want->accesses; i++)
        n += want->stride[i] == stride;
    return n;
}

// Every count is a lower bound, too low by at most a sixth of the steps; more frequent strides among the
// first four are present.
static void check_strides(const dj_usage *got, const expected *want)
{
    uint64_t steps = want->accesses - 1;
    assert_int_equal(got->steps, steps);
    for (size_t k = 0; k < DJ_STRIDES && got->stride_count[k]; k++) {
        uint64_t true_count = times(want, got->stride[k]);
        assert_in_range(got->stride_count[k], 1, true_count);
        assert_true(true_count - got->stride_count[k] <= steps / (SLOTS + 1));
        for (size_t j = 0; j < k; j++)
            assert_true(got->stride[j] != got->stride[k] && got->stride_count[j] >= got->stride_count[k]);
    }
    for (uint64_t i = 0; i < steps; i++) {
        bool found = false;
        for (size_t k = 0; k < DJ_STRIDES; k++)
            found |= got->stride_count[k] && got->stride[k] == want->stride[i];
        if (!found && times(want, want->stride[i]) > steps / (SLOTS + 1))
            assert_true(got->stride_count[DJ_STRIDES - 1] + steps / (SLOTS + 1) >=
                        times(want, want->stride[i]));
    }
}

static void check_way(const dj_usage *got, const expected *want)
{
    uint64_t sum = 0, grain = SPAN;
    bool divides = false;
    for (uint64_t i = 0; i + 1 < want->accesses; i++)
        sum += (uint64_t)(want->stride[i] < 0 ? -want->stride[i] : want->stride[i]);
    assert_int_equal(got->step_sum, sum);
    while (sum > 0 && !divides) {
        divides = true;
        for (uint64_t i = 0; divides && i + 1 < want->accesses; i++)
            divides = want->stride[i] % (int64_t)grain == 0;
        grain -= !divides;
    }
    assert_int_equal(got->grain, sum > 0 ? grain : 0);
}

static void check_all(const way *w)
{
    dj_profile *profile = measure(w);
    brute *b = count_all(w);
    assert_true(dj_profile_spatial(profile)->usage_block == w->usage.block);
    assert_true(dj_profile_spatial(profile)->usage_cache == w->usage.cache_bytes);
    for (uint32_t p = 0; p < PLACES; p++) {
        const expected *want = &b->want[p];
        if (want->accesses == 0)
            continue;
        const dj_usage *got = usage_of(profile, p);
        assert_int_equal(got->fetched, want->fetched);
        assert_int_equal(got->used, want->used);
        check_strides(got, want);
        check_way(got, want);
    }
    free(b);
    dj_profile_destroy(profile);
}

// Places of many kinds: steady, two alternating strides, scattered, random.
static void make_random(uint64_t seed, size_t count)
{
    dj_random random;
    dj_random_seed(&random, seed);
    begin_trace(seed % 4 != 3);
    uint64_t at[PLACES] = {0};
    for (size_t i = 0; i < count; i++) {
        uint64_t r = dj_random_next(&random);
        uint32_t p = (uint32_t)(r % PLACES);
        uint64_t far = dj_random_next(&random) % (SPAN - 512);
        uint64_t steps[PLACES] = {8, i % 2 ? 4 : 60, r >> 8 & 1 ? 16 : 400, far, r >> 8 & 15, 0, far % 640};
        at[p] = (at[p] + steps[p]) % (SPAN - 512);
        touch(p, at[p], r >> 16 & 7 ? 1 + (r >> 20 & 15) : r >> 20 & 255);
    }
}

static void against_brute_force(void **state)
{
    (void)state;
    static const way ways[] = {
        {{32, 64, 128}, 3, true, {64, 1024}}, {{32, 64, 128}, 3, true, {128, 4096}},
        {{8, 16}, 2, true, {8, 8}},           {{64, 128, 256}, 3, false, {256, 16384}},
        {{5, 10, 20}, 3, true, {20, 600}},    {{16, 32}, 2, true, {32, 1}},
    };
    for (uint64_t seed = 0; seed < 18; seed++) {
        make_random(seed, 1500);
        check_all(&ways[seed % (sizeof ways / sizeof ways[0])]);
    }
}

// An array of 1024 structures of 64 bytes, of each the 8 bytes at 24, three times;
// 1024 blocks do not stay in a cache of 512, and do in one of 2048.
static void one_field_of_each(void **state)
{
    (void)state;
    static const way small = {{32, 64}, 2, true, {64, 512 * 64}},
                     large = {{32, 64}, 2, true, {64, 2048 * 64}};
    begin_trace(true);
    for (int turn = 0; turn < 3; turn++)
        for (uint64_t i = 0; i < 1024; i++)
            touch(2, 64 * i + 24, 8);
    dj_profile *profile = measure(&small);
    const dj_usage *usage = usage_of(profile, 2);
    assert_int_equal(usage->fetched, 3 * 1024);
    assert_int_equal(usage->used, 3 * 1024 * 8);
    assert_int_equal(usage->steps, 3 * 1024 - 1);
    assert_int_equal(usage->stride[0], 64);
    assert_int_equal(usage->stride_count[0], 3 * 1023);
    assert_int_equal(usage->stride[1], -64 * 1023);
    assert_int_equal(usage->stride_count[1], 2);
    assert_int_equal(usage->stride_count[2], 0);
    dj_profile_destroy(profile);
    profile = measure(&large);
    assert_int_equal(usage_of(profile, 2)->fetched, 1024);
    assert_int_equal(usage_of(profile, 2)->used, 1024 * 8);
    dj_profile_destroy(profile);
}

// Consecutive doubles of a row: all of each block, which the first one fetches.
static void all_of_each(void **state)
{
    (void)state;
    static const way w = {{32, 64}, 2, true, {64, 4096}};
    begin_trace(true);
    for (uint64_t i = 0; i < 4096; i++)
        touch(0, 8 * i, 8);
    dj_profile *profile = measure(&w);
    assert_int_equal(usage_of(profile, 0)->fetched, 512);
    assert_int_equal(usage_of(profile, 0)->used, 512 * 64);
    assert_int_equal(usage_of(profile, 0)->stride[0], 8);
    assert_int_equal(usage_of(profile, 0)->stride_count[0], 4095);
    dj_profile_destroy(profile);
}

// Place 1 fetches every block and uses 8 bytes, place 3 uses 8 others before eviction: what any place uses
// counts for the one that fetched it.
static void used_by_another(void **state)
{
    (void)state;
    static const way w = {{32, 64}, 2, true, {64, 4096}};
    begin_trace(true);
    for (uint64_t i = 0; i < 100; i++) {
        touch(1, 64 * i, 8);
        touch(3, 64 * i + 32, 8);
        touch(3, 64 * i + 36, 8); // 4 of them again
    }
    dj_profile *profile = measure(&w);
    assert_int_equal(usage_of(profile, 1)->fetched, 100);
    assert_int_equal(usage_of(profile, 1)->used, 100 * (8 + 12));
    assert_int_equal(usage_of(profile, 3)->fetched, 0);
    assert_int_equal(usage_of(profile, 3)->used, 0);
    dj_profile_destroy(profile);
}

static int create_with(const char *const *names, size_t count, const dj_usage_options *usage)
{
    static const uint64_t blocks[] = {32, 64};
    static const dj_places_options places = {.places = &trace.table};
    dj_observer_choice observers[3];
    for (size_t i = 0; i < count; i++) {
        const void *options = strcmp(names[i], "usage") == 0    ? (const void *)usage
                              : strcmp(names[i], "places") == 0 ? (const void *)&places
                                                                : NULL;
        observers[i] = (dj_observer_choice){dj_observer_find(names[i]), options};
    }
    const dj_pipeline_config config = {.blocks = blocks,
                                       .block_count = 2,
                                       .tag = DJ_TAG_PLACE,
                                       .observers = observers,
                                       .observer_count = count};
    dj_pipeline *pipeline = NULL;
    dj_profile *profile = NULL;
    int err = dj_pipeline_create(context, &config, &pipeline);
    if (!err)
        err = dj_pipeline_finish(pipeline, context, &profile);
    dj_profile_destroy(profile);
    dj_pipeline_destroy(pipeline);
    return err;
}

static void refused(void **state)
{
    (void)state;
    static const char *const all[] = {"places", "spatial", "usage"},
                             *const any_order[] = {"usage", "spatial", "places"},
                             *const alone[] = {"usage", "places"};
    static const dj_usage_options good = {64, 1024}, other = {48, 1024}, none = {64, 0};
    begin_trace(false);
    assert_int_equal(create_with(all, 3, &good), DJ_OK);
    assert_int_equal(create_with(all, 3, NULL), DJ_ERR_USAGE);
    assert_int_equal(create_with(all, 3, &none), DJ_ERR_USAGE);
    assert_int_equal(create_with(all, 3, &other), DJ_ERR_USAGE);
    assert_non_null(strstr(dj_context_message(context), "48"));
    assert_int_equal(create_with(any_order, 3, &good), DJ_OK);
    assert_int_equal(create_with(alone, 2, &good), DJ_ERR_USAGE);
    assert_non_null(strstr(dj_context_message(context), "needs section 'spatial'"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(against_brute_force),
        cmocka_unit_test(one_field_of_each),
        cmocka_unit_test(all_of_each),
        cmocka_unit_test(used_by_another),
        cmocka_unit_test(refused),
    };
    return cmocka_run_group_tests(tests, make_context, drop_context);
}
