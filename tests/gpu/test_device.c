// SPDX-License-Identifier: MIT
// A device returns for a stream, chunk by chunk, bit for bit what engines on the processor return,
// whatever the chunks are. On an emulated device and, if there is one, on a real one.
#include "gpu/device_run.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
// cmocka needs the four above it
#include <cmocka.h>

#include "support/context.h"

enum { ORDERS = sizeof stream_orders / sizeof stream_orders[0] };
enum { KINDS = sizeof stream_key_kinds / sizeof stream_key_kinds[0] };

static const dj_engine_ops *oracle(size_t count)
{
    return dj_engine_find(count > 5000 ? "tree" : "stack");
}

// The counts of the device are right if subtracting the expected ones leaves nothing.
static void check_totals(const answers *expected, dj_histogram *totals, uint64_t cold)
{
    dj_histogram *right = NULL;
    uint64_t cold_right = 0;
    assert_int_equal(dj_histogram_create(context, &right), DJ_OK);
    for (size_t i = 0; i < expected->count; i++)
        if (expected->distance[i] == DJ_COLD)
            cold_right++;
        else
            assert_int_equal(dj_histogram_add(right, context, expected->distance[i], 1), DJ_OK);
    assert_int_equal(cold, cold_right);
    for (uint64_t a = 0, b = 0;; a++, b++) {
        uint64_t na = dj_histogram_next(right, &a), nb = dj_histogram_next(totals, &b);
        assert_int_equal(na, nb);
        if (na == 0)
            break;
        assert_int_equal(a, b);
    }
    dj_histogram_destroy(right);
}

static void check(const stream *s, const device_run *run)
{
    answers expected = {0}, got = {0};
    dj_histogram *totals = NULL;
    uint64_t cold = 0;
    assert_null(
        answers_get(&expected, oracle(s->count), context, s, s->count, DJ_CAN_TAGS | DJ_CAN_TIMES, s->seed));
    assert_int_equal(dj_histogram_create(context, &totals), DJ_OK);
    int err = device_answers(context, run, s, s->count, &got, totals, &cold);
    difference d = {.what = err ? dj_context_message(context) : NULL};
    if (!err && run->config.use & DJ_CAN_TOTALS)
        check_totals(&expected, totals, cold);
    else if (!err)
        d = answers_compare(&expected, &got);
    got.stats.bytes = got.stats.peak_bytes = 1; // devices do not report these
    if (!d.what)
        d = answers_compare_order(&expected, &got);
    if (d.what) {
        d.prefix = s->count;
        print_message("chunk %llu, filled %llu, carried %llu, put %llu\n",
                      (unsigned long long)run->config.chunk, (unsigned long long)run->filled,
                      (unsigned long long)run->config.key_capacity, (unsigned long long)run->most_put);
        difference_print(&d, oracle(0), s, run->config.use);
    }
    assert_null(d.what);
    dj_histogram_destroy(totals);
    answers_free(&expected);
    answers_free(&got);
}

static const uint32_t uses[] = {0, DJ_CAN_TOTALS, DJ_CAN_TAGS, DJ_CAN_TIMES, DJ_CAN_TAGS | DJ_CAN_TIMES};

static void test_random_streams(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 150; seed++) {
        stream s;
        assert_int_equal(stream_make_random(&s, seed), 0);
        uint64_t rng = seed, chunk = 1 + random_below(&rng, s.count / 2 + 10);
        device_run run = {.config = {.chunk = chunk,
                                     .key_capacity = random_below(&rng, 2) ? s.count : random_below(&rng, 20),
                                     .use = uses[random_below(&rng, 5)],
                                     .timed = random_below(&rng, 2)},
                          .most_put = 1 + random_below(&rng, 1000),
                          .filled = 1 + random_below(&rng, chunk)};
        if (s.count / run.filled < 200) // a chunk costs as much as its keys
            check(&s, &run);
        stream_free(&s);
    }
}

static void check_one(uint64_t seed, size_t order, size_t keys, size_t count, uint64_t range, uint64_t chunk,
                      uint32_t use)
{
    stream s;
    device_run run = {
        .config = {.chunk = chunk, .key_capacity = range, .use = use}, .most_put = 1 << 16, .filled = chunk};
    assert_int_equal(stream_make(&s, seed, &stream_orders[order], &stream_key_kinds[keys], count, range), 0);
    check(&s, &run);
    stream_free(&s);
}

static void test_all_kinds(void **state)
{
    (void)state;
    for (size_t order = 0; order < ORDERS; order++)
        for (size_t keys = 0; keys < KINDS; keys++)
            check_one(order, order, keys, 9000, 700, order % 2 ? 9000 : 4000, uses[(order + keys) % 5]);
}

// Sizes of warps and tiles, where shared memory ends, and where another pass begins (over 2^17).
static void test_borders(void **state)
{
    (void)state;
    static const size_t borders[] = {1, 32, 256, 4096, 8192, 12288};
    for (size_t i = 0; i < sizeof borders / sizeof borders[0]; i++)
        for (size_t count = borders[i] - 1; count <= borders[i] + 1; count++) {
            check_one(count, 0, 2, count, count / 3 + 1, count + 1, DJ_CAN_TOTALS);
            check_one(count, 0, 0, count, count / 3 + 1, count + 1, 0);
        }
    check_one(1, 0, 2, 131072, 1000, 131072, DJ_CAN_TOTALS);
    check_one(2, 0, 2, 131072 + 1, 50000, 131072 + 1, DJ_CAN_TAGS);
}

