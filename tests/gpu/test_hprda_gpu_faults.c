// SPDX-License-Identifier: MIT
// Engine hprda-gpu if the device has too little memory, fails or is absent.
#include "gpu/emulate/emulate.h"
#include "gpu/hprda_run.h"

// The same answers from the processors, with a warning.
static void test_too_little_memory(void **state)
{
    (void)state;
    stream s;
    trial t = make_trial(100, 3000, DJ_HPRDA_PAPER, 5);
    assert_int_equal(stream_make(&s, 9, &stream_orders[0], &stream_key_kinds[0], 20000, 700), 0);
    dj_emulated_memory(50000);
    assert_string_equal(dj_context_warning(context), "");
    assert_same(&s, t);
    assert_int_equal(dj_emulated_held(), 0);
    assert_non_null(strstr(dj_context_warning(context), "engine hprda"));
    t.drain_every = 1000;
    assert_same(&s, t);
    dj_emulated_memory(UINT64_C(1) << 40);
    stream_free(&s);
}

static void test_bytes_are_enough(void **state)
{
    (void)state;
    for (uint64_t fragment = 1; fragment < 2000000; fragment = fragment * 3 + 1)
        for (int totals = 0; totals < 2; totals++) {
            const dj_gpu_hprda_config config = {.fragment = fragment, .st = 3000, .totals = totals};
            dj_gpu_hprda *gpu = NULL;
            assert_int_equal(dj_gpu_hprda_open(context, &config, &gpu), DJ_OK);
            assert_true(dj_emulated_used() <= dj_gpu_hprda_bytes(&config));
            assert_true(dj_emulated_used() > 0);
            dj_gpu_hprda_close(gpu);
        }
    const dj_gpu_hprda_config paper = {.fragment = 1 << 26, .st = 2048, .totals = true};
    assert_true(dj_gpu_hprda_bytes(&paper) < (UINT64_C(57) << 26));
}

// Whichever call fails, it is reported, nothing is leaked, and no work is lost in the device.
static void test_every_failure(void **state)
{
    (void)state;
    enum { UNKNOWN = 999 }; // cudaErrorUnknown
    stream s;
    trial t = make_trial(50, 700, DJ_HPRDA_ALWAYS, 5);
    assert_int_equal(stream_make(&s, 9, &stream_orders[0], &stream_key_kinds[0], 1500, 300), 0);
    for (int totals = 0; totals < 2; totals++) {
        size_t failures = 0;
        int err = DJ_ERR_DEVICE;
        t.totals = totals;
        t.options.few = totals ? 0 : UINT64_MAX;
        for (uint64_t after = 0; err; after += totals ? 9 : 1) {
            outcome o;
            dj_emulated_fail(after, UNKNOWN);
            err = run(&dj_engine_hprda_gpu, &s, &t, &o);
            dj_emulated_fail(0, 0);
            assert_true(!err || err == DJ_ERR_DEVICE);
            failures += err != 0;
            outcome_free(&o);
            assert_int_equal(dj_emulated_held(), 0);
        }
        assert_true(failures > 30);
    }
    stream_free(&s);
}

static void test_absent(void **state)
{
    (void)state;
    void *engine = NULL;
    const dj_engine_params params = {0};
    dj_emulated_absent(true);
    assert_int_equal(dj_engine_hprda_gpu.find_device(context), DJ_ERR_DEVICE);
    assert_int_equal(dj_engine_hprda_gpu.create(context, &params, &engine), DJ_ERR_DEVICE);
    assert_null(engine);
    dj_emulated_absent(false);
    assert_int_equal(dj_engine_hprda_gpu.find_device(context), DJ_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_too_little_memory),
        cmocka_unit_test(test_bytes_are_enough),
        cmocka_unit_test(test_every_failure),
        cmocka_unit_test(test_absent),
    };
    return cmocka_run_group_tests(tests, make_context, drop_context);
}
