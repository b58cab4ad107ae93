// SPDX-License-Identifier: MIT
// Sharers that access common blocks in the same order are recognized, and independent ones are not, even if
// some blocks are far more popular than others.
#include "model/corun/correlation.h"
#include "support/sanitized.h"
#include "unit/model/corun_trace.h"

enum { SEEDS = 12 / SANITIZED_SHARE, ACCESSES = 20000, DATA_MOST = 3000 };

typedef double popularity(size_t rank, double strength);

static double by_zipf(size_t rank, double strength)
{
    return pow((double)rank + 1, -strength);
}

static double by_steps(size_t rank, double strength)
{
    return pow(strength, (double)rank);
}

// Independent accesses to data with the given popularity.
static void draw(corun_trace *t, uint64_t seed, popularity *of, double strength, size_t data)
{
    static double sums[DATA_MOST];
    dj_random random;
    dj_random_seed(&random, seed);
    *t = (corun_trace){.keys = malloc(ACCESSES * sizeof *t->keys), .count = ACCESSES};
    for (size_t i = 0; i < data; i++)
        sums[i] = (i ? sums[i - 1] : 0) + of(i, strength);
    for (size_t i = 0; i < t->count; i++) {
        const double at = dj_random_real(&random) * sums[data - 1];
        size_t low = 0, high = data - 1;
        while (low < high) {
            const size_t middle = (low + high) / 2;
            if (sums[middle] > at)
                high = middle;
            else
                low = middle + 1;
        }
        t->keys[i] = low;
    }
}

// Frees the traces.
static double correlation(corun_trace *first, corun_trace *second, bool of_second)
{
    corun_profile(first);
    corun_profile(second);
    const dj_corun_sharer sharers[] = {{first->joint, 1}, {second->joint, 1}};
    const dj_sharing_class class = {3, 1};
    const dj_corun corun = {.sharers = sharers, .count = 2, .classes = &class, .class_count = 1};
    const double result = dj_corun_correlation(&corun, of_second);
    corun_free(first);
    corun_free(second);
    return result;
}

static void test_popular_blocks(void **state)
{
    (void)state;
    static const struct {
        popularity *of;
        double strength;
        size_t data;
    } cases[] = {
        {by_zipf, 0, 20},      {by_zipf, 0, 500},   {by_zipf, 0, 3000},  {by_zipf, 0.6, 40},
        {by_zipf, 0.6, 500},   {by_zipf, 1, 20},    {by_zipf, 1, 40},    {by_zipf, 1, 500},
        {by_zipf, 1, 3000},    {by_zipf, 1.5, 40},  {by_zipf, 1.5, 500}, {by_zipf, 1.5, 3000},
        {by_zipf, 2, 500},     {by_steps, 0.6, 60}, {by_steps, 0.8, 40}, {by_steps, 0.9, 100},
        {by_steps, 0.97, 300},
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++)
        for (uint64_t seed = 0; seed < SEEDS; seed++) {
            corun_trace t[2];
            for (size_t i = 0; i < 2; i++)
                draw(&t[i], 1 + 2 * seed + i, cases[c].of, cases[c].strength, cases[c].data);
            const double found = correlation(&t[0], &t[1], seed % 2);
            if (found >= DJ_SAME_ORDER)
                print_error("case %zu, seed %d: %.3f\n", c, (int)seed, found);
            assert_true(found < DJ_SAME_ORDER);
        }
}

// The sharers of the paper: popularity moves from block to block.
static void test_stacks(void **state)
{
    (void)state;
    for (size_t kind = 0; kind < 3; kind++)
        for (uint64_t seed = 0; seed < SEEDS; seed++) {
            corun_trace t[2];
            for (size_t i = 0; i < 2; i++)
                corun_generate(&t[i], 1 + 2 * seed + i, "ren"[kind], ACCESSES, 300, seed % 2 ? 300 : 60, i);
            assert_true(correlation(&t[0], &t[1], seed % 2) < DJ_SAME_ORDER);
        }
}

// Sweeps over `data` keys. `delay`: accesses to other data before it. `of_them`: so many of the accesses, in
// percent, are the sweep's, at random. `jitter`: keys are taken out of order by up to so many.
typedef struct sweep {
    size_t data, delay;
    unsigned of_them;
    size_t jitter;
} sweep;

static void make_sweep(corun_trace *t, uint64_t seed, const sweep *how)
{
    dj_random random;
    uint64_t order[DATA_MOST];
    size_t at = 0;
    dj_random_seed(&random, seed);
    *t = (corun_trace){.keys = malloc(2 * ACCESSES * sizeof *t->keys), .count = (size_t)2 * ACCESSES};
    for (size_t i = 0; i < how->data; i++)
        order[i] = i;
    for (size_t from = 0; how->jitter && from + how->jitter <= how->data; from += how->jitter)
        for (size_t i = how->jitter; i-- > 1;) {
            const size_t k = (size_t)dj_random_below(&random, i + 1);
            const uint64_t key = order[from + i];
            order[from + i] = order[from + k];
            order[from + k] = key;
        }
    for (size_t i = 0; i < t->count; i++) {
        const bool other = i < how->delay || dj_random_below(&random, 100) >= how->of_them;
        t->keys[i] = other ? 1000000 * (seed + 1) + dj_random_below(&random, 50) : order[at++ % how->data];
    }
}

static void test_same_order(void **state)
{
    (void)state;
    static const sweep cases[][2] = {
        {{500, 0, 100, 0}, {500, 0, 100, 0}},    // in step
        {{500, 0, 100, 0}, {500, 300, 100, 0}},  // a pipeline
        {{3000, 0, 50, 0}, {3000, 2000, 50, 0}}, // with other accesses between them
        {{3000, 0, 80, 0}, {3000, 0, 20, 0}},    // at different speeds
        {{3000, 0, 100, 4}, {3000, 700, 90, 4}}, // not exactly
        {{1000, 0, 100, 8}, {1000, 0, 100, 8}},  // the same
        {{20, 0, 100, 0}, {20, 100, 100, 0}},    // few
        {{40, 0, 10, 0}, {40, 0, 10, 0}},        // few, and seldom
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++)
        for (uint64_t seed = 0; seed < SEEDS; seed++) {
            corun_trace t[2];
            for (size_t i = 0; i < 2; i++)
                make_sweep(&t[i], 1 + 2 * seed + i, &cases[c][i]);
            const double found = correlation(&t[0], &t[1], seed % 2);
            if (found < DJ_SAME_ORDER)
                print_error("case %zu, seed %d: %.3f\n", c, (int)seed, found);
            assert_true(found >= DJ_SAME_ORDER);
        }
}

// In the opposite order.
static void test_opposite_order(void **state)
{
    (void)state;
    corun_trace t[2];
    for (size_t i = 0; i < 2; i++)
        make_sweep(&t[i], 1, &(sweep){500, 0, 100, 0});
    for (size_t i = 0; i < t[1].count; i++)
        t[1].keys[i] = 499 - t[1].keys[i];
    assert_true(correlation(&t[0], &t[1], false) == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_popular_blocks),
        cmocka_unit_test(test_stacks),
        cmocka_unit_test(test_same_order),
        cmocka_unit_test(test_opposite_order),
    };
    return cmocka_run_group_tests(tests, make_context, drop_context);
}
