// SPDX-License-Identifier: MIT
// Every engine in the registry returns the same as `stack`, and `stack` the same as the definition.
#include "base/map.h"
#include "support/engine_choice.h"
#include "support/engine_compare.h"

#include <setjmp.h>
#include <stdarg.h>
// cmocka needs the four above it
#include <cmocka.h>

#include "support/context.h"

enum { ALL = DJ_CAN_TAGS | DJ_CAN_TIMES | DJ_CAN_WEIGHTS, RANDOM_STREAMS = 4000 / TEST_SHARE };

static const dj_engine_ops *oracle(void)
{
    return dj_engine_find("stack");
}

// Engines that estimate, or that need a device, have separate tests.
static bool is_exact(const dj_engine_ops *engine)
{
    return engine->can & DJ_CAN_EXACT && engine->can & DJ_CAN_PER_ACCESS && engine_is_chosen(engine);
}

static void test_registry(void **state)
{
    (void)state;
    assert_non_null(oracle());
    assert_true(dj_engine_get(0)->can & DJ_CAN_EXACT && !dj_engine_get(0)->find_device); // the default
    assert_null(dj_engine_get(dj_engine_count()));
    assert_null(dj_engine_find("no such engine"));
    for (size_t i = 0; i < dj_engine_count(); i++) {
        const dj_engine_ops *engine = dj_engine_get(i);
        assert_ptr_equal(dj_engine_find(engine->name), engine); // so no name is used twice
    }
}

// Figure 1 of the 2001 paper: between the two uses of b there are a and c.
static void test_by_hand(void **state)
{
    (void)state;
    enum { A = 'a', B = 'b', C = 'c', N = 12 };
    const uint64_t cold = DJ_COLD;
    const uint64_t keys[N] = {B, A, A, C, B, 0, UINT64_MAX, 0, B, UINT64_MAX, C, A};
    const uint64_t expected[N] = {cold, cold, 0, cold, 2, cold, cold, 1, 2, 2, 3, 4};
    for (size_t e = 0; e < dj_engine_count(); e++) {
        uint64_t got[N];
        if (!is_exact(dj_engine_get(e)))
            continue;
        assert_int_equal(dj_distances(context, dj_engine_get(e), keys, N, got), DJ_OK);
        assert_memory_equal(got, expected, sizeof expected);
        assert_int_equal(dj_distances(context, dj_engine_get(e), keys, 0, got), DJ_OK);
    }
}

// Directly from the definition: search back for the key and collect what is in between.
static uint64_t defined_distance(const stream *s, size_t i, uint64_t *bytes, size_t *previous)
{
    uint64_t distance = 0;
    *bytes = 0;
    for (size_t j = i; j-- > 0;) {
        if (s->key[j] == s->key[i]) {
            *previous = j;
            return distance;
        }
        size_t later = j + 1;
        while (later < i && s->key[later] != s->key[j])
            later++;
        if (later == i) { // the last access to that key before i
            distance++;
            *bytes += s->weight[j];
        }
    }
    return DJ_COLD;
}

static void test_stack_is_the_definition(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 300; seed++) {
        stream s;
        answers a;
        assert_int_equal(stream_make_random(&s, seed), 0);
        if (s.count > 200)
            s.count = 200;
        assert_null(answers_get(&a, oracle(), context, &s, s.count, ALL, seed));
        for (size_t i = 0; i < s.count; i++) {
            uint64_t bytes;
            size_t previous = 0;
            uint64_t distance = defined_distance(&s, i, &bytes, &previous);
            bool cold = distance == DJ_COLD;
            assert_int_equal(a.distance[i], distance);
            assert_int_equal(a.byte_distance[i], bytes);
            assert_int_equal(a.prev_tag[i], cold ? 0 : s.tag[previous]);
            assert_int_equal(a.prev_time[i], cold ? DJ_COLD : s.time[previous]);
        }
        answers_free(&a);
        stream_free(&s);
    }
}

// Compares every engine with `expected` and reports those that differ.
static unsigned differing(const dj_engine_ops *reference, const answers *expected, const stream *s)
{
    unsigned found = 0;
    for (size_t e = 0; e < dj_engine_count(); e++) {
        const dj_engine_ops *engine = dj_engine_get(e);
        if (!is_exact(engine) || (engine == oracle() && s->count > 5000))
            continue; // stack would take minutes
        uint64_t rng = s->seed;
        uint32_t use = (uint32_t)random_next(&rng) & ALL & engine->can;
        answers got;
        difference d = {.what = answers_get(&got, engine, context, s, s->count, use, ~s->seed)};
        if (!d.what)
            d = answers_compare(expected, &got);
        if (!d.what)
            d = answers_compare_order(expected, &got);
        answers_free(&got);
        if (!d.what)
            continue;
        difference least = compare_engines(reference, engine, context, s, use);
        d.prefix = s->count;
        difference_print(least.what ? &least : &d, engine, s, use);
        found++;
    }
    return found;
}

