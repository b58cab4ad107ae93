// SPDX-License-Identifier: MIT
// The comparison that test_engines relies on detects wrong engines: each one here is `stack` with one
// thing broken.
#include "support/engine_compare.h"

#include <setjmp.h>
#include <stdarg.h>
// cmocka needs the four above it
#include <cmocka.h>

enum { ALL = DJ_CAN_TAGS | DJ_CAN_TIMES | DJ_CAN_WEIGHTS };

static dj_context *context;
static stream sample; // a b c … j, j … c b a, a b c … j

static int set_up(void **state)
{
    (void)state;
    if (dj_context_create(&context) != DJ_OK)
        return -1;
    return stream_make(&sample, 5, &stream_orders[3], &stream_key_kinds[0], 30, 10);
}

static int tear_down(void **state)
{
    (void)state;
    stream_free(&sample);
    dj_context_destroy(context);
    return 0;
}

static const dj_engine_ops *right(void)
{
    return dj_engine_find("stack");
}

static int push_wrong_distance(void *state, dj_context *c, dj_work *work)
{
    int err = right()->push(state, c, work);
    for (size_t i = 0; i < work->count; i++)
        if (work->distance[i] == 7)
            work->distance[i] = 6;
    return err;
}

static int push_wrong_tag(void *state, dj_context *c, dj_work *work)
{
    int err = right()->push(state, c, work);
    if (work->count)
        work->prev_tag[0] ^= 1;
    return err;
}

static int push_wrong_time(void *state, dj_context *c, dj_work *work)
{
    int err = right()->push(state, c, work);
    for (size_t i = 0; i < work->count; i++)
        if (work->prev_time[i] == DJ_COLD)
            work->prev_time[i] = 0;
    return err;
}

static int push_wrong_bytes(void *state, dj_context *c, dj_work *work)
{
    int err = right()->push(state, c, work);
    for (size_t i = 0; i < work->count; i++)
        if (work->distance[i] == 3)
            work->byte_distance[i]++;
    return err;
}

static int pull_nothing(void *state, dj_context *c, dj_work **out)
{
    (void)state;
    (void)c;
    *out = NULL;
    return DJ_OK;
}

static int order_swapped(void *state, dj_context *c, dj_order *out)
{
    int err = right()->order(state, c, out);
    if (err == DJ_OK && out->count >= 4) {
        uint64_t key = out->key[2];
        out->key[2] = out->key[3];
        out->key[3] = key;
    }
    return err;
}

static int push_fails(void *state, dj_context *c, dj_work *work)
{
    (void)state;
    (void)work;
    return dj_fail(c, DJ_ERR_MEMORY, "made to fail");
}

static void stats_too_many(const void *state, dj_engine_stats *out)
{
    right()->stats(state, out);
    out->keys++;
}

static difference compare(const dj_engine_ops *engine)
{
    return compare_engines(right(), engine, context, &sample, ALL);
}

static void test_right_engine_passes(void **state)
{
    (void)state;
    assert_null(compare(right()).what);
}

// In the sample, distance 7 first occurs at the eighth access after the turn.
static void test_distance(void **state)
{
    (void)state;
    dj_engine_ops wrong = *right();
    wrong.push = push_wrong_distance;
    difference d = compare(&wrong);
    assert_string_equal(d.what, "distance");
    assert_int_equal(d.index, 17);
    assert_int_equal(d.prefix, 18);
    assert_int_equal(d.expected, 7);
    assert_int_equal(d.got, 6);
}

static void test_columns(void **state)
{
    (void)state;
    dj_engine_ops wrong = *right();
    wrong.push = push_wrong_tag;
    difference d = compare(&wrong);
    assert_string_equal(d.what, "previous tag");
    assert_int_equal(d.prefix, 1);
    wrong.push = push_wrong_time;
    d = compare(&wrong);
    assert_string_equal(d.what, "previous time");
    assert_int_equal(d.prefix, 1);
    wrong.push = push_wrong_bytes;
    d = compare(&wrong);
    assert_string_equal(d.what, "byte distance");
    assert_int_equal(d.prefix, 14);
}

static void test_order_and_counts(void **state)
{
    (void)state;
    dj_engine_ops wrong = *right();
    wrong.order = order_swapped;
    difference d = compare(&wrong);
    assert_string_equal(d.what, "key in the order");
    assert_int_equal(d.prefix, 4);
    wrong = *right();
    wrong.stats = stats_too_many;
    assert_string_equal(compare(&wrong).what, "number of keys");
}

static void test_protocol(void **state)
{
    (void)state;
    dj_engine_ops wrong = *right();
    wrong.pull = pull_nothing;
    assert_string_equal(compare(&wrong).what, "work that never came back");
    wrong = *right();
    wrong.push = push_fails;
    assert_string_equal(compare(&wrong).what, "an error from push");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_right_engine_passes),
        cmocka_unit_test(test_distance),
        cmocka_unit_test(test_columns),
        cmocka_unit_test(test_order_and_counts),
        cmocka_unit_test(test_protocol),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
