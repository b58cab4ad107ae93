// SPDX-License-Identifier: MIT
// Whichever CUDA call fails: an error or the right answers, and everything is released.
#include "gpu/device_run.h"
#include "gpu/emulate/emulate.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
// cmocka needs the four above it
#include <cmocka.h>

#include "support/context.h"

enum { OUT_OF_MEMORY = 2, LAUNCH_FAILURE = 719 }; // CUDA's numbers
enum { COUNT = 500, KEYS = 100 };
static const uint64_t PLENTY = UINT64_C(1) << 30;

static stream s;
static answers expected;

static int make_stream(void **state)
{
    make_context(state);
    if (stream_make(&s, 11, &stream_orders[6], &stream_key_kinds[2], COUNT, KEYS))
        return -1;
    return answers_get(&expected, dj_engine_find("stack"), context, &s, COUNT, DJ_CAN_TAGS | DJ_CAN_TIMES, 1)
               ? -1
               : 0;
}

static int drop_stream(void **state)
{
    answers_free(&expected);
    stream_free(&s);
    return drop_context(state);
}

// Runs it, and makes sure that nothing is leaked. `key_capacity` is too small at first, so that a
// second device takes over.
static int run_once(uint32_t use)
{
    device_run run = {
        .config = {.chunk = 200, .key_capacity = 10, .use = use}, .most_put = 70, .filled = 200};
    answers got = {0};
    dj_histogram *totals = NULL;
    uint64_t cold = 0;
    assert_int_equal(dj_histogram_create(context, &totals), DJ_OK);
    int err = device_answers(context, &run, &s, COUNT, &got, totals, &cold);
    if (!err && use & DJ_CAN_TOTALS) {
        uint64_t sum = cold;
        for (uint64_t value = 0, n; (n = dj_histogram_next(totals, &value)) != 0; value++)
            sum += n;
        assert_int_equal(sum, COUNT);
    } else if (!err)
        assert_null(answers_compare(&expected, &got).what);
    if (!err) {
        got.stats.bytes = got.stats.peak_bytes = 1;
        assert_null(answers_compare_order(&expected, &got).what);
    }
    answers_free(&got);
    dj_histogram_destroy(totals);
    assert_int_equal(dj_emulated_held(), 0);
    assert_int_equal(dj_emulated_used(), 0);
    return err;
}

static void fail_each_call(uint32_t use, int error, int becomes)
{
    uint64_t before = dj_emulated_calls(), failed = 0;
    assert_int_equal(run_once(use), DJ_OK);
    uint64_t calls = dj_emulated_calls() - before;
    for (uint64_t i = 0; i < calls; i++) {
        dj_emulated_fail(i, error);
        int err = run_once(use);
        assert_true(err == DJ_OK || err == becomes || err == DJ_ERR_DEVICE);
        failed += err != DJ_OK;
    }
    dj_emulated_fail(0, 0);
    assert_int_equal(run_once(use), DJ_OK);
    assert_true(failed > calls / 2); // calls at the end of a run may fail silently
}

static void test_every_call_is_checked(void **state)
{
    (void)state;
    fail_each_call(DJ_CAN_TOTALS, LAUNCH_FAILURE, DJ_ERR_DEVICE);
    fail_each_call(DJ_CAN_TAGS | DJ_CAN_TIMES, LAUNCH_FAILURE, DJ_ERR_DEVICE);
    fail_each_call(0, OUT_OF_MEMORY, DJ_ERR_MEMORY);
}