static void test_random_streams(void **state)
{
    (void)state;
    unsigned found = 0;
    for (uint64_t seed = 1; seed <= RANDOM_STREAMS; seed++) {
        stream s;
        answers expected;
        assert_int_equal(stream_make_random(&s, seed), 0);
        assert_null(answers_get(&expected, oracle(), context, &s, s.count, ALL, seed));
        found += differing(oracle(), &expected, &s);
        answers_free(&expected);
        stream_free(&s);
    }
    assert_int_equal(found, 0);
}

static void long_stream(uint64_t seed, size_t order, size_t keys, size_t count, uint64_t range)
{
    const dj_engine_ops *tree = dj_engine_find("tree");
    stream s;
    answers expected;
    assert_non_null(tree);
    assert_int_equal(stream_make(&s, seed, &stream_orders[order], &stream_key_kinds[keys], count, range), 0);
    assert_null(answers_get(&expected, tree, context, &s, count, ALL, seed));
    assert_int_equal(differing(tree, &expected, &s), 0);
    answers_free(&expected);
    stream_free(&s);
}

static void test_long_streams(void **state)
{
    (void)state;
    long_stream(1, 6, 2, 1000000 / TEST_SHARE, 300000 / TEST_SHARE); // skewed, 64-bit keys
    long_stream(2, 0, 5, 300000 / TEST_SHARE, 100000 / TEST_SHARE);  // uniform, strided
    long_stream(3, 3, 4, 300000 / TEST_SHARE, 40000 / TEST_SHARE);   // sawtooth, 0 and max
    long_stream(4, 5, 3, 300000 / TEST_SHARE, 300000 / TEST_SHARE);  // all cold
    long_stream(5, 8, 0, 300000 / TEST_SHARE, 5000 / TEST_SHARE);    // phases
}

static void test_colliding_keys_collide(void **state)
{
    (void)state;
    for (uint64_t n = 0; n < 1000; n++)
        assert_int_equal(dj_map_hash(key_colliding(n, 0)), n << 40);
}

static void test_refuses_what_it_cannot(void **state)
{
    (void)state;
    for (size_t e = 0; e < dj_engine_count(); e++) {
        const dj_engine_ops *engine = dj_engine_get(e);
        dj_engine_params params = {.use = ALL | DJ_CAN_BOUNDED, .options = engine->default_options};
        void *made = NULL;
        if (params.use & ~engine->can) {
            assert_int_equal(engine->create(context, &params, &made), DJ_ERR_UNSUPPORTED);
            assert_null(made);
            assert_non_null(strstr(dj_context_message(context), engine->name));
        }
    }
}

// Memory must not grow with the length of a trace over few keys.
static void test_memory_follows_the_keys(void **state)
{
    (void)state;
    stream s;
    assert_int_equal(stream_make(&s, 7, &stream_orders[0], &stream_key_kinds[2], 400000, 100), 0);
    for (size_t e = 0; e < dj_engine_count(); e++) {
        const dj_engine_ops *engine = dj_engine_get(e);
        answers start, whole;
        if (!is_exact(engine))
            continue;
        assert_null(answers_get(&start, engine, context, &s, 20000, 0, 7));
        assert_null(answers_get(&whole, engine, context, &s, s.count, 0, 7));
        assert_int_equal(start.stats.keys, 100);
        assert_int_equal(whole.stats.keys, 100);
        assert_int_equal(whole.stats.peak_bytes, start.stats.peak_bytes);
        answers_free(&start);
        answers_free(&whole);
    }
    stream_free(&s);
}

static void test_count_blocks(void **state)
{
    (void)state;
    const dj_engine_ops *count = dj_engine_find("count");
    assert_non_null(count);
    static const uint64_t blocks[] = {2, 3, 64, 65, 1000, 1 << 20};
    for (size_t b = 0; b < sizeof blocks / sizeof blocks[0]; b++) {
        dj_engine_ops engine = *count;
        engine.default_options = &blocks[b]; // the options are one number
        for (uint64_t seed = 1; seed <= 60; seed++) {
            stream s;
            assert_int_equal(stream_make_random(&s, seed), 0);
            difference d = compare_engines(oracle(), &engine, context, &s, ALL);
            if (d.what)
                difference_print(&d, &engine, &s, ALL);
            assert_null(d.what);
            stream_free(&s);
        }
    }
    static const uint64_t bad[] = {0, 1, (1 << 20) + 1, UINT64_MAX};
    for (size_t b = 0; b < sizeof bad / sizeof bad[0]; b++) {
        dj_engine_params params = {.options = &bad[b]};
        void *made = NULL;
        assert_int_equal(count->create(context, &params, &made), DJ_ERR_USAGE);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_registry),
        cmocka_unit_test(test_by_hand),
        cmocka_unit_test(test_colliding_keys_collide),
        cmocka_unit_test(test_stack_is_the_definition),
        cmocka_unit_test(test_random_streams),
        cmocka_unit_test(test_long_streams),
        cmocka_unit_test(test_refuses_what_it_cannot),
        cmocka_unit_test(test_memory_follows_the_keys),
        cmocka_unit_test(test_count_blocks),
    };
    return engines_are_here() ? cmocka_run_group_tests(tests, make_context, drop_context) : 77;
}
