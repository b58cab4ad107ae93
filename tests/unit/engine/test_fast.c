// SPDX-License-Identifier: MIT
// Engine fast with every instruction set, and with timelines so short that they are compacted all the
// time, returns the same as `stack`, also where keys are invalidated or removed.
#include "support/engine_compare.h"
#include "support/operations.h"

#include <setjmp.h>
#include <stdarg.h>
// cmocka needs the four above it
#include <cmocka.h>

#include "support/context.h"
#include "support/sanitized.h"

enum { ALL = DJ_CAN_TAGS | DJ_CAN_TIMES, STREAMS = 500 / SANITIZED_SHARE, OPTIONS_ROOM = 64 };

static const dj_option *option(const dj_engine_ops *engine, const char *name)
{
    for (const dj_option *o = engine->options; o && o->name; o++)
        if (strcmp(o->name, name) == 0)
            return o;
    fail_msg("no option %s", name);
    return NULL;
}

// A copy of the engine with these options as its defaults.
static dj_engine_ops variant(const char *simd, uint64_t points, unsigned char *capacity)
{
    dj_engine_ops engine = *dj_engine_find("fast");
    const dj_option *set = option(&engine, "fast-simd");
    int choice = 0;
    while (strcmp(set->choices[choice], simd) != 0)
        choice++;
    assert_true(engine.options_bytes <= OPTIONS_ROOM);
    memcpy(capacity, engine.default_options, engine.options_bytes);
    memcpy(capacity + set->offset, &choice, sizeof choice);
    memcpy(capacity + option(&engine, "fast-points")->offset, &points, sizeof points);
    engine.default_options = capacity;
    return engine;
}

static bool machine_has(const dj_engine_ops *engine)
{
    dj_engine_params params = {.options = engine->default_options};
    void *state = NULL;
    int err = engine->create(context, &params, &state);
    if (err)
        return assert_int_equal(err, DJ_ERR_UNSUPPORTED), false;
    engine->destroy(state);
    return true;
}

static void compare(const dj_engine_ops *oracle, const dj_engine_ops *engine, const stream *s, uint32_t use)
{
    difference d = compare_engines(oracle, engine, context, s, use);
    if (d.what)
        difference_print(&d, engine, s, use);
    assert_null(d.what);
}

static const uint64_t points[] = {2, 3, 8, 64};

static void check_operations(const char *simd)
{
    unsigned char capacity[OPTIONS_ROOM];
    for (uint64_t seed = 1; seed <= STREAMS; seed++) {
        stream s;
        dj_engine_ops engine = variant(simd, points[seed % 4], capacity);
        assert_int_equal(stream_make_random(&s, seed * 7927), 0);
        assert_int_equal(stream_add_operations(&s, seed % 5 ? OPERATIONS : DJ_CAN_INVALIDATE), 0);
        compare(dj_engine_find("stack"), &engine, &s, OPERATIONS | ((uint32_t)seed & ALL));
        stream_free(&s);
    }
    for (size_t order = 0; order < sizeof stream_orders / sizeof stream_orders[0]; order++) {
        stream s;
        dj_engine_ops engine = variant(simd, points[order % 4], capacity);
        assert_int_equal(
            stream_make(&s, order, &stream_orders[order], &stream_key_kinds[order % 7], 60000, 7000), 0);
        assert_int_equal(stream_add_operations(&s, order % 3 ? OPERATIONS : DJ_CAN_INVALIDATE), 0);
        compare(dj_engine_find("tree"), &engine, &s, OPERATIONS | (order % 2 ? ALL : 0));
        stream_free(&s);
    }
}

static void check_set(const char *simd)
{
    unsigned char capacity[OPTIONS_ROOM];
    dj_engine_ops engine = variant(simd, 8, capacity);
    if (!machine_has(&engine)) {
        print_message("this machine has no %s\n", simd);
        skip();
    }
    for (uint64_t seed = 1; seed <= STREAMS; seed++) {
        stream s;
        engine = variant(simd, points[seed % 4], capacity);
        assert_int_equal(stream_make_random(&s, seed * 7919), 0);
        compare(dj_engine_find("stack"), &engine, &s, (uint32_t)seed & ALL);
        stream_free(&s);
    }
    for (size_t order = 0; order < sizeof stream_orders / sizeof stream_orders[0]; order++) {
        stream s;
        engine = variant(simd, points[order % 4], capacity);
        assert_int_equal(
            stream_make(&s, order, &stream_orders[order], &stream_key_kinds[order % 7], 60000, 7000), 0);
        compare(dj_engine_find("tree"), &engine, &s, order % 2 ? ALL : 0);
        stream_free(&s);
    }
    check_operations(simd);
}

static void test_portable(void **state)
{
    (void)state;
    check_set("portable");
}

static void test_avx2(void **state)
{
    (void)state;
    check_set("avx2");
}

static void test_avx512(void **state)
{
    (void)state;
    check_set("avx512");
}

// Two levels of counts above groups.
static void test_operations_on_a_long_timeline(void **state)
{
    (void)state;
    unsigned char capacity[OPTIONS_ROOM];
    dj_engine_ops engine = variant("auto", 64, capacity);
    stream s;
    assert_int_equal(stream_make(&s, 8, &stream_orders[0], &stream_key_kinds[2], 1200000, 30000), 0);
    assert_int_equal(stream_add_operations(&s, OPERATIONS), 0);
    compare(dj_engine_find("tree"), &engine, &s, OPERATIONS);
    stream_free(&s);
}

static void test_bad_options(void **state)
{
    (void)state;
    unsigned char capacity[OPTIONS_ROOM];
    dj_engine_ops engine = variant("portable", 1, capacity);
    dj_engine_params params = {.options = engine.default_options};
    void *made = NULL;
    assert_int_equal(engine.create(context, &params, &made), DJ_ERR_USAGE);
    assert_null(made);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_portable),    cmocka_unit_test(test_avx2),
        cmocka_unit_test(test_avx512),      cmocka_unit_test(test_operations_on_a_long_timeline),
        cmocka_unit_test(test_bad_options),
    };
    return cmocka_run_group_tests(tests, make_context, drop_context);
}
