// SPDX-License-Identifier: MIT
// Engine aet: the averages over windows compared with brute force, closed forms, constant memory, and the
// same result however the work is divided.
#include "engine/aet/aet.h"

#include <deja/engine.h>

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
// cmocka needs the four above it
#include <cmocka.h>

#include "base/random.h"
#include "support/context.h"

enum { MIB = 1 << 20 };

static void *make(enum dj_times_model model)
{
    const dj_aet_options options = {(int)model};
    const dj_engine_params params = {.use = DJ_CAN_TOTALS, .options = &options};
    void *state = NULL;
    assert_int_equal(dj_engine_find("aet")->create(context, &params, &state), DJ_OK);
    return state;
}

static void push(void *state, const uint64_t *keys, size_t count)
{
    const dj_engine_ops *engine = dj_engine_find("aet");
    dj_work work = {.count = count, .key = keys}, *answered = NULL;
    assert_int_equal(engine->push(state, context, &work), DJ_OK);
    assert_int_equal(engine->drain(state, context), DJ_OK);
    assert_int_equal(engine->pull(state, context, &answered), DJ_OK);
    assert_ptr_equal(answered, &work);
}

static dj_histogram *totals(void *state, uint64_t *cold)
{
    dj_histogram *h = NULL;
    *cold = 0;
    assert_int_equal(dj_histogram_create(context, &h), DJ_OK);
    assert_int_equal(dj_engine_find("aet")->totals(state, context, h, cold), DJ_OK);
    return h;
}

static uint64_t count_in(const dj_histogram *h)
{
    return dj_histogram_sum(h, 0, UINT64_MAX);
}

static dj_histogram *measure(enum dj_times_model model, const uint64_t *keys, size_t count, uint64_t *cold)
{
    void *state = make(model);
    push(state, keys, count);
    dj_histogram *h = totals(state, cold);
    dj_engine_find("aet")->destroy(state);
    assert_int_equal(count_in(h) + *cold, count);
    return h;
}

// Distinct keys in the window of `length` accesses that begins at `from`; positions before and after the
// trace have none.
static uint32_t distinct_in(const uint64_t *keys, int from, int length, int count)
{
    uint32_t found = 0;
    for (int i = from > 0 ? from : 0; i < from + length && i < count; i++) {
        bool first = true;
        for (int j = from > 0 ? from : 0; j < i; j++)
            first = first && keys[j] != keys[i];
        found += first;
    }
    return found;
}

// Over the windows within the trace, or, for AET, the windows that begin within it, if the keys after the
// end were all different from each other: the first access of a key has an infinite time distance.
static double average(enum dj_times_model model, const uint64_t *keys, int length, int count)
{
    double sum = 0;
    if (model == DJ_TIMES_FOOTPRINT) {
        for (int from = 0; from + length <= count; from++)
            sum += distinct_in(keys, from, length, count);
        return sum / (count - length + 1);
    }
    for (int i = 0; i < count; i++) { // Σ P(i) over i < length, from its definition
        int last = i;
        while (last > 0 && keys[last - 1] != keys[i])
            last--;
        sum += last == 0 || i - last + 1 > length ? length : i - last + 1;
    }
    return sum / count;
}

static size_t drop_repeats(const uint64_t *keys, size_t count, uint64_t *out)
{
    size_t n = 0;
    for (size_t i = 0; i < count; i++)
        if (i == 0 || keys[i] != keys[i - 1])
            out[n++] = keys[i];
    return n;
}