static void test_memory_is_as_reported(void **state)
{
    (void)state;
    static const uint32_t uses[] = {0, DJ_CAN_TOTALS, DJ_CAN_TAGS | DJ_CAN_TIMES};
    for (unsigned i = 0; i < 3; i++) {
        dj_gpu_config config = {.chunk = 10000, .key_capacity = 777, .use = uses[i]};
        uint64_t bytes = dj_gpu_bytes(&config);
        dj_gpu *gpu = NULL;
        dj_emulated_memory(bytes);
        assert_int_equal(dj_gpu_open(context, &config, &gpu), DJ_OK);
        assert_int_equal(dj_emulated_used(), bytes);
        dj_gpu_close(gpu);
        gpu = NULL;
        dj_emulated_memory(bytes - 1);
        assert_int_equal(dj_gpu_open(context, &config, &gpu), DJ_ERR_MEMORY);
        assert_null(gpu);
        dj_emulated_memory(PLENTY);
        assert_int_equal(dj_emulated_held(), 0);
    }
}

static void test_no_device(void **state)
{
    (void)state;
    dj_gpu_info info;
    dj_gpu *gpu = NULL;
    dj_gpu_config config = {.chunk = 100, .key_capacity = 100};
    dj_emulated_absent(true);
    assert_int_equal(dj_gpu_find(context, &info), DJ_ERR_DEVICE);
    assert_true(strlen(info.why) > 0);
    assert_non_null(strstr(dj_context_message(context), info.why));
    assert_int_equal(dj_gpu_open(context, &config, &gpu), DJ_ERR_DEVICE);
    dj_emulated_absent(false);
    assert_int_equal(dj_gpu_find(context, &info), DJ_OK);
    assert_string_equal(info.name, "emulated");
    assert_int_equal(info.bytes, PLENTY);
}

static void test_refuses_what_is_too_much(void **state)
{
    (void)state;
    dj_gpu *gpu = NULL;
    const dj_gpu_config bad[] = {{.chunk = 0, .key_capacity = 1},
                                 {.chunk = DJ_GPU_MOST, .key_capacity = 0},
                                 {.chunk = 1, .key_capacity = DJ_GPU_MOST - 1},
                                 {.chunk = UINT64_MAX, .key_capacity = UINT64_MAX}};
    for (unsigned i = 0; i < 4; i++)
        assert_int_equal(dj_gpu_open(context, &bad[i], &gpu), DJ_ERR_USAGE);
    dj_gpu_config config = {.chunk = 10, .key_capacity = 2, .use = DJ_CAN_TOTALS};
    uint64_t ticket;
    assert_int_equal(dj_gpu_open(context, &config, &gpu), DJ_OK);
    assert_int_equal(dj_gpu_put(gpu, context, &(dj_gpu_columns){.key = s.key}, 11, &ticket), DJ_ERR_USAGE);
    assert_int_equal(dj_gpu_begin(gpu, context, &expected.order), DJ_ERR_UNSUPPORTED);
    dj_gpu_close(gpu);
    dj_gpu_close(NULL);
    assert_int_equal(dj_emulated_held(), 0);
}

// What was put but not analyzed is released.
static void test_closed_in_between(void **state)
{
    (void)state;
    dj_gpu_config config = {.chunk = COUNT, .key_capacity = KEYS, .use = DJ_CAN_TOTALS};
    for (unsigned i = 0; i < 4; i++) {
        uint64_t ticket = 0;
        dj_gpu *gpu = NULL;
        dj_emulated_late(i % 2);
        assert_int_equal(dj_gpu_open(context, &config, &gpu), DJ_OK);
        assert_int_equal(dj_gpu_put(gpu, context, &(dj_gpu_columns){.key = s.key}, COUNT, &ticket), DJ_OK);
        if (i >= 2)
            assert_int_equal(dj_gpu_analyze(gpu, context, NULL), DJ_OK);
        dj_gpu_close(gpu);
        assert_int_equal(dj_emulated_held(), 0);
    }
    dj_emulated_late(false);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_call_is_checked),
        cmocka_unit_test(test_memory_is_as_reported),
        cmocka_unit_test(test_no_device),
        cmocka_unit_test(test_closed_in_between),
        cmocka_unit_test(test_refuses_what_is_too_much),
    };
    return cmocka_run_group_tests(tests, make_stream, drop_stream);
}
