// SPDX-License-Identifier: MIT
// The band of an estimate from a sample contains the exact curve at all sizes in at least 95 of 100 samples, and
// the estimate is close to it.
#include <deja/deja.h>

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/context.h"
#include "support/sanitized.h"

enum { SEEDS = 40 / SANITIZED_SHARE, PER_DOUBLING = 32 };

static uint64_t *keys;
static size_t key_count;

// A small structure with the layout of the options of filter sample.
typedef struct sample_values {
    const char *rate;
    uint64_t seed;
} sample_values;

static dj_profile *measure(const char *rate, uint64_t seed)
{
    const sample_values values = {rate, seed};
    const dj_filter_choice filter = {dj_filter_find("sample"), &values};
    const uint64_t block = 1;
    const dj_request request = {.blocks = &block, .block_count = 1, .filters = &filter, .filter_count = rate ? 1 : 0};
    const dj_source_options format = {.format = "u64le"};
    dj_source *source = NULL;
    dj_profile *profile = NULL;
    assert_int_equal(
        dj_source_open_memory(context, keys, key_count * sizeof *keys, "keys", &format, &source), DJ_OK);
    assert_int_equal(dj_measure_source(context, source, &request, &profile), DJ_OK);
    dj_source_close(source);
    return profile;
}

typedef struct outcome {
    unsigned contained;
    double mean_linear, mean_log, width; // means over the seeds
} outcome;

static double ratio_at(const dj_profile *profile, uint64_t size)
{
    dj_mrc_point point;
    assert_int_equal(dj_mrc_lru(context, &profile->lanes[0], &size, 1, &point), DJ_OK);
    return point.ratio;
}

static bool compare(const dj_profile *exact, const dj_profile *estimate, outcome *out)
{
    bool contained = true;
    unsigned count = 0;
    uint64_t last = 0, distinct = exact->lanes[0].distinct;
    for (unsigned step = 0;; step++) {
        uint64_t size = (uint64_t)exp2((double)step / PER_DOUBLING);
        double low, high, truth;
        if (size == last)
            continue;
        last = size;
        assert_int_equal(dj_sample_band(context, &estimate->lanes[0], size, &low, &high), DJ_OK);
        truth = ratio_at(exact, size);
        assert_true(low <= high && low >= 0 && high <= 1);
        if (getenv("SHOW") && (truth < low - 1e-12 || truth > high + 1e-12))
            printf("   size %llu: %.5f not in %.5f..%.5f (est %.5f)\n", (unsigned long long)size, truth, low, high, ratio_at(estimate, size));
        contained = contained && truth >= low - 1e-12 && truth <= high + 1e-12;
        out->mean_log += fabs(ratio_at(estimate, size) - truth);
        out->width += high - low;
        count++;
        if (size > 2 * distinct)
            break;
    }
    out->mean_log /= count;
    out->width /= count;
    for (unsigned i = 1; i <= 100; i++)
        out->mean_linear += fabs(ratio_at(estimate, distinct * i / 100) - ratio_at(exact, distinct * i / 100)) / 100;
    return contained;
}

static void check(const char *name, const char *kind, dj_generate_options options, const char *rate)
{
    outcome all = {0};
    unsigned seeds = getenv("SEEDS") ? (unsigned)atoi(getenv("SEEDS")) : SEEDS;
    assert_int_equal(dj_generate_addresses(context, kind, &options, &keys, &key_count), DJ_OK);
    dj_profile *exact = measure(NULL, 0);
    for (unsigned seed = 0; seed < seeds; seed++) {
        dj_profile *estimate = measure(rate, seed);
        outcome one = {0};
        all.contained += compare(exact, estimate, &one);
        all.mean_linear += one.mean_linear / seeds;
        all.mean_log += one.mean_log / seeds;
        all.width += one.width / seeds;
        dj_profile_destroy(estimate);
    }
    printf("%s: %u of %u contained; mean error %.4f at linear sizes, %.4f at logarithmic ones; mean width %.3f\n", name,
           all.contained, seeds, all.mean_linear, all.mean_log, all.width);
    dj_profile_destroy(exact);
    free(keys);
}

static void test_bands(void **state)
{
    (void)state;
    const char *rate = getenv("RATE") ? getenv("RATE") : "1/128";
    rate = "0.78125%";
    check("zipf", "zipf", (dj_generate_options){.keys = 200000, .accesses = 1000000, .seed = 1, .exponent = 0.99}, rate);
    check("uniform", "uniform", (dj_generate_options){.keys = 100000, .accesses = 1000000, .seed = 1}, rate);
    check("loop", "loop", (dj_generate_options){.keys = 100000, .sweeps = 10}, rate);
    check("zigzag", "zigzag", (dj_generate_options){.keys = 100000, .sweeps = 10}, rate);
    check("stencil", "stencil", (dj_generate_options){.keys = 50000, .sweeps = 5}, rate);
    check("hotcold", "hotcold", (dj_generate_options){.keys = 200000, .accesses = 1000000, .seed = 1, .hot = 100, .hot_share = 0.8}, rate);
    check("phases", "phases", (dj_generate_options){.phases = "loop keys=20000 sweeps=10; zipf keys=100000 accesses=500000; loop keys=60000 sweeps=4"}, rate);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_bands)};
    return cmocka_run_group_tests(tests, make_context, drop_context);
}