static void expect_average(enum dj_times_model model, const uint64_t *keys, size_t count)
{
    uint64_t cold, expected_cold = 0, trimmed[256];
    dj_histogram *got = measure(model, keys, count, &cold), *expected = NULL;
    assert_int_equal(dj_histogram_create(context, &expected), DJ_OK);
    const size_t n = drop_repeats(keys, count, trimmed);
    for (size_t i = 0; i < n; i++) {
        size_t before = i;
        while (before > 0 && trimmed[before - 1] != trimmed[i])
            before--;
        expected_cold += before == 0;
    }
    for (size_t i = 0; i < n; i++) {
        size_t before = i;
        while (before > 0 && trimmed[before - 1] != trimmed[i])
            before--;
        if (before == 0)
            continue;
        const double mean = average(model, trimmed, (int)(i - before), (int)n);
        const double most = (double)(expected_cold - 1);
        assert_int_equal(
            dj_histogram_add(expected, context, (uint64_t)((mean < most ? mean : most) + 0.5 + 1e-9), 1),
            DJ_OK);
    }
    assert_int_equal(cold, expected_cold);
    assert_int_equal(dj_histogram_sum(got, 0, 1), count - n); // repeats, and nothing else
    for (uint64_t v = 1, w = 1, a, b;; v++, w++) {
        a = dj_histogram_next(got, &v);
        b = dj_histogram_next(expected, &w);
        assert_int_equal(a, b);
        if (a == 0)
            break;
        assert_int_equal(v, w);
    }
    dj_histogram_destroy(got);
    dj_histogram_destroy(expected);
}

static void test_averages_over_windows(void **unused)
{
    (void)unused;
    dj_random random;
    dj_random_seed(&random, 1);
    for (int trial = 0; trial < 300; trial++) {
        uint64_t keys[120], kinds = 1 + dj_random_below(&random, 30);
        const size_t count = 2 + dj_random_below(&random, 118);
        for (size_t i = 0; i < count; i++)
            keys[i] = dj_random_below(&random, 4) == 0 ? dj_random_below(&random, 3)
                                                       : dj_random_below(&random, kinds);
        expect_average(DJ_TIMES_FOOTPRINT, keys, count);
        expect_average(DJ_TIMES_AET, keys, count);
    }
}

static uint64_t *fill(size_t count, uint64_t kinds, bool loop)
{
    uint64_t *keys = malloc(count * sizeof *keys);
    dj_random random;
    assert_non_null(keys);
    dj_random_seed(&random, kinds);
    for (size_t i = 0; i < count; i++)
        keys[i] = loop ? i % kinds : dj_random_below(&random, kinds);
    return keys;
}

// Each reuse of a loop over n keys has distance n − 1: P is 1 up to the time distance n, then 0.
static void test_loop(void **unused)
{
    (void)unused;
    static const uint64_t sizes[] = {2, 3, 100, 1000, 60000, 200000};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (int model = DJ_TIMES_FOOTPRINT; model <= DJ_TIMES_AET; model++) {
            const uint64_t n = sizes[i], count = 4 * n;
            uint64_t *keys = fill(count, n, true), cold;
            dj_histogram *h = measure((enum dj_times_model)model, keys, count, &cold);
            const bool all = n <= DJ_AET_KEYS;
            const uint64_t slack = all ? 0 : n / 50; // of a sample of 1 in 4
            assert_true(cold + slack >= n && cold <= n + slack);
            assert_int_equal(count_in(h), dj_histogram_sum(h, 0, 2) * !all +
                                              dj_histogram_sum(h, n - 1 - slack, n + slack));
            dj_histogram_destroy(h);
            free(keys);
        }
}

// Keys that are accessed independently, all equally often: a cache of c of n keys misses a share 1 − c/n.
static void test_uniform(void **unused)
{
    (void)unused;
    static const uint64_t sizes[] = {100, 5000, 150000};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        const uint64_t n = sizes[i], count = n < 10000 ? 1000000 : 3000000;
        uint64_t *keys = fill(count, n, false), cold;
        dj_histogram *h = measure(DJ_TIMES_FOOTPRINT, keys, count, &cold);
        for (uint64_t tenth = 1; tenth < 10; tenth++) {
            const uint64_t size = n * tenth / 10;
            // The cache is filled first: c of the first misses are due to that.
            const double ratio = (double)(count - dj_histogram_sum(h, 0, size)) / (double)count;
            const double filling = (double)n / (double)count;
            assert_true(fabs(ratio - (1 - (double)tenth / 10)) < 0.01 + filling * (double)tenth / 10);
        }
        dj_histogram_destroy(h);
        free(keys);
    }
}

