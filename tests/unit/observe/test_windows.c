// SPDX-License-Identifier: MIT
// Windows of time against a stack that is walked for every access.
#include <deja/deja.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "support/context.h"

enum { MOST = 3000, LANES = 2 };
static const uint64_t blocks[LANES] = {1, 4};

static uint64_t keys[MOST];
static size_t count;

// Reuse distance of access `at` in blocks of `block`.
static uint64_t distance_of(size_t at, uint64_t block)
{
    uint64_t seen[MOST], distinct = 0;
    for (size_t i = at; i-- > 0;) {
        if (keys[i] / block == keys[at] / block)
            return distinct;
        bool again = false;
        for (uint64_t k = 0; !again && k < distinct; k++)
            again = seen[k] == keys[i] / block;
        if (!again)
            seen[distinct++] = keys[i] / block;
    }
    return DJ_COLD;
}

static uint64_t distinct_of(size_t from, size_t end, uint64_t block)
{
    uint64_t distinct = 0;
    for (size_t i = from; i < end; i++) {
        bool again = false;
        for (size_t k = from; !again && k < i; k++)
            again = keys[k] / block == keys[i] / block;
        distinct += !again;
    }
    return distinct;
}

static void check_window(const dj_window *window, size_t from, size_t end, uint64_t block)
{
    uint64_t bins[65] = {0}, cold = 0;
    for (size_t i = from; i < end; i++) {
        uint64_t distance = distance_of(i, block);
        if (distance == DJ_COLD)
            cold++;
        else
            bins[dj_log2_bin(distance)]++;
    }
    assert_int_equal(window->first, from);
    assert_int_equal(window->accesses, end - from);
    assert_int_equal(window->cold, cold);
    assert_int_equal(window->distinct, distinct_of(from, end, block));
    for (uint32_t i = 0; i < 65; i++)
        assert_int_equal(i < window->bin_count ? window->bins[i] : 0, bins[i]);
    assert_true(window->bin_count == 0 || window->bins[window->bin_count - 1] > 0);
}

static dj_profile *measured(const char *engine, uint64_t length, size_t lanes)
{
    const dj_windows_options options = {.length = length};
    const dj_observer_choice observers[] = {{dj_observer_find("windows"), &options},
                                            {dj_observer_find("histogram"), NULL}};
    const dj_pipeline_config config = {.engine = dj_engine_find(engine),
                                       .blocks = blocks,
                                       .block_count = lanes,
                                       .observers = observers,
                                       .observer_count = 2};
    const dj_source_options format = {.format = "u64le"};
    dj_pipeline *pipeline = NULL;
    dj_source *source = NULL;
    dj_profile *profile = NULL;
    assert_int_equal(dj_pipeline_create(context, &config, &pipeline), DJ_OK);
    assert_int_equal(dj_source_open_memory(context, keys, count * sizeof *keys, "keys", &format, &source),
                     DJ_OK);
    assert_int_equal(dj_pipeline_run(pipeline, context, source), DJ_OK);
    assert_int_equal(dj_pipeline_finish(pipeline, context, &profile), DJ_OK);
    dj_source_close(source);
    dj_pipeline_destroy(pipeline);
    return profile;
}

static void check_profile(const dj_profile *profile, uint64_t length)
{
    for (size_t lane = 0; lane < profile->lane_count; lane++) {
        const dj_windows *windows = dj_lane_windows(&profile->lanes[lane]);
        assert_non_null(windows);
        assert_int_equal(windows->length, length);
        assert_int_equal(windows->count, (count + length - 1) / length);
        for (size_t i = 0; i < windows->count; i++) {
            size_t from = i * length, end = from + length < count ? from + length : count;
            check_window(&windows->rows[i], from, end, blocks[lane]);
        }
    }
}

// Both file formats restore the same rows.
static void check_saved(const dj_profile *profile, uint64_t length)
{
    for (int form = 0; form < 2; form++) {
        char *data = NULL;
        size_t bytes = 0;
        dj_profile *again = NULL;
        FILE *file = open_memstream(&data, &bytes);
        assert_int_equal(form ? dj_profile_save_columns(context, profile, file)
                              : dj_profile_save(context, profile, DJ_BINS_LOG2, 0, file),
                         DJ_OK);
        fclose(file);
        file = fmemopen(data, bytes, "r");
        assert_int_equal(dj_profile_load(context, file, "windows", &again), DJ_OK);
        check_profile(again, length);
        fclose(file);
        free(data);
        dj_profile_destroy(again);
    }
}

static void against_brute_force(void **state)
{
    (void)state;
    static const uint64_t lengths[] = {1, 2, 7, 64, 1000, 100000};
    static const char *const engines[] = {"fast", "stack", "tree"};
    dj_random random;
    for (uint64_t seed = 0; seed < 6; seed++) {
        dj_random_seed(&random, seed);
        count = 1 + (size_t)dj_random_below(&random, 500);
        uint64_t range = 1 + dj_random_below(&random, 300);
        for (size_t i = 0; i < count; i++)
            keys[i] = dj_random_below(&random, 3) ? dj_random_below(&random, range) : i % range;
        for (size_t k = 0; k < sizeof lengths / sizeof *lengths; k++) {
            dj_profile *profile = measured(engines[seed % 3], lengths[k], LANES);
            check_profile(profile, lengths[k]);
            check_saved(profile, lengths[k]);
            dj_profile_destroy(profile);
        }
    }
}

// One key repeatedly, and all keys once.
static void at_the_extremes(void **state)
{
    (void)state;
    count = 300;
    memset(keys, 0, sizeof keys);
    dj_profile *profile = measured("fast", 100, 1);
    check_profile(profile, 100);
    assert_int_equal(dj_lane_windows(&profile->lanes[0])->rows[1].distinct, 1);
    dj_profile_destroy(profile);
    for (size_t i = 0; i < count; i++)
        keys[i] = i;
    profile = measured("fast", 100, 1);
    check_profile(profile, 100);
    assert_int_equal(dj_lane_windows(&profile->lanes[0])->rows[2].distinct, 100);
    dj_profile_destroy(profile);
}

static void refused(void **state)
{
    (void)state;
    const dj_windows_options none = {0}, some = {.length = 5}, both = {5, 5};
    dj_observer_choice observer = {dj_observer_find("windows"), &none};
    dj_pipeline_config config = {
        .blocks = blocks, .block_count = 1, .observers = &observer, .observer_count = 1};
    dj_pipeline *pipeline = NULL;
    assert_int_equal(dj_pipeline_create(context, &config, &pipeline), DJ_ERR_USAGE);
    observer.options = &both;
    assert_int_equal(dj_pipeline_create(context, &config, &pipeline), DJ_ERR_USAGE);
    observer.options = &some;
    config.summarize = true;
    assert_int_equal(dj_pipeline_create(context, &config, &pipeline), DJ_ERR_UNSUPPORTED);
    assert_non_null(strstr(dj_context_message(context), "cannot be joined from parts"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(against_brute_force),
        cmocka_unit_test(at_the_extremes),
        cmocka_unit_test(refused),
    };
    return cmocka_run_group_tests(tests, make_context, drop_context);
}
