// SPDX-License-Identifier: MIT
// Estimates from samples: the band contains the exact curve at all sizes in at least 95 of 100 samples, and
// the estimate is close to it. Environment: SEEDS, for more samples.
#include <deja/deja.h>

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "filter/sample_options.h"
#include "model/curve/estimate_band.h"
#include "support/context.h"
#include "support/sanitized.h"

enum { SEEDS = 40 / SANITIZED_SHARE, PER_DOUBLING = 16, SIZES_MOST = 64 * PER_DOUBLING };

static uint64_t *keys;
static size_t key_count;

static dj_profile *measure(const char *rate, const char *memory, uint64_t seed)
{
    const dj_sample_options values = {rate, seed, memory};
    const dj_filter_choice filter = {dj_filter_find("sample"), &values};
    const uint64_t block = 1;
    const dj_request request = {
        .blocks = &block, .block_count = 1, .filters = &filter, .filter_count = rate || memory ? 1 : 0};
    const dj_source_options format = {.format = "u64le"};
    dj_source *source = NULL;
    dj_profile *profile = NULL;
    assert_int_equal(dj_source_open_memory(context, keys, key_count * sizeof *keys, "keys", &format, &source),
                     DJ_OK);
    assert_int_equal(dj_measure_source(context, source, &request, &profile), DJ_OK);
    dj_source_close(source);
    return profile;
}

// Sizes from 1 to twice the distinct keys.
static size_t list_sizes(uint64_t distinct, uint64_t *sizes)
{
    size_t count = 0;
    for (unsigned step = 0; count == 0 || sizes[count - 1] <= 2 * distinct; step++) {
        uint64_t size = (uint64_t)exp2((double)step / PER_DOUBLING);
        if (count == 0 || size > sizes[count - 1])
            sizes[count++] = size;
    }
    return count;
}

typedef struct outcome {
    bool contained;
    double error;     // mean, at 100 sizes up to the distinct keys
    double log_error; // the same at sizes that grow by a factor
} outcome;

static double mean_error(const dj_profile *exact, const dj_profile *estimate)
{
    uint64_t sizes[100];
    dj_mrc_point truth[100], guess[100];
    double sum = 0;
    for (uint64_t i = 0; i < 100; i++)
        sizes[i] = exact->lanes[0].distinct * (i + 1) / 100;
    assert_int_equal(dj_mrc_lru(context, &exact->lanes[0], sizes, 100, truth), DJ_OK);
    assert_int_equal(dj_mrc_lru(context, &estimate->lanes[0], sizes, 100, guess), DJ_OK);
    for (size_t i = 0; i < 100; i++)
        sum += fabs(truth[i].ratio - guess[i].ratio);
    return sum / 100;
}

// The band of Smith's formula contains what it says about the exact distances.
static bool contains_smith(const dj_profile *exact, const dj_profile *estimate, uint64_t sets, uint64_t ways)
{
    dj_estimate truth;
    dj_band band;
    assert_int_equal(dj_mrc_smith(context, &exact->lanes[0], sets, ways, &truth), DJ_OK);
    assert_int_equal(dj_smith_band(context, estimate, &estimate->lanes[0], sets, ways, &band), DJ_OK);
    assert_true(band.low >= 0 && band.low <= band.high && band.high <= 1);
    return truth.ratio >= band.low - 1e-9 && truth.ratio <= band.high + 1e-9;
}

static outcome compare(const dj_profile *exact, const dj_profile *estimate)
{
    uint64_t sizes[SIZES_MOST];
    dj_mrc_point truth[SIZES_MOST], guess[SIZES_MOST];
    dj_band bands[SIZES_MOST];
    outcome out = {true, mean_error(exact, estimate), 0};
    size_t count = list_sizes(exact->lanes[0].distinct, sizes);
    assert_int_equal(dj_mrc_lru(context, &exact->lanes[0], sizes, count, truth), DJ_OK);
    assert_int_equal(dj_mrc_band(context, estimate, &estimate->lanes[0], sizes, count, bands), DJ_OK);
    assert_int_equal(dj_mrc_lru(context, &estimate->lanes[0], sizes, count, guess), DJ_OK);
    for (size_t i = 0; i < count; i++) {
        out.log_error += fabs(truth[i].ratio - guess[i].ratio) / (double)count;
        assert_true(bands[i].low >= 0 && bands[i].low <= bands[i].high && bands[i].high <= 1);
        out.contained = out.contained && truth[i].ratio >= bands[i].low - 1e-12 &&
                        truth[i].ratio <= bands[i].high + 1e-12;
    }
    out.contained = out.contained && contains_smith(exact, estimate, 4096, 8) &&
                    contains_smith(exact, estimate, 2048, 16);
    return out;
}

static unsigned find_seeds(void)
{
    return getenv("SEEDS") ? (unsigned)atoi(getenv("SEEDS")) : SEEDS;
}

typedef struct limits {
    double error, log_error;
} limits;

static void check_sample(const char *kind, dj_generate_options options, const char *rate, const char *memory,
                         unsigned seeds, limits most)
{
    unsigned contained = 0;
    double error = 0, log_error = 0;
    assert_int_equal(dj_generate_addresses(context, kind, &options, &keys, &key_count), DJ_OK);
    dj_profile *exact = measure(NULL, NULL, 0);
    for (unsigned seed = 0; seed < seeds; seed++) {
        dj_profile *estimate = measure(rate, memory, seed);
        assert_false(estimate->provenance.exact);
        assert_int_equal(estimate->lanes[0].accesses, exact->lanes[0].accesses);
        const outcome one = compare(exact, estimate);
        contained += one.contained;
        error += one.error / seeds;
        log_error += one.log_error / seeds;
        dj_profile_destroy(estimate);
    }
    printf(
        "%s, %s: the bands of %u of %u samples contain the curve; mean error %.4f, over the logarithm of the "
        "size %.4f\n",
        kind, memory ? memory : rate, contained, seeds, error, log_error);
    // One sample in 20 may fail by chance. Of few samples, one.
    assert_true(contained + (seeds < 20 ? 1 : seeds / 20) >= seeds);
    assert_true(error <= most.error);
    assert_true(log_error <= most.log_error);
    dj_profile_destroy(exact);
    free(keys);
}

