// SPDX-License-Identifier: MIT
// Engine hprda-gpu compared with hprda, which unit/engine/test_hprda compares with the paper: the same
// estimates, access by access and counted, whatever the sizes. On an emulated device and, if there is
// one, on a real one.
#include "gpu/hprda_run.h"

static void test_small(void **state)
{
    (void)state;
    static const uint64_t sizes[] = {1, 2, 3, 7, 16, 31, 33, 100},
                          fragments[] = {1, 5, 63, 64, 65, 333, 1000, 5000, 1 << 16};
    for (uint64_t seed = 1; seed <= 216; seed++) {
        stream s;
        trial t = make_trial(sizes[seed % 8], fragments[seed / 8 % 9], (int)(seed % 3), seed);
        assert_int_equal(stream_make_random(&s, seed * 32452843), 0);
        s.count = s.count < 3000 ? s.count : 3000;
        s.count = t.options.common.fragment < 63 && s.count > 300 ? 300 : s.count;
        t.drain_every = seed % 5 == 0 ? 1 + seed : 0;
        t.options.few = seed % 12 == 0 ? 50 : UINT64_MAX; // engine gpu takes a while to start
        assert_same(&s, t);
        stream_free(&s);
    }
}

// Pieces around the size where local arrays leave shared memory, and where their sums begin; several
// blocks of pieces; fragments that end in the middle of one.
static void test_large(void **state)
{
    (void)state;
    static const struct {
        uint64_t st, fragment;
        size_t count;
    } choices[] = {{2048, 1 << 20, 150000}, {2049, 140000, 150000},    {2047, 1 << 20, 30000},
                   {5000, 40000, 100000},   {1 << 20, 1 << 20, 60000}, {256, 50000, 60000},
                   {64, 4096, 40000},       {1025, 70000, 70000}};
    for (size_t i = 0; i < sizeof choices / sizeof *choices; i++)
        for (size_t order = i % 2; order < sizeof stream_orders / sizeof *stream_orders; order += 4) {
            stream s;
            assert_int_equal(stream_make(&s, order + 31 * i, &stream_orders[order], &stream_key_kinds[i % 3],
                                         choices[i].count, 9000),
                             0);
            assert_same(&s, make_trial(choices[i].st, choices[i].fragment, (int)((i + order) % 3), i));
            stream_free(&s);
        }
}

// More than one buffer in flight to the device and back.
static void test_buffers(void **state)
{
    (void)state;
    stream s;
    assert_int_equal(stream_make(&s, 3, &stream_orders[6], &stream_key_kinds[0], (3 << 18) + 4321, 5000), 0);
    assert_same(&s, make_trial(2048, 1 << 21, DJ_HPRDA_PAPER, 3));
    stream_free(&s);
}

static void test_steps(void **state)
{
    (void)state;
    stream s;
    outcome o;
    trial t = make_trial(64, 20000, DJ_HPRDA_PAPER, 5);
    t.totals = true;
    assert_int_equal(stream_make(&s, 9, &stream_orders[0], &stream_key_kinds[0], 30000, 300), 0);
    assert_int_equal(run(&dj_engine_hprda_gpu, &s, &t, &o), DJ_OK);
    assert_int_equal(o.steps, 0);
    outcome_free(&o);
    t.options.timed = true;
    assert_int_equal(run(&dj_engine_hprda_gpu, &s, &t, &o), DJ_OK);
    assert_int_equal(o.steps, 5);
    assert_string_equal(o.step[1].name, "local analysis");
    assert_string_equal(o.step[4].name, "adjustment");
    for (size_t i = 0; i < o.steps; i++)
        assert_true(o.step[i].seconds >= 0 && o.step[i].bytes > 0);
    outcome_free(&o);
    stream_free(&s);
}

static void test_options_are_checked(void **state)
{
    (void)state;
    static const dj_hprda_gpu_options bad[] = {{.common = {1, 0, 100, 0}},
                                               {.common = {1, UINT64_C(1) << 40, 100, 0}},
                                               {.common = {1, 10, 0, 0}},
                                               {.common = {1, 10, UINT64_C(1) << 33, 0}}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        void *engine = NULL;
        const dj_engine_params params = {.options = &bad[i]};
        assert_int_equal(dj_engine_hprda_gpu.create(context, &params, &engine), DJ_ERR_USAGE);
        assert_null(engine);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_small),
        cmocka_unit_test(test_large),
        cmocka_unit_test(test_buffers),
        cmocka_unit_test(test_steps),
        cmocka_unit_test(test_options_are_checked),
    };
    dj_context *own = NULL;
    int err = dj_context_create(&own);
    if (!err)
        err = dj_engine_hprda_gpu.find_device(own);
    dj_context_destroy(own);
    return err == DJ_ERR_DEVICE ? 77 : cmocka_run_group_tests(tests, make_context, drop_context);
}
