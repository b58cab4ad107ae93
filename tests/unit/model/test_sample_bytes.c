// SPDX-License-Identifier: MIT
// Byte distances from samples: the bands by requests and by bytes contain the exact curves at all sizes in at
// least 95 of 100 samples. Environment: SEEDS, for more samples.
#include <deja/deja.h>

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/little_endian.h"
#include "base/random.h"
#include "filter/sample_options.h"
#include "support/context.h"
#include "support/sanitized.h"

enum { SEEDS = 12 / SANITIZED_SHARE, PER_DOUBLING = 8, SIZES_MOST = 64 * PER_DOUBLING, RECORD = 24 };

static uint8_t *records; // oracleGeneral
static size_t record_count;

static dj_profile *measure(const char *rate, uint64_t seed)
{
    const dj_sample_options values = {rate, seed, NULL};
    const dj_filter_choice filter = {dj_filter_find("sample"), &values};
    const dj_observer_choice bytes = {dj_observer_find("bytes"), NULL};
    const uint64_t block = 1;
    const dj_request request = {.blocks = &block,
                                .block_count = 1,
                                .observers = &bytes,
                                .observer_count = 1,
                                .filters = &filter,
                                .filter_count = rate ? 1 : 0};
    const dj_source_options format = {.format = "oracleGeneral"};
    dj_source *source = NULL;
    dj_profile *profile = NULL;
    if (dj_source_open_memory(context, records, record_count * RECORD, "keys", &format, &source) != DJ_OK ||
        dj_measure_source(context, source, &request, &profile) != DJ_OK)
        fail_msg("%s", dj_context_message(context));
    dj_source_close(source);
    return profile;
}

typedef uint32_t (*size_of)(uint64_t hash);

static uint32_t constant(uint64_t hash)
{
    (void)hash;
    return 4096;
}

static uint32_t even(uint64_t hash)
{
    return 1 + (uint32_t)(hash % 2000);
}

// Each doubling of the size is half as frequent: all sizes contribute as many bytes.
static uint32_t tailed(uint64_t hash)
{
    return (100 + (uint32_t)(hash >> 32) % 100) << (__builtin_ctzll(hash | 1 << 11));
}

static void make_records(const char *kind, const dj_generate_options *options, size_of size)
{
    uint64_t *keys = NULL;
    assert_int_equal(dj_generate_addresses(context, kind, options, &keys, &record_count), DJ_OK);
    records = calloc(record_count, RECORD);
    assert_non_null(records);
    for (size_t i = 0; i < record_count; i++) {
        dj_write_le64(records + i * RECORD + 4, keys[i]);
        dj_write_le32(records + i * RECORD + 12, size(dj_random_mix(keys[i] + 77)));
        dj_write_le64(records + i * RECORD + 16, UINT64_MAX);
    }
    free(keys);
}

static size_t list_sizes(uint64_t last, uint64_t *sizes)
{
    size_t count = 0;
    for (unsigned step = 6 * PER_DOUBLING; count == 0 || sizes[count - 1] <= 2 * last; step++)
        sizes[count++] = (uint64_t)exp2((double)step / PER_DOUBLING);
    return count;
}

static bool contains(const dj_band *bands, const double *ratios, size_t count)
{
    bool inside = true;
    for (size_t i = 0; i < count; i++)
        inside = inside && ratios[i] >= bands[i].low - 1e-12 && ratios[i] <= bands[i].high + 1e-12;
    return inside;
}

static void compare(const dj_profile *exact, const dj_profile *estimate, unsigned *requests, unsigned *bytes)
{
    const dj_lane_profile *lane = &exact->lanes[0], *guess = &estimate->lanes[0];
    uint64_t sizes[SIZES_MOST];
    dj_byte_point truth[SIZES_MOST], points[SIZES_MOST];
    dj_band request_bands[SIZES_MOST], byte_bands[SIZES_MOST];
    double ratios[SIZES_MOST], byte_ratios[SIZES_MOST];
    size_t count = list_sizes(dj_histogram_moments(dj_lane_byte_distance(lane)).max, sizes);
    assert_int_equal(dj_mrc_bytes(context, lane, sizes, count, truth), DJ_OK);
    assert_int_equal(dj_mrc_bytes(context, guess, sizes, count, points), DJ_OK);
    assert_int_equal(dj_mrc_byte_bands(context, guess, sizes, count, request_bands, byte_bands), DJ_OK);
    for (size_t i = 0; i < count; i++) {
        ratios[i] = truth[i].ratio;
        byte_ratios[i] = truth[i].byte_ratio;
        // The estimate is in its own band.
        assert_true(points[i].ratio >= request_bands[i].low && points[i].ratio <= request_bands[i].high);
        assert_true(points[i].byte_ratio >= byte_bands[i].low && points[i].byte_ratio <= byte_bands[i].high);
    }
    // All accesses and bytes are known.
    assert_int_equal(guess->cold + dj_histogram_sum(dj_lane_byte_distance(guess), 0, UINT64_MAX),
                     lane->accesses);
    assert_int_equal(dj_lane_cold_bytes(guess) + dj_histogram_sum(dj_lane_byte_weight(guess), 0, UINT64_MAX),
                     dj_lane_cold_bytes(lane) + dj_histogram_sum(dj_lane_byte_weight(lane), 0, UINT64_MAX));
    *requests += contains(request_bands, ratios, count);
    *bytes += contains(byte_bands, byte_ratios, count);
}

static void check(const char *name, const char *kind, dj_generate_options options, size_of size)
{
    const unsigned seeds = getenv("SEEDS") ? (unsigned)atoi(getenv("SEEDS")) : SEEDS;
    unsigned requests = 0, bytes = 0;
    make_records(kind, &options, size);
    dj_profile *exact = measure(NULL, 0);
    assert_false(dj_lane_has_byte_bands(&exact->lanes[0]));
    for (unsigned seed = 0; seed < seeds; seed++) {
        dj_profile *estimate = measure("1.5625%", seed);
        compare(exact, estimate, &requests, &bytes);
        dj_profile_destroy(estimate);
    }
    printf("%s %s: of %u samples, the bands of %u contain the curve by requests, of %u by bytes\n", kind,
           name, seeds, requests, bytes);
    // One sample in 20 may fail by chance. Of few samples, one.
    const unsigned least = seeds - (seeds < 20 ? 1 : seeds / 20);
    assert_true(requests >= least);
    assert_true(bytes >= least);
    dj_profile_destroy(exact);
    free(records);
}

static void test_bands(void **state)
{
    (void)state;
    const dj_generate_options zipf = {.keys = 200000, .accesses = 300000, .seed = 1, .exponent = 0.9},
                              loop = {.keys = 60000, .sweeps = 4},
                              uniform = {.keys = 60000, .accesses = 250000, .seed = 2};
    check("constant", "zipf", zipf, constant);
    check("even", "zipf", zipf, even);
    check("tailed", "zipf", zipf, tailed);
    check("even", "loop", loop, even);
    check("tailed", "loop", loop, tailed);
    check("tailed", "uniform", uniform, tailed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_bands)};
    return cmocka_run_group_tests(tests, make_context, drop_context);
}
