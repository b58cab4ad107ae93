// SPDX-License-Identifier: MIT
// Engine parallel with up to three threads, which share the stages of one engine fast: the same
// answers, tags, times and order as with one.
#include "support/engine_compare.h"

#include "engine/parallel/parallel.h"

#include <setjmp.h>
#include <stdarg.h>
// cmocka needs the four above it
#include <cmocka.h>

#include "support/context.h"
#include "support/one_hash.h"
#include "support/sanitized.h"

enum { ALL = DJ_CAN_TAGS | DJ_CAN_TIMES };

// Like the engine's options.
static const struct choice {
    uint64_t threads, chunk;
} choices[] = {{1, 0}, {2, 0}, {3, 0}}, two_with_chunks = {2, 5000};

static dj_engine_ops stages(uint64_t number)
{
    dj_engine_ops engine = *dj_engine_find("parallel");
    assert_int_equal(engine.options_bytes, sizeof *choices);
    engine.default_options = &choices[number % 3];
    return engine;
}

static void compare(const char *oracle, const stream *s, uint32_t use, uint64_t number)
{
    const dj_engine_ops engine = stages(number);
    difference d = compare_engines(dj_engine_find(oracle), &engine, context, s, use);
    if (d.what)
        difference_print(&d, &engine, s, use);
    assert_null(d.what);
}

static bool is_staged(const struct choice *choice)
{
    dj_engine_params params = {.options = choice};
    void *state = NULL;
    assert_int_equal(dj_engine_find("parallel")->create(context, &params, &state), DJ_OK);
    bool is = ((const dj_parallel *)state)->stages != NULL;
    dj_engine_find("parallel")->destroy(state);
    return is;
}

// Otherwise nothing here would test the stages.
static void test_few_threads_share_stages(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof choices / sizeof *choices; i++)
        assert_true(is_staged(&choices[i]));
    assert_false(is_staged(&two_with_chunks));
}

static void test_random_streams(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 150; seed += SANITIZED_STEP) {
        stream s;
        assert_int_equal(stream_make_random(&s, seed * 49979687), 0);
        compare("stack", &s, (uint32_t)seed & ALL, seed / 4);
        stream_free(&s);
    }
}

// Long enough for jobs to be reused, for the table and the timeline to grow, and for the timeline to be
// compacted.
static void test_long_streams(void **state)
{
    (void)state;
    enum { COUNT = 200000 / SANITIZED_SHARE };
    for (size_t order = 0; order < sizeof stream_orders / sizeof *stream_orders; order++)
        for (uint64_t range = 100; range <= 40000; range *= 20) {
            stream s;
            assert_int_equal(stream_make(&s, order + range, &stream_orders[order],
                                         &stream_key_kinds[order % 3], COUNT, range),
                             0);
            compare("fast", &s, range == 2000 ? ALL : 0, order + range / 100);
            stream_free(&s);
        }
}

// The table gets another seed while runs are found with the old one.
static void test_keys_of_one_hash(void **state)
{
    (void)state;
    enum { COUNT = 60000, KEYS = 4000 };
    for (uint64_t seed = 1; seed <= 10; seed += SANITIZED_STEP) {
        stream s;
        uint64_t rng = seed;
        assert_int_equal(stream_make(&s, seed, &stream_orders[0], &stream_key_kinds[0], COUNT, KEYS), 0);
        for (size_t i = 0; i < COUNT; i++) {
            uint64_t keys = i < COUNT / 2 ? 1 + i / 8 : KEYS;
            // Some near the previous one, so that runs extend across the change.
            s.key[i] = random_below(&rng, 3) || i < 9
                           ? key_of_hash(0xabcdef01, (uint32_t)random_below(&rng, keys))
                           : s.key[i - 1 - random_below(&rng, 9)];
        }
        compare("tree", &s, seed % 2 ? ALL : 0, seed);
        stream_free(&s);
    }
}

// It holds one table, not one per thread.
static void test_memory_is_that_of_one(void **state)
{
    (void)state;
    enum { KEYS = 1 << 20, MOST_BYTES = 64 };
    const dj_engine_ops engine = stages(1);
    dj_engine_params params = {.options = engine.default_options};
    dj_engine_stats stats;
    void *made = NULL;
    uint64_t *key = malloc(KEYS * sizeof *key), *distance = malloc(KEYS * sizeof *distance);
    assert_non_null(key);
    assert_non_null(distance);
    for (uint64_t i = 0; i < KEYS; i++)
        key[i] = i * UINT64_C(0x9e3779b97f4a7c15);
    dj_work first = {.count = KEYS, .key = key, .distance = distance}, again = first;
    assert_int_equal(engine.create(context, &params, &made), DJ_OK);
    assert_int_equal(engine.push(made, context, &first), DJ_OK);
    assert_int_equal(engine.push(made, context, &again), DJ_OK);
    assert_int_equal(engine.drain(made, context), DJ_OK);
    for (size_t i = 0; i < KEYS; i++)
        assert_int_equal(distance[i], KEYS - 1);
    engine.stats(made, &stats);
    assert_int_equal(stats.keys, KEYS);
    assert_in_range(stats.peak_bytes, 12 * (uint64_t)KEYS, MOST_BYTES * (uint64_t)KEYS);
    engine.destroy(made);
    free(key);
    free(distance);
}

// Destroys an engine with work in flight.
static void test_destroyed_before_the_end(void **state)
{
    (void)state;
    enum { COUNT = 1 << 16 };
    const dj_engine_ops engine = stages(1);
    dj_engine_params params = {.options = engine.default_options};
    static uint64_t key[COUNT], distance[COUNT];
    for (size_t i = 0; i < COUNT; i++)
        key[i] = i * i % 5003;
    for (size_t round = 0; round < 20; round++) {
        void *made = NULL;
        dj_work work = {.count = COUNT, .key = key, .distance = distance};
        assert_int_equal(engine.create(context, &params, &made), DJ_OK);
        assert_int_equal(engine.push(made, context, &work), DJ_OK);
        engine.destroy(made);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_few_threads_share_stages),
        cmocka_unit_test(test_random_streams),
        cmocka_unit_test(test_long_streams),
        cmocka_unit_test(test_keys_of_one_hash),
        cmocka_unit_test(test_memory_is_that_of_one),
        cmocka_unit_test(test_destroyed_before_the_end),
    };
    return cmocka_run_group_tests(tests, make_context, drop_context);
}