static void check(const char *kind, dj_generate_options options, double error_most)
{
    check_sample(kind, options, "1%", NULL, find_seeds(), (limits){error_most, 0.02});
}

// About 1,000 blocks are in each sample.
static void test_bands(void **state)
{
    (void)state;
    check("zipf", (dj_generate_options){.keys = 400000, .accesses = 600000, .seed = 1, .exponent = 0.99},
          0.02);
    check("uniform", (dj_generate_options){.keys = 100000, .accesses = 500000, .seed = 1}, 0.04);
    check("loop", (dj_generate_options){.keys = 100000, .sweeps = 4}, 0.05);
    check("loop", (dj_generate_options){.keys = 400000, .sweeps = 1}, 0.01); // a scan
    check("zigzag", (dj_generate_options){.keys = 100000, .sweeps = 4}, 0.05);
    check("stencil", (dj_generate_options){.keys = 50000, .sweeps = 3}, 0.05);
    check("hotcold",
          (dj_generate_options){.keys = 200000, .accesses = 500000, .seed = 1, .hot = 100, .hot_share = 0.8},
          0.02);
    check("phases",
          (dj_generate_options){.phases = "loop keys=20000 sweeps=6; zipf keys=100000 accesses=200000; loop "
                                          "keys=60000 sweeps=4"},
          0.05);
}

// With a million keys, small caches, which bursts know, and large ones.
static void test_many_keys(void **state)
{
    (void)state;
    enum { FEW = 3 };
    const uint64_t many = 1000000;
    const limits most = {0.02, 0.01};
    check_sample("zipf",
                 (dj_generate_options){.keys = many, .accesses = 3 * many, .seed = 1, .exponent = 0.8}, "1%",
                 NULL, FEW, most);
    check_sample("uniform", (dj_generate_options){.keys = many, .accesses = 3 * many, .seed = 1}, "1%", NULL,
                 FEW, most);
    check_sample("loop", (dj_generate_options){.keys = many, .sweeps = 3}, "1%", NULL, FEW, most);
}

// The rate falls to 1 in 8, or 16. All of the trace before is recorded at higher rates.
static void test_bands_in_fixed_memory(void **state)
{
    (void)state;
    const char *memory = "28M";
    check_sample("zipf",
                 (dj_generate_options){.keys = 2000000, .accesses = 2000000, .seed = 1, .exponent = 0.99},
                 NULL, memory, find_seeds() / 3 + 1, (limits){0.002, 0.02});
    check_sample("uniform", (dj_generate_options){.keys = 800000, .accesses = 2000000, .seed = 1}, NULL,
                 memory, find_seeds() / 3 + 1, (limits){0.005, 0.02});
    check_sample("loop", (dj_generate_options){.keys = 700000, .sweeps = 3}, NULL, memory,
                 find_seeds() / 3 + 1, (limits){0.01, 0.02});
    check_sample("zigzag", (dj_generate_options){.keys = 700000, .sweeps = 3}, NULL, memory,
                 find_seeds() / 3 + 1, (limits){0.005, 0.02});
    check_sample("phases",
                 (dj_generate_options){.phases =
                                           "loop keys=60000 sweeps=3; uniform keys=1000000 accesses=700000; "
                                           "loop keys=300000 sweeps=3"},
                 NULL, memory, find_seeds() / 3 + 1, (limits){0.01, 0.02});
    check_sample("uniform", (dj_generate_options){.keys = 800000, .accesses = 1000000, .seed = 2}, "12.5%",
                 memory, find_seeds() / 3 + 1, (limits){0.01, 0.02});
    // One frequent block, which half of the samples lack.
    check_sample(
        "hotcold",
        (dj_generate_options){.keys = 150000, .accesses = 200000, .seed = 1, .hot = 1, .hot_share = 0.05},
        NULL, memory, find_seeds(), (limits){0.01, 0.03});
}

// A sample that is everything is exact, to the last bit.
static void test_everything(void **state)
{
    (void)state;
    const dj_generate_options options = {.keys = 1000, .accesses = 20000, .seed = 3, .exponent = 0.9};
    assert_int_equal(dj_generate_addresses(context, "zipf", &options, &keys, &key_count), DJ_OK);
    dj_profile *exact = measure(NULL, NULL, 0), *all = measure("100%", NULL, 7);
    assert_true(all->provenance.exact);
    assert_null(dj_lane_sample(&all->lanes[0]));
    assert_int_equal(all->lanes[0].cold, exact->lanes[0].cold);
    for (uint64_t a = 0, b = 0, n = 1; n != 0; a++, b++) {
        n = dj_histogram_next(exact->lanes[0].distance, &a);
        assert_int_equal(dj_histogram_next(all->lanes[0].distance, &b), n);
        assert_int_equal(n ? a : 0, n ? b : 0);
    }
    dj_profile_destroy(exact);
    dj_profile_destroy(all);
    free(keys);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_everything), cmocka_unit_test(test_bands),
                                       cmocka_unit_test(test_many_keys),
                                       cmocka_unit_test(test_bands_in_fixed_memory)};
    return cmocka_run_group_tests(tests, make_context, drop_context);
}
