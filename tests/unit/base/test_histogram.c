// SPDX-License-Identifier: MIT
#include "base/random.h"
#include <deja/deja.h>

#include <math.h>
#include <setjmp.h>
#include <stdlib.h>

#include <cmocka.h>

#include "support/context.h"

static dj_histogram *make(void)
{
    dj_histogram *h;
    assert_int_equal(dj_histogram_create(context, &h), DJ_OK);
    return h;
}

static void add(dj_histogram *h, uint64_t value, uint64_t count)
{
    assert_int_equal(dj_histogram_add(h, context, value, count), DJ_OK);
}

static int compare_values(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

// Walks the histogram and the sorted values together.
static void check_against(const dj_histogram *h, uint64_t *values, size_t count)
{
    qsort(values, count, sizeof *values, compare_values);
    size_t at = 0;
    for (uint64_t v = 0, n; (n = dj_histogram_next(h, &v)) != 0; v++) {
        assert_true(at < count);
        assert_true(v == values[at]);
        for (uint64_t i = 0; i < n; i++, at++)
            assert_true(at < count && values[at] == v);
    }
    assert_int_equal(at, count);
}

// Small, medium (the array has to grow for them) and huge values.
static uint64_t random_value(dj_random *random)
{
    uint64_t x = dj_random_next(random);
    switch (x % 4) {
    case 0:
        return x % 100;
    case 1:
        return (x >> 8) % 400000;
    case 2:
        return (x >> 8) % 3000000;
    default:
        return x / 3;
    }
}

static void test_random_values(void **state)
{
    (void)state;
    enum { N = 200000 };
    uint64_t *values = malloc(N * sizeof *values);
    dj_random random;
    dj_random_seed(&random, 1);
    for (size_t i = 0; i < N; i++)
        values[i] = random_value(&random);
    dj_histogram *one = make(), *all = make(), *joined = make(), *rest = make();
    uint64_t cold = 77;
    for (size_t i = 0; i < N; i++) {
        add(one, values[i], 1);
        add(i % 3 ? joined : rest, values[i], 1);
    }
    assert_int_equal(dj_histogram_add_all(all, context, values, N, &cold), DJ_OK);
    assert_int_equal(cold, 0);
    assert_int_equal(dj_histogram_merge(joined, context, rest), DJ_OK);
    check_against(one, values, N);
    check_against(all, values, N);
    check_against(joined, values, N);
    dj_histogram_destroy(one);
    dj_histogram_destroy(all);
    dj_histogram_destroy(joined);
    dj_histogram_destroy(rest);
    free(values);
}

static uint64_t count_between(const uint64_t *values, size_t count, uint64_t from, uint64_t below)
{
    uint64_t n = 0;
    for (size_t i = 0; i < count; i++)
        n += values[i] >= from && values[i] < below;
    return n;
}

// Sums of any range, up and down, before and after the moments are known, and after more was added.
static void test_sums(void **state)
{
    (void)state;
    enum { N = 6000 };
    static uint64_t values[N];
    dj_random random;
    dj_random_seed(&random, 8);
    dj_histogram *h = make();
    for (size_t count = 0; count < N; count++) {
        values[count] = random_value(&random);
        add(h, values[count], 1);
        if (count % 500 == 0)
            (void)dj_histogram_moments(h);
        for (int i = 0; i < 6 && count % 250 == 0; i++) {
            uint64_t a = random_value(&random), b = i == 5 ? UINT64_MAX : random_value(&random), at = a;
            uint64_t first = a < b ? a : b, end = a < b ? b : a;
            assert_true(dj_histogram_sum(h, first, end) == count_between(values, count + 1, first, end));
            assert_true(dj_histogram_sum(h, end, first) == 0);
            uint64_t n = dj_histogram_next(h, &at);
            assert_true(n == (n ? count_between(values, count + 1, at, at + 1) : 0));
            assert_true(count_between(values, count + 1, a, n ? at : UINT64_MAX) == 0);
        }
    }
    dj_histogram_destroy(h);
}

// Walking between additions must not show an outdated order.
static void test_walk_while_growing(void **state)
{
    (void)state;
    dj_histogram *h = make();
    for (uint64_t i = 0; i < 20000; i++) {
        uint64_t value = 70000 + 3 * i, at = value;
        add(h, value, i + 1);
        if (i % 500 == 0) {
            assert_true(dj_histogram_next(h, &at) == i + 1);
            assert_true(at == value);
        }
    }
    dj_histogram_destroy(h);
}

// Counts that exceed one counter, one by one and at once.
static void test_large_counts(void **state)
{
    (void)state;
    const uint64_t most = UINT32_MAX, again[] = {5, 5, 5};
    dj_histogram *h = make(), *other = make();
    uint64_t cold, at = 0;
    add(h, 5, most - 1);
    assert_int_equal(dj_histogram_add_all(h, context, again, 3, &cold), DJ_OK);
    add(h, 5, 7 * most);
    assert_true(dj_histogram_next(h, &at) == 8 * most + 2 && at == 5);
    add(other, 5, 1);
    assert_int_equal(dj_histogram_merge(other, context, h), DJ_OK);
    assert_true(dj_histogram_next(other, &at) == 8 * most + 3 && at == 5);
    dj_histogram_destroy(h);
    dj_histogram_destroy(other);
}

// Counts of many values at once, dense and sparse, added to existing ones.
static void test_many_counts(void **state)
{
    (void)state;
    enum { N = 300000, SOME = 1000 };
    static const uint64_t firsts[] = {0, 1, 65535, 65536, 65537, 1000000, UINT64_C(1) << 45};
    dj_random random;
    dj_random_seed(&random, 4);
    uint64_t *counts = calloc(N, sizeof *counts);
    for (size_t variant = 0; variant < 2 * sizeof firsts / sizeof *firsts; variant++) {
        uint64_t first = firsts[variant / 2];
        dj_histogram *at_once = make(), *each = make(), *copy = make();
        for (size_t i = 0; i < N; i++) {
            uint64_t dice = dj_random_next(&random);
            bool used = variant % 2 ? i < SOME || dice % 5000 == 0 : dice % 3 != 0;
            counts[i] = !used ? 0 : dice % 100 == 7 ? UINT32_MAX + dice % 8 : dice % 50;
        }
        if (variant % 4 == 1)
            assert_int_equal(dj_histogram_reserve(at_once, context, (first + N) % 2000000), DJ_OK);
        for (uint64_t v = first; v < first + SOME; v++) {
            add(at_once, v, UINT32_MAX - 20);
            add(each, v, UINT32_MAX - 20);
        }
        const size_t part = variant / 2 % 2 ? N / 7 : N; // also in parts
        for (size_t i = 0; i < N; i += part)
            assert_int_equal(
                dj_histogram_add_counts(at_once, context, first + i, counts + i, N - i < part ? N - i : part),
                DJ_OK);
        for (size_t i = 0; i < N; i++)
            add(each, first + i, counts[i]);
        assert_int_equal(dj_histogram_merge(copy, context, each), DJ_OK);
        uint64_t sum = 0, half = 0;
        for (uint64_t v = 0, w = 0, x = 0, n; (n = dj_histogram_next(each, &v)) != 0; v++, w++, x++) {
            assert_true(dj_histogram_next(at_once, &w) == n && w == v);
            assert_true(dj_histogram_next(copy, &x) == n && x == v);
            assert_true(v >= first && n == counts[v - first] + (v - first < SOME ? UINT32_MAX - 20 : 0));
            half += v < first + N / 2 ? n : 0;
            sum += n;
        }
        assert_true(dj_histogram_sum(at_once, 0, first + N / 2) == half);
        assert_true(dj_histogram_moments(at_once).count == sum); // from now on sums of runs are known
        for (uint64_t from = 0; from < N; from += N / 11) {
            uint64_t some = 0;
            for (uint64_t i = from; i < from + 2000 && i < N; i++)
                some += counts[i] + (i < SOME ? UINT32_MAX - 20 : 0);
            assert_true(dj_histogram_sum(at_once, first + from, first + from + 2000) == some);
        }
        assert_true(dj_histogram_sum(at_once, 0, UINT64_MAX) == sum);
        assert_true(dj_histogram_sum(at_once, 0, first + N / 2) == half);
        assert_true(dj_histogram_sum(at_once, first + N / 2, UINT64_MAX) == sum - half);
        assert_true(dj_histogram_sum(at_once, first + 3, first + 4) == counts[3] + UINT32_MAX - 20);
        assert_true(dj_histogram_sum(at_once, first + 4, first + 4) == 0);
        dj_histogram_destroy(at_once);
        dj_histogram_destroy(each);
        dj_histogram_destroy(copy);
    }
    free(counts);
}

static void test_cold_is_counted_separately(void **state)
{
    (void)state;
    const uint64_t values[] = {3, DJ_COLD, 3, DJ_COLD, 0};
    dj_histogram *h = make();
    uint64_t cold;
    assert_int_equal(dj_histogram_add_all(h, context, values, 5, &cold), DJ_OK);
    assert_int_equal(cold, 2);
    assert_int_equal(dj_histogram_moments(h).count, 3);
    dj_histogram_destroy(h);
}

static void test_moments(void **state)
{
    (void)state;
    dj_histogram *h = make();
    dj_moments m = dj_histogram_moments(h);
    assert_int_equal(m.count, 0);
    assert_int_equal(m.max, 0);
    // 2 4 4 4 5 5 7 9: mean 5, population std 2, median 4.5.
    add(h, 2, 1);
    add(h, 4, 3);
    add(h, 5, 2);
    add(h, 7, 1);
    add(h, 9, 1);
    m = dj_histogram_moments(h);
    assert_int_equal(m.min, 2);
    assert_int_equal(m.max, 9);
    assert_true(m.mean == 5 && m.std == 2 && m.median == 4.5);
    add(h, 4, 1);
    assert_true(dj_histogram_moments(h).median == 4);
    dj_histogram_destroy(h);
}

// Exact integer sums over all values: the variance times count² is Σn·Σnv² − (Σnv)².
static void test_moments_by_definition(void **state)
{
    (void)state;
    enum { N = 200000 };
    typedef unsigned __int128 wide;
    dj_random random;
    dj_random_seed(&random, 9);
    for (uint64_t few = 2; few <= 100000; few = few * 10 + 1) {
        dj_histogram *h = make();
        uint64_t *counts = calloc(N, sizeof *counts);
        wide sum = 0, squares = 0;
        uint64_t count = 0;
        for (uint64_t i = 0; i < few; i++)
            counts[dj_random_next(&random) % N] += i % 3 ? i : (UINT64_C(1) << 33) + i;
        for (uint64_t v = 0; v < N; v++) {
            add(h, v, counts[v]);
            count += counts[v];
            sum += (wide)v * counts[v];
            squares += (wide)v * v * counts[v];
        }
        uint64_t below = 0, first = 0, last = N - 1, middle = 0;
        while (counts[first] == 0)
            first++;
        while (counts[last] == 0)
            last--;
        for (; below + counts[middle] <= count / 2; middle++)
            below += counts[middle];
        dj_moments m = dj_histogram_moments(h);
        long double mean = (long double)sum / (long double)count;
        long double variance = (long double)squares / (long double)count - mean * mean;
        assert_true(m.count == count && m.min == first && m.max == last);
        assert_true(fabsl((long double)m.mean - mean) <= mean * 1e-15L);
        assert_true(fabsl((long double)m.std * (long double)m.std - variance) <= variance * 1e-9L);
        // The median is between two values only if the ranks around it are.
        assert_true(below < count / 2 ? m.median == (double)middle : m.median <= (double)middle);
        free(counts);
        dj_histogram_destroy(h);
    }
}

static void test_moments_of_huge_values(void **state)
{
    (void)state;
    dj_histogram *h = make();
    const uint64_t huge = UINT64_C(1) << 63;
    add(h, huge, 1000000);
    add(h, huge + 2, 1000000);
    dj_moments m = dj_histogram_moments(h);
    assert_true(fabs(m.std - 1) < 1e-9);
    assert_true(m.mean == 9223372036854775809.0);
    dj_histogram_destroy(h);
}

static void check_bins(const dj_histogram *h, enum dj_binning how, uint64_t width, const dj_bin *want,
                       size_t count)
{
    dj_bin *bins;
    size_t n;
    assert_int_equal(dj_histogram_bins(h, context, how, width, &bins, &n), DJ_OK);
    assert_int_equal(n, count);
    for (size_t i = 0; i < n; i++)
        assert_true(bins[i].lo == want[i].lo && bins[i].hi == want[i].hi && bins[i].count == want[i].count);
    free(bins);
}

static void test_bins(void **state)
{
    (void)state;
    dj_histogram *h = make();
    add(h, 1, 5);
    add(h, 2, 1);
    add(h, 3, 2);
    add(h, 17, 4);
    // 2^64 - 1 is infinite, and in no bin.
    add(h, UINT64_MAX - 1, 1);
    const dj_bin linear[] = {{0, 9, 8}, {10, 19, 4}, {UINT64_MAX - 5, UINT64_MAX - 1, 1}};
    const dj_bin exact[] = {
        {1, 1, 5}, {2, 2, 1}, {3, 3, 2}, {17, 17, 4}, {UINT64_MAX - 1, UINT64_MAX - 1, 1}};
    check_bins(h, DJ_BINS_LINEAR, 10, linear, 3);
    check_bins(h, DJ_BINS_EXACT, 0, exact, 5);
    dj_histogram_destroy(h);
    h = make();
    add(h, 0, 3);
    add(h, 5, 1);
    add(h, 7, 1);
    const dj_bin log2[] = {{0, 0, 3}, {1, 1, 0}, {2, 3, 0}, {4, 7, 2}};
    check_bins(h, DJ_BINS_LOG2, 0, log2, 4);
    dj_bin *bins;
    size_t n;
    assert_int_equal(dj_histogram_bins(h, context, DJ_BINS_LINEAR, 0, &bins, &n), DJ_ERR_USAGE);
    dj_histogram_destroy(h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_values),
        cmocka_unit_test(test_sums),
        cmocka_unit_test(test_many_counts),
        cmocka_unit_test(test_moments_by_definition),
        cmocka_unit_test(test_walk_while_growing),
        cmocka_unit_test(test_large_counts),
        cmocka_unit_test(test_cold_is_counted_separately),
        cmocka_unit_test(test_moments),
        cmocka_unit_test(test_moments_of_huge_values),
        cmocka_unit_test(test_bins),
    };
    return cmocka_run_group_tests(tests, make_context, drop_context);
}
