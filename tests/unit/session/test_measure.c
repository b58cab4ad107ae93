// SPDX-License-Identifier: MIT
// Requests: what is measured in a trace, compared with the definition of reuse distance.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <deja/deja.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/random.h"
#include "support/context.h"

enum { COUNT = 600, SPAN = 1 << 11 };
static uint64_t addresses[COUNT];

static int make_trace(void **state)
{
    dj_random random;
    dj_random_seed(&random, 7);
    for (size_t i = 0; i < COUNT; i++)
        addresses[i] = dj_random_next(&random) % SPAN;
    return make_context(state);
}

static dj_source *open_trace(const void *data, size_t bytes)
{
    static const dj_source_options options = {.format = "u64le"};
    dj_source *source = NULL;
    assert_int_equal(dj_source_open_memory(context, data, bytes, "addresses", &options, &source), DJ_OK);
    return source;
}

// The same accesses as those of a program, all by one instruction.
static int next_batch(void *state, dj_context *own, dj_pool *pool, dj_batch **out)
{
    size_t *at = state;
    *out = NULL;
    if (*at == COUNT)
        return DJ_OK;
    int err = dj_pool_take(own, pool, out);
    if (err)
        return err;
    dj_batch_buffers to = dj_batch_writable(*out);
    (*out)->count = COUNT;
    for (size_t i = 0; i < COUNT; i++) {
        to.address[i] = addresses[i];
        to.site[i] = 0;
    }
    dj_batch_set_columns(*out, DJ_COLUMN_SITE);
    *at = COUNT;
    return DJ_OK;
}

static dj_source *open_program(size_t *at)
{
    static const dj_source_ops ops = {.next = next_batch};
    static const dj_source_info info = {.format = "test",
                                        .kind = DJ_CLASS_MEMORY,
                                        .default_block = 64,
                                        .unit_bytes = 1,
                                        .columns = DJ_COLUMN_SITE};
    dj_source *source = NULL;
    *at = 0;
    assert_int_equal(dj_source_create(context, &ops, at, &info, &source), DJ_OK);
    return source;
}

static dj_profile *measure(const dj_request *request)
{
    size_t at;
    dj_source *source = request->places ? open_program(&at) : open_trace(addresses, sizeof addresses);
    dj_profile *profile = NULL;
    assert_int_equal(dj_measure_source(context, source, request, &profile), DJ_OK);
    dj_source_close(source);
    return profile;
}

// Sum of the reuse distances among accesses from..to, and the number of first accesses.
static void count(uint64_t block, size_t from, size_t to, uint64_t *sum, uint64_t *cold)
{
    *sum = *cold = 0;
    for (size_t t = from; t < to; t++) {
        size_t p = t;
        while (p > from && addresses[p - 1] / block != addresses[t] / block)
            p--;
        *cold += p == from;
        for (size_t i = p; p > from && i < t; i++) {
            size_t k = i;
            while (k > p && addresses[k - 1] / block != addresses[i] / block)
                k--;
            *sum += k == p;
        }
    }
}

static void expect_lane(const dj_lane_profile *lane, uint64_t block, size_t from, size_t to)
{
    uint64_t sum, cold;
    count(block, from, to, &sum, &cold);
    dj_moments moments = dj_lane_moments(lane);
    assert_int_equal(dj_lane_block(lane), block);
    assert_int_equal(lane->cold, cold);
    assert_int_equal(moments.count, to - from - cold);
    double total = moments.mean * (double)moments.count;
    assert_true(total > (double)sum - 0.5 && total < (double)sum + 0.5);
}

static void nothing_asked(void **state)
{
    (void)state;
    dj_profile *profile = measure(&(dj_request){0});
    assert_int_equal(profile->accesses, COUNT);
    assert_int_equal(profile->lane_count, 1);
    expect_lane(&profile->lanes[0], 1, 0, COUNT); // keys
    assert_string_equal(profile->provenance.unit, "key");
    assert_string_equal(profile->provenance.engine, "fast");
    assert_string_equal(profile->provenance.command, "");
    assert_null(dj_profile_attribution(profile));
    dj_profile_destroy(profile);
}

static void blocks_engine_and_part(void **state)
{
    (void)state;
    const uint64_t blocks[] = {16, 64};
    const char *const inputs[] = {"a", "b"};
    const dj_request request = {.blocks = blocks,
                                .block_count = 2,
                                .engine = "stack",
                                .skip = 50,
                                .stop_after = 400,
                                .inputs = inputs,
                                .input_count = 2,
                                .command = "a test"};
    dj_profile *profile = measure(&request);
    assert_int_equal(profile->accesses, 400);
    expect_lane(&profile->lanes[0], 16, 50, 450);
    expect_lane(&profile->lanes[1], 64, 50, 450);
    assert_string_equal(profile->provenance.engine, "stack");
    assert_string_equal(profile->provenance.command, "a test");
    assert_int_equal(profile->provenance.input_count, 2);
    assert_string_equal(profile->provenance.inputs[1], "b");
    dj_profile_destroy(profile);
}