// A single key, and keys that never recur: only reuses, or only cold misses.
static void test_ends(void **state)
{
    (void)state;
    for (size_t order = 4; order <= 5; order++) // one key, all cold
        for (uint64_t chunk = 1000; chunk <= 40000; chunk *= 6) {
            check_one(7, order, 2, 20000, 20000, chunk, DJ_CAN_TOTALS);
            check_one(7, order, 2, 20000, 20000, chunk, DJ_CAN_TAGS);
        }
}

static void test_many_chunks(void **state)
{
    (void)state;
    static const uint64_t chunks[] = {1, 31, 100, 4095, 4096, 4097, 6000};
    for (size_t i = 0; i < sizeof chunks / sizeof chunks[0]; i++)
        check_one(i, 6, 2, chunks[i] * (i < 3 ? 40 : 5) + 17, 500, chunks[i], uses[i % 5]);
}

// A device keeps its state, and what was put, when it grows.
static void test_grows(void **state)
{
    (void)state;
    for (size_t u = 0; u < sizeof uses / sizeof uses[0]; u++) {
        stream s;
        assert_int_equal(stream_make(&s, u, &stream_orders[0], &stream_key_kinds[2], 6000, 900), 0);
        device_run run = {.config = {.chunk = 500, .key_capacity = 100, .use = uses[u]},
                          .most_put = 123,
                          .filled = 400,
                          .grows = true};
        check(&s, &run);
        stream_free(&s);
    }
}

// A device that begins with the state of another answers as if it had seen the same accesses.
static void test_begins_with_an_order(void **state)
{
    (void)state;
    stream s;
    answers whole, first, got = {0};
    assert_int_equal(stream_make(&s, 5, &stream_orders[6], &stream_key_kinds[2], 5000, 900), 0);
    assert_null(answers_get(&whole, oracle(0), context, &s, 5000, DJ_CAN_TAGS | DJ_CAN_TIMES, 1));
    assert_null(answers_get(&first, oracle(0), context, &s, 2000, DJ_CAN_TAGS | DJ_CAN_TIMES, 1));
    stream rest = s;
    rest.key += 2000;
    rest.tag += 2000;
    rest.time += 2000;
    device_run run = {.config = {.chunk = 1000, .key_capacity = 900, .use = DJ_CAN_TAGS | DJ_CAN_TIMES},
                      .most_put = 300,
                      .filled = 1000,
                      .order = &first.order};
    assert_int_equal(device_answers(context, &run, &rest, 3000, &got, NULL, NULL), DJ_OK);
    for (size_t i = 0; i < 3000; i++) {
        assert_int_equal(got.distance[i], whole.distance[2000 + i]);
        assert_int_equal(got.prev_tag[i], whole.prev_tag[2000 + i]);
        assert_int_equal(got.prev_time[i], whole.prev_time[2000 + i]);
    }
    answers_free(&whole);
    answers_free(&first);
    answers_free(&got);
    stream_free(&s);
}

static void test_from_device_memory(void **state)
{
    (void)state;
    enum { N = 10000, KEYS = 4000 };
    static uint64_t keys[N];
    void *held = NULL;
    dj_gpu *gpu = NULL;
    dj_histogram *totals = NULL;
    uint64_t ticket = 0, distinct = 0, cold = 0, value = 0;
    for (uint64_t i = 0; i < N; i++)
        keys[i] = i % KEYS << 20;
    assert_int_equal(dj_histogram_create(context, &totals), DJ_OK);
    assert_int_equal(dj_gpu_allocate(context, keys, sizeof keys, &held), DJ_OK);
    dj_gpu_config config = {.chunk = N, .key_capacity = KEYS, .use = DJ_CAN_TOTALS};
    assert_int_equal(dj_gpu_open(context, &config, &gpu), DJ_OK);
    assert_int_equal(dj_gpu_put(gpu, context, &(dj_gpu_columns){.key = held}, N, &ticket), DJ_OK);
    assert_int_equal(dj_gpu_analyze(gpu, context, NULL), DJ_OK);
    assert_int_equal(dj_gpu_wait_put(gpu, context, ticket), DJ_OK);
    assert_int_equal(dj_gpu_finish(gpu, context, &distinct), DJ_OK);
    assert_int_equal(dj_gpu_totals(gpu, context, totals, &cold), DJ_OK);
    assert_int_equal(distinct, KEYS);
    assert_int_equal(cold, KEYS);
    assert_int_equal(dj_histogram_next(totals, &value), N - KEYS);
    assert_int_equal(value, KEYS - 1);
    dj_gpu_close(gpu);
    dj_gpu_free(held);
    dj_histogram_destroy(totals);
}

// Device memory is released, run after run.
static void test_no_leak(void **state)
{
    (void)state;
    dj_gpu_info before, after;
    check_one(1, 0, 2, 3000, 500, 1000, DJ_CAN_TAGS);
    assert_int_equal(dj_gpu_find(context, &before), DJ_OK);
    for (unsigned i = 0; i < 100; i++)
        check_one(i, 0, 2, 300, 50, 300, uses[i % 5]);
    assert_int_equal(dj_gpu_find(context, &after), DJ_OK);
    assert_true(after.free_bytes >= before.free_bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_streams),
        cmocka_unit_test(test_all_kinds),
        cmocka_unit_test(test_borders),
        cmocka_unit_test(test_ends),
        cmocka_unit_test(test_many_chunks),
        cmocka_unit_test(test_grows),
        cmocka_unit_test(test_begins_with_an_order),
        cmocka_unit_test(test_from_device_memory),
        cmocka_unit_test(test_no_leak),
    };
    dj_gpu_info info;
    make_context(NULL);
    int err = dj_gpu_find(context, &info);
    if (err == DJ_ERR_DEVICE)
        printf("skipped: %s\n", dj_context_message(context));
    drop_context(NULL);
    return err == DJ_ERR_DEVICE ? 77 : cmocka_run_group_tests(tests, make_context, drop_context);
}
