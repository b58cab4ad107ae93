// SPDX-License-Identifier: MIT
// Sizes of requests, however they are split, against the requests that were written.
#include <deja/deja.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "support/context.h"

enum { REQUESTS = 400, LARGEST = 300 };

static char text[REQUESTS * 32];
static uint64_t times[LARGEST + 1]; // that each size was requested

static void make_requests(uint64_t seed)
{
    dj_random random;
    size_t at = (size_t)sprintf(text, "offset,size\n");
    dj_random_seed(&random, seed);
    const uint64_t most = 1 + dj_random_below(&random, LARGEST);
    memset(times, 0, sizeof times);
    for (int i = 0; i < REQUESTS; i++) {
        const unsigned size = (unsigned)dj_random_below(&random, most + 1);
        times[size]++;
        at += (size_t)sprintf(text + at, "%u,%u\n", (unsigned)dj_random_below(&random, 5000), size);
    }
}

static dj_profile *measure_requests(uint64_t block, bool split)
{
    const dj_observer_choice observers[] = {{dj_observer_find("sizes"), NULL},
                                            {dj_observer_find("histogram"), NULL}};
    const dj_pipeline_config config = {
        .blocks = &block, .block_count = 1, .observers = observers, .observer_count = 2, .split = split};
    const dj_source_options format = {.format = "csv"};
    dj_pipeline *pipeline = NULL;
    dj_source *source = NULL;
    dj_profile *profile = NULL;
    assert_int_equal(dj_pipeline_create(context, &config, &pipeline), DJ_OK);
    assert_int_equal(dj_source_open_memory(context, text, strlen(text), "requests", &format, &source), DJ_OK);
    assert_int_equal(dj_pipeline_run(pipeline, context, source), DJ_OK);
    assert_int_equal(dj_pipeline_finish(pipeline, context, &profile), DJ_OK);
    dj_source_close(source);
    dj_pipeline_destroy(pipeline);
    return profile;
}

static void as_requested(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 30; seed++) {
        make_requests(seed);
        dj_profile *profile = measure_requests(seed % 4 ? 16 : 1, seed % 5 != 0);
        const dj_histogram *sizes = dj_profile_sizes(profile);
        const dj_mode mode = dj_histogram_mode(sizes);
        uint64_t most = 0, common = 0;
        for (uint64_t size = 0; size <= LARGEST; size++) {
            assert_int_equal(dj_histogram_sum(sizes, size, size + 1), times[size]);
            if (times[size] > most) {
                most = times[size];
                common = size;
            }
        }
        assert_int_equal(dj_histogram_moments(sizes).count, REQUESTS);
        assert_int_equal(mode.value, common);
        assert_int_equal(mode.count, most);
        dj_profile_destroy(profile);
    }
}

static void no_mode(void **state)
{
    (void)state;
    dj_histogram *empty = NULL;
    assert_int_equal(dj_histogram_create(context, &empty), DJ_OK);
    assert_int_equal(dj_histogram_mode(empty).count, 0);
    assert_int_equal(dj_histogram_add(empty, context, UINT64_MAX - 1, 7), DJ_OK);
    assert_true(dj_histogram_mode(empty).value == UINT64_MAX - 1);
    dj_histogram_destroy(empty);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(as_requested), cmocka_unit_test(no_mode)};
    return cmocka_run_group_tests(tests, make_context, drop_context);
}