static void observers_beside(void **state)
{
    (void)state;
    dj_observer_list list = {0};
    // The list grows beyond any number of observers.
    assert_int_equal(dj_observer_list_add(context, &list, "no such", NULL), DJ_ERR_USAGE);
    static const char *const names[] = {"time", "keys", "strides", "fingerprint", "digest", "key-lists"};
    for (size_t i = 0; i < 20; i++)
        assert_int_equal(dj_observer_list_add(context, &list, names[i < 5 ? i : 5], NULL), DJ_OK);
    assert_int_equal(list.count, 20);
    list.count = 5;
    dj_profile *profile = measure(&(dj_request){.observers = list.items, .observer_count = list.count});
    assert_non_null(dj_lane_time(&profile->lanes[0]));
    assert_non_null(dj_lane_keys(&profile->lanes[0]));
    assert_non_null(dj_lane_strides(&profile->lanes[0]));
    assert_true(dj_lane_has_fingerprint(&profile->lanes[0]));
    dj_profile_destroy(profile);
    dj_observer_list_free(&list);
}

static void spatial_blocks_by_default(void **state)
{
    (void)state;
    const dj_spatial_request spatial = {0};
    dj_profile *profile = measure(&(dj_request){.spatial = &spatial});
    assert_int_equal(profile->lane_count, 9); // keys: 1 to 256
    for (size_t i = 0; i < 9; i++)
        expect_lane(&profile->lanes[i], UINT64_C(1) << i, 0, COUNT);
    assert_non_null(dj_profile_spatial(profile));
    assert_string_equal(profile->provenance.engine, "shadow");
    dj_profile_destroy(profile);
}

static void refusals(void **state)
{
    (void)state;
    dj_source *source = open_trace(addresses, sizeof addresses);
    dj_profile *profile = NULL;
    const uint64_t none = 0;
    assert_int_equal(dj_measure_source(context, source, &(dj_request){.engine = "warp"}, &profile),
                     DJ_ERR_USAGE);
    assert_int_equal(dj_measure_source(context, source, &(dj_request){.within = "main"}, &profile),
                     DJ_ERR_USAGE);
    assert_int_equal(
        dj_measure_source(context, source, &(dj_request){.blocks = &none, .block_count = 1}, &profile),
        DJ_ERR_USAGE);
    assert_null(profile);
    dj_source_close(source);
    source = open_trace("", 0);
    assert_int_equal(dj_measure_source(context, source, &(dj_request){0}, &profile), DJ_ERR_INPUT);
    dj_source_close(source);
    const char *const paths[] = {"/no/such/trace"};
    assert_int_equal(dj_measure_files(context, paths, 1, NULL, &(dj_request){0}, &profile), DJ_ERR_INPUT);
}

static void files(void **state)
{
    (void)state;
    char path[] = "/tmp/deja-measure-XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, addresses, sizeof addresses), sizeof addresses);
    close(fd);
    const char *const paths[] = {path};
    const dj_source_options options = {.format = "u64le"};
    dj_profile *profile = NULL;
    assert_int_equal(dj_measure_files(context, paths, 1, &options, &(dj_request){0}, &profile), DJ_OK);
    expect_lane(&profile->lanes[0], 1, 0, COUNT);
    assert_string_equal(profile->provenance.inputs[0], path);
    dj_profile_destroy(profile);
    unlink(path);
}

static dj_summary *measure_part(size_t from, size_t to, dj_part part)
{
    dj_source *source = open_trace(addresses + from, (to - from) * sizeof *addresses);
    dj_summary *summary = NULL;
    const uint64_t block = 16;
    const dj_request request = {.blocks = &block, .block_count = 1};
    assert_int_equal(dj_measure_part(context, source, &request, part, &summary), DJ_OK);
    dj_source_close(source);
    return summary;
}