static void test_work_of_any_size(void **unused)
{
    (void)unused;
    enum { COUNT = 300000 };
    uint64_t *keys = fill(COUNT, 200000, false), cold, expected_cold;
    dj_histogram *expected = measure(DJ_TIMES_FOOTPRINT, keys, COUNT, &expected_cold);
    void *state = make(DJ_TIMES_FOOTPRINT);
    dj_random random;
    dj_random_seed(&random, 7);
    for (size_t at = 0, more; at < COUNT; at += more) {
        more = dj_random_below(&random, 5000);
        more = more < COUNT - at ? more : COUNT - at;
        push(state, keys + at, more);
        if (dj_random_below(&random, 8) == 0) // on the way
            dj_histogram_destroy(totals(state, &cold));
    }
    dj_histogram *h = totals(state, &cold);
    assert_int_equal(cold, expected_cold);
    for (uint64_t v = 0, w = 0, n; (n = dj_histogram_next(expected, &v)) != 0; v++, w++) {
        assert_int_equal(dj_histogram_next(h, &w), n);
        assert_int_equal(v, w);
    }
    assert_int_equal(count_in(h), count_in(expected));
    dj_engine_find("aet")->destroy(state);
    dj_histogram_destroy(h);
    dj_histogram_destroy(expected);
    free(keys);
}

// Ten million keys, in the memory that the engine has from the beginning.
static void test_constant_memory(void **unused)
{
    (void)unused;
    enum { ROUND = 1 << 16 };
    const uint64_t keys = 10000000;
    static uint64_t some[ROUND];
    void *state = make(DJ_TIMES_FOOTPRINT);
    dj_engine_stats before, after;
    dj_engine_find("aet")->stats(state, &before);
    uint64_t next = 0, count = 0, cold;
    while (next < keys) {
        for (size_t i = 0; i < ROUND; i++)
            some[i] = next++ * UINT64_C(0x9e3779b97f4a7c15);
        push(state, some, ROUND);
        count += ROUND;
    }
    dj_engine_find("aet")->stats(state, &after);
    assert_int_equal(before.bytes, after.peak_bytes);
    assert_true(after.peak_bytes < 4 * MIB);
    assert_true(after.keys > DJ_AET_KEYS / 4 && after.keys <= DJ_AET_KEYS);
    dj_histogram *h = totals(state, &cold);
    assert_int_equal(count_in(h) + cold, count);
    assert_true(fabs((double)cold / (double)count - 1) < 0.02);
    dj_histogram_destroy(h);
    dj_engine_find("aet")->destroy(state);
}

static void test_edge_cases(void **unused)
{
    (void)unused;
    const uint64_t same[] = {5, 5, 5}, one[] = {UINT64_MAX};
    uint64_t cold;
    dj_histogram *h = measure(DJ_TIMES_FOOTPRINT, NULL, 0, &cold);
    assert_int_equal(cold, 0);
    dj_histogram_destroy(h);
    h = measure(DJ_TIMES_FOOTPRINT, one, 1, &cold);
    assert_int_equal(cold, 1);
    dj_histogram_destroy(h);
    h = measure(DJ_TIMES_AET, same, 3, &cold);
    assert_int_equal(cold, 1);
    assert_int_equal(dj_histogram_sum(h, 0, 1), 2);
    dj_histogram_destroy(h);
}

// One key has most accesses. Whether it is in the sample or not, all counts add up.
static void test_frequent_key(void **unused)
{
    (void)unused;
    enum { COUNT = 600000 };
    uint64_t *keys = fill(COUNT, 500000, false), cold;
    for (uint64_t hot = 1000000; hot < 1000012; hot++) {
        for (size_t i = 0; i < COUNT; i += 2)
            keys[i] = hot;
        dj_histogram *h = measure(DJ_TIMES_FOOTPRINT, keys, COUNT, &cold);
        // Distances of the others, with the hot key among every two accesses; half of them miss a small
        // cache.
        const double misses = (double)(COUNT - dj_histogram_sum(h, 0, 100)) / COUNT;
        assert_true(fabs(misses - 0.5) < 0.02);
        dj_histogram_destroy(h);
    }
    free(keys);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_averages_over_windows),
        cmocka_unit_test(test_loop),
        cmocka_unit_test(test_uniform),
        cmocka_unit_test(test_work_of_any_size),
        cmocka_unit_test(test_constant_memory),
        cmocka_unit_test(test_edge_cases),
        cmocka_unit_test(test_frequent_key),
    };
    return cmocka_run_group_tests(tests, make_context, drop_context);
}
