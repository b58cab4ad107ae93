// SPDX-License-Identifier: MIT
// What a user of the library may omit, and what is refused.
#include <deja/deja.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "support/context.h"

static const uint64_t keys[] = {1, 2, 3, 2, 1};

static void no_engine_is_the_default(void **state)
{
    (void)state;
    static const uint64_t expected[] = {DJ_COLD, DJ_COLD, DJ_COLD, 1, 2};
    uint64_t distances[5] = {0};
    assert_int_equal(dj_distances(context, NULL, keys, 5, distances), DJ_OK);
    assert_memory_equal(distances, expected, sizeof expected);
}

static void no_observer_leaves_an_empty_profile(void **state)
{
    (void)state;
    const uint64_t block = 1;
    const dj_source_options options = {.format = "u64le"};
    const dj_pipeline_config config = {.blocks = &block, .block_count = 1};
    dj_source *source = NULL;
    dj_pipeline *pipeline = NULL;
    dj_profile *profile = NULL;
    assert_int_equal(dj_source_open_memory(context, keys, sizeof keys, "keys", &options, &source), DJ_OK);
    assert_int_equal(dj_pipeline_create(context, &config, &pipeline), DJ_OK);
    assert_int_equal(dj_pipeline_run(pipeline, context, source), DJ_OK);
    assert_int_equal(dj_pipeline_finish(pipeline, context, &profile), DJ_OK);
    assert_int_equal(profile->accesses, 5);
    dj_engine_stats stats;
    dj_pipeline_stats(pipeline, &stats);
    assert_int_equal(stats.keys, 3);
    assert_true(stats.bytes > 0 && stats.peak_bytes >= stats.bytes);
    dj_mrc_point point = {.misses = 7};
    assert_int_equal(dj_mrc_lru(context, &profile->lanes[0], &block, 1, &point), DJ_OK);
    assert_int_equal(point.misses, 0);
    assert_int_equal(dj_lane_moments(&profile->lanes[0]).count, 0);
    dj_profile_destroy(profile);
    dj_pipeline_destroy(pipeline);
    dj_source_close(source);
}

static void misspelt_observers_are_refused(void **state)
{
    (void)state;
    const uint64_t block = 1;
    const dj_observer_choice observer = {dj_observer_find("histogramm"), NULL};
    const dj_pipeline_config config = {
        .blocks = &block, .block_count = 1, .observers = &observer, .observer_count = 1};
    dj_pipeline *pipeline = NULL;
    assert_int_equal(dj_pipeline_create(context, &config, &pipeline), DJ_ERR_USAGE);
    assert_non_null(strstr(dj_context_message(context), "observer 0"));
    assert_null(pipeline);
}

static void no_block_size_is_refused(void **state)
{
    (void)state;
    const dj_pipeline_config config = {0};
    dj_pipeline *pipeline = NULL;
    assert_int_equal(dj_pipeline_create(context, &config, &pipeline), DJ_ERR_USAGE);
    assert_non_null(strstr(dj_context_message(context), "block size"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_engine_is_the_default),
        cmocka_unit_test(no_observer_leaves_an_empty_profile),
        cmocka_unit_test(misspelt_observers_are_refused),
        cmocka_unit_test(no_block_size_is_refused),
    };
    return cmocka_run_group_tests(tests, make_context, drop_context);
}