// Directly and through a file.
static void parts(void **state)
{
    (void)state;
    dj_summary *first = measure_part(0, 200, (dj_part){1, 1, 2});
    dj_summary *second = measure_part(200, COUNT, (dj_part){2, 2, 2}), *loaded = NULL;
    FILE *file = tmpfile();
    assert_int_equal(dj_summary_save(context, second, file), DJ_OK);
    rewind(file);
    assert_int_equal(dj_summary_load(context, file, "second", &loaded), DJ_OK);
    fclose(file);
    dj_summary_destroy(second);
    dj_profile *profile = NULL;
    assert_int_equal(dj_summary_join(context, first, loaded), DJ_OK);
    dj_summary_destroy(loaded);
    assert_int_equal(dj_summary_profile(context, first, "a join", NULL, &profile), DJ_OK);
    expect_lane(&profile->lanes[0], 16, 0, COUNT);
    assert_string_equal(profile->provenance.command, "a join");
    dj_profile_destroy(profile);
    dj_summary_destroy(first);

    first = measure_part(0, 200, (dj_part){1, 1, 2});
    assert_int_equal(dj_summary_profile(context, first, "", NULL, &profile), DJ_ERR_INPUT); // one is missing
    dj_summary_destroy(first);
}

// What the observer of places refers to lives as long as the summary; the source does not.
static void a_part_with_places(void **state)
{
    (void)state;
    size_t at;
    dj_source *source = open_program(&at);
    dj_summary *first = NULL, *second = NULL;
    const dj_request request = {.places = true};
    assert_int_equal(dj_measure_part(context, source, &request, (dj_part){0}, &first), DJ_OK);
    dj_source_close(source);
    source = open_program(&at);
    assert_int_equal(dj_measure_part(context, source, &request, (dj_part){0}, &second), DJ_OK);
    dj_source_close(source);
    assert_int_equal(dj_summary_join(context, first, second), DJ_ERR_USAGE); // their numbers differ
    FILE *file = tmpfile();
    assert_int_equal(dj_summary_save(context, first, file), DJ_OK);
    assert_true(ftell(file) > 0);
    fclose(file);
    dj_summary_destroy(first);
    dj_summary_destroy(second);
}

// Smaller than a block, of the same size, out of order.
static void caches(void **state)
{
    (void)state;
    const uint64_t block = 16;
    const dj_cache_size sizes[] = {{"large", 4096}, {"tiny", 15}, {"small", 256}, {"same", 263}};
    const dj_request request = {
        .blocks = &block, .block_count = 1, .places = true, .caches = sizes, .cache_count = 4};
    dj_profile *profile = measure(&request);
    const dj_attribution *a = dj_profile_attribution(profile);
    assert_int_equal(a->cut_count, 2);
    assert_string_equal(a->cuts[0].name, "small");
    assert_int_equal(a->cuts[0].blocks, 16);
    assert_string_equal(a->cuts[1].name, "large");
    assert_int_equal(a->cuts[1].blocks, 256);
    dj_profile_destroy(profile);
}

static dj_cache_size twenty[20];

static void more_caches_than_sixteen(void **state)
{
    (void)state;
    for (size_t i = 0; i < 20; i++)
        twenty[i] = (dj_cache_size){"cache", (i + 1) * 64};
    dj_profile *profile = measure(&(dj_request){.places = true, .caches = twenty, .cache_count = 20});
    const dj_attribution *a = dj_profile_attribution(profile);
    assert_int_equal(a->cut_count, 20);
    assert_int_equal(a->cuts[19].blocks, 20);
    dj_profile_destroy(profile);
}

static void stop(void *user, const dj_progress *progress, uint64_t accesses)
{
    (void)progress, (void)accesses;
    dj_context_stop(user);
}

static void asked_to_stop(void **state)
{
    (void)state;
    dj_context *own = NULL;
    assert_int_equal(dj_context_create(&own), DJ_OK);
    dj_source *source = open_trace(addresses, sizeof addresses);
    dj_profile *profile = NULL;
    const dj_request request = {.on_progress = stop, .user = own};
    assert_int_equal(dj_measure_source(own, source, &request, &profile), DJ_ERR_STOPPED);
    assert_non_null(profile);
    assert_true(profile->provenance.partial);
    dj_profile_destroy(profile);
    dj_source_close(source);
    dj_context_destroy(own);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_asked),
        cmocka_unit_test(blocks_engine_and_part),
        cmocka_unit_test(observers_beside),
        cmocka_unit_test(spatial_blocks_by_default),
        cmocka_unit_test(refusals),
        cmocka_unit_test(files),
        cmocka_unit_test(parts),
        cmocka_unit_test(a_part_with_places),
        cmocka_unit_test(caches),
        cmocka_unit_test(more_caches_than_sixteen),
        cmocka_unit_test(asked_to_stop),
    };
    return cmocka_run_group_tests(tests, make_trace, drop_context);
}
