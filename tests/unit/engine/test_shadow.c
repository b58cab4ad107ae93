// SPDX-License-Identifier: MIT
// Edge cases of engine shadow: isolated keys, keys at both ends of the number range and across page
// boundaries, pages that collide in the cache of recent pages, growth with all columns, compaction,
// memory.
#include "support/engine_compare.h"

#include "engine/shadow/shadow.h"

#include <setjmp.h>
#include <stdarg.h>
// cmocka needs the four above it
#include <cmocka.h>

#include "support/engine_check.h"
#include "support/sanitized.h"

enum { ALL = DJ_CAN_TAGS | DJ_CAN_TIMES };

static const uint64_t page_sizes[] = {16, 64, 4096};
enum { SIZES = sizeof page_sizes / sizeof page_sizes[0] };

// The options are one number.
static dj_engine_ops variant(const uint64_t *page)
{
    dj_engine_ops engine = *dj_engine_find("shadow");
    assert_int_equal(engine.options_bytes, sizeof *page);
    engine.default_options = page;
    return engine;
}

static void test_page_sizes(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 300; seed += SANITIZED_STEP) {
        stream s;
        dj_engine_ops engine = variant(&page_sizes[seed % SIZES]);
        assert_int_equal(stream_make_random(&s, seed * 104729), 0);
        compare("stack", &engine, &s, (uint32_t)seed & ALL);
        stream_free(&s);
    }
}

// A stream with these keys, with tags and times.
static void make_stream(stream *s, size_t count, uint64_t (*key)(uint64_t i, uint64_t *rng), uint64_t seed)
{
    uint64_t rng = seed;
    assert_int_equal(stream_make(s, seed, &stream_orders[0], &stream_key_kinds[0], count, 100), 0);
    for (size_t i = 0; i < count; i++)
        s->key[i] = key(i, &rng);
}

// Both ends of the number range and of its halves, where adding one carries over.
static uint64_t key_at_an_end(uint64_t i, uint64_t *rng)
{
    static const uint64_t ends[] = {0, UINT64_MAX, UINT64_C(1) << 63, UINT64_C(1) << 32, 64, 4096};
    (void)i;
    return ends[random_below(rng, 6)] + random_below(rng, 5) - 2;
}

// Each in a separate page.
static uint64_t key_alone(uint64_t i, uint64_t *rng)
{
    (void)i;
    return random_below(rng, 3000) * UINT64_C(0x100000001b3000);
}

// Pages that collide in the cache of recent pages.
static uint64_t key_in_each_others_way(uint64_t i, uint64_t *rng)
{
    return ((i % 7) << 12) * DJ_SHADOW_RECENT + random_below(rng, 40);
}

// A window that keeps moving over new keys.
static uint64_t key_that_moves_on(uint64_t i, uint64_t *rng)
{
    return i / 3 + random_below(rng, 2000);
}

static void test_adversarial_keys(void **state)
{
    (void)state;
    uint64_t (*const kinds[])(uint64_t, uint64_t *) = {key_at_an_end, key_alone, key_in_each_others_way,
                                                       key_that_moves_on};
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++)
        for (size_t p = 0; p < SIZES; p++) {
            stream s;
            dj_engine_ops engine = variant(&page_sizes[p]);
            make_stream(&s, 40000, kinds[k], k + 1);
            compare("tree", &engine, &s, ALL);
            stream_free(&s);
        }
}

static int push(const dj_engine_ops *engine, void *s, uint64_t *keys, uint64_t *distances, size_t count)
{
    dj_work *back, work = {.count = count, .key = keys, .distance = distances};
    int err = engine->push(s, context, &work);
    return err == DJ_OK ? engine->pull(s, context, &back) : err;
}

// Sweeps over n keys: cold, then always n − 1, through growth and many compactions; memory is as
// documented.
static void test_sweeps_and_memory(void **state)
{
    (void)state;
    enum { KEYS = 300000, SWEEPS = 30 };
    static uint64_t keys[KEYS], distances[KEYS];
    const dj_engine_ops *engine = dj_engine_find("shadow");
    dj_engine_params params = {.options = engine->default_options};
    dj_engine_stats stats;
    void *s = NULL;
    assert_int_equal(engine->create(context, &params, &s), DJ_OK);
    for (uint64_t i = 0; i < KEYS; i++)
        keys[i] = UINT64_MAX - KEYS + i;
    for (uint64_t sweep = 0; sweep < SWEEPS; sweep++) {
        assert_int_equal(push(engine, s, keys, distances, KEYS), DJ_OK);
        for (uint64_t i = 0; i < KEYS; i++)
            assert_int_equal(distances[i], sweep == 0 ? DJ_COLD : KEYS - 1);
    }
    engine->stats(s, &stats);
    assert_int_equal(stats.keys, KEYS);
    assert_in_range(stats.bytes - sizeof(dj_shadow), 5 * KEYS, 9 * KEYS);
    engine->destroy(s);
}

static void test_memory_of_keys_that_lie_alone(void **state)
{
    (void)state;
    enum { KEYS = 200000 };
    static uint64_t keys[KEYS], distances[KEYS];
    const dj_engine_ops *engine = dj_engine_find("shadow");
    dj_engine_params params = {.options = engine->default_options};
    dj_engine_stats stats;
    void *s = NULL;
    assert_int_equal(engine->create(context, &params, &s), DJ_OK);
    for (uint64_t i = 0; i < KEYS; i++)
        keys[i] = i << 40 | i;
    assert_int_equal(push(engine, s, keys, distances, KEYS), DJ_OK);
    engine->stats(s, &stats);
    assert_in_range(stats.bytes, 256 * KEYS, 440 * KEYS);
    engine->destroy(s);
}

// As many pages as slots can number; the engine reports it and continues with those it has.
static void test_too_many_pages(void **state)
{
    (void)state;
    static uint64_t keys[2048], distances[2048];
    dj_engine_ops engine = variant(&page_sizes[2]);
    dj_engine_params params = {.options = engine.default_options};
    void *s = NULL;
    assert_int_equal(engine.create(context, &params, &s), DJ_OK);
    for (uint64_t i = 0; i < 2048; i++)
        keys[i] = i << 12;
    dj_shadow *shadow = s;
    uint64_t real = shadow->directory.count;
    shadow->directory.count = (UINT64_C(1) << 20) - 2000; // pretend that there are this many
    assert_int_equal(push(&engine, s, keys, distances, 2048), DJ_ERR_MEMORY);
    assert_non_null(strstr(dj_context_message(context), "choose engine fast"));
    shadow->directory.count = real;
    assert_int_equal(push(&engine, s, keys, distances, 2048), DJ_OK);
    for (size_t i = 0; i < 2048; i++)
        assert_int_equal(distances[i], DJ_COLD);
    engine.destroy(s);
}

static void test_bad_options(void **state)
{
    (void)state;
    static const uint64_t bad[] = {0, 1, 8, 17, 65, 8192, UINT64_MAX};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        dj_engine_ops engine = variant(&bad[i]);
        dj_engine_params params = {.options = engine.default_options};
        void *made = NULL;
        assert_int_equal(engine.create(context, &params, &made), DJ_ERR_USAGE);
        assert_null(made);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_page_sizes),        cmocka_unit_test(test_adversarial_keys),
        cmocka_unit_test(test_sweeps_and_memory), cmocka_unit_test(test_memory_of_keys_that_lie_alone),
        cmocka_unit_test(test_too_many_pages),    cmocka_unit_test(test_bad_options),
    };
    return cmocka_run_group_tests(tests, make_context, drop_context);
}
