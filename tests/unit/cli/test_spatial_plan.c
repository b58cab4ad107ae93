// SPDX-License-Identifier: MIT
// The options of `deja spatial` select block sizes, caches and observers.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "base/number.h"
#include "cli/verbs/spatial.h"
#include "measure/request.h"
#include "measure/spatial.h"
#include "support/context.h"

static const dj_source_info memory = {
    .format = "lackey", .kind = DJ_CLASS_MEMORY, .default_block = 64, .unit_bytes = 1};
static const dj_source_info block_io = {.format = "msr",
                                        .kind = DJ_CLASS_BLOCK_IO,
                                        .default_block = 4096,
                                        .unit_bytes = 1,
                                        .default_split = true};
static const dj_source_info numbered = {.format = "arc", .kind = DJ_CLASS_BLOCK_IO, .default_block = 1};
static const dj_source_info keys = {.format = "text", .kind = DJ_CLASS_KEYS, .default_block = 1};

static uint64_t blocks[DJ_BLOCKS_MOST];
static size_t block_count;

// Expects `count` sizes, each twice the previous one.
static void expect_sizes(const dj_source_info *info, const char *text, uint64_t first, size_t count)
{
    assert_int_equal(dj_spatial_blocks(context, text, info, blocks, &block_count), DJ_OK);
    assert_int_equal(block_count, count);
    for (size_t i = 0; i < count; i++)
        assert_int_equal(blocks[i], first << i);
}

static void block_sizes_follow_the_option_or_the_trace(void **state)
{
    (void)state;
    expect_sizes(&memory, NULL, 32, 3);
    expect_sizes(&block_io, NULL, 4096, 9);
    expect_sizes(&numbered, NULL, 1, 9);
    expect_sizes(&keys, NULL, 1, 9);
    expect_sizes(&memory, "64,128", 64, 2);
    expect_sizes(&memory, "8..8192", 8, 11);
    expect_sizes(&memory, "4K..1M", 4096, 9);
    expect_sizes(&memory, "1K,2048,4KiB", 1024, 3);
    expect_sizes(&memory, "48,96", 48, 2);
    expect_sizes(&keys, "3..12", 3, 3);
    expect_sizes(&memory, "1..2147483648", 1, 32);
    expect_sizes(&memory, "4611686018427387904..9223372036854775808", UINT64_C(1) << 62, 2);
}

static void expect_refused(const dj_source_info *info, const char *text, const char *words)
{
    assert_int_equal(dj_spatial_blocks(context, text, info, blocks, &block_count), DJ_ERR_USAGE);
    if (!strstr(dj_context_message(context), words))
        fail_msg("%s: '%s' lacks '%s'", text, dj_context_message(context), words);
}

static void invalid_block_sizes_are_refused(void **state)
{
    (void)state;
    expect_refused(&memory, "64", "64,128");
    expect_refused(&memory, "64..64", "64,128");
    expect_refused(&memory, "64,256", "256 is not twice");
    expect_refused(&memory, "64,128,64", "64 is not twice");
    expect_refused(&memory, "64,64", "64 is not twice");
    expect_refused(&memory, "8..100", "repeatedly doubling 8 does not yield 100");
    expect_refused(&memory, "128..64", "does not yield 64");
    expect_refused(&memory, "0,0", "at least 1 byte");
    expect_refused(&memory, "0..8", "at least 1 byte");
    expect_refused(&memory, "", "not a size");
    expect_refused(&memory, "..", "not a size");
    expect_refused(&memory, "8..", "not a size");
    expect_refused(&memory, "8..16..32", "not a size");
    expect_refused(&memory, "8,", "not a size");
    expect_refused(&memory, "-8,16", "not a size");
    expect_refused(&memory, "1..18446744073709551615", "more than 32 sizes");
    expect_refused(&memory, "9223372036854775808..18446744073709551615", "does not yield");
    expect_refused(&keys, "4K,8K", "have no size");
}

static dj_spatial_plan plan;

// The usage options that the library derives from the request.
static dj_usage_options usage(void)
{
    const dj_request *r = &plan.request;
    return dj_spatial_usage(r->spatial, r->blocks, r->block_count, r->caches, r->cache_count);
}

static int plan_for(const dj_source_info *info, dj_spatial_verb *choice)
{
    dj_groups groups = {0};
    choice->view.limits = DJ_SPATIAL_LIMITS;
    int err = dj_trace_list_engines(context, &choice->trace, &groups);
    if (!err)
        err = dj_spatial_plan_make(context, choice, info, &(dj_arguments){0}, &plan);
    plan.request.engine_options = NULL; // owned by the groups
    plan.request.filter_count = 0;      // their options are not listed
    dj_groups_free(&groups);
    return err;
}

static void caches_and_usage_follow_the_options(void **state)
{
    (void)state;
    dj_spatial_verb choice = {.caches.caches = "L2=1M/16,32K/8,L1=32K"};
    assert_int_equal(plan_for(&memory, &choice), DJ_OK);
    assert_int_equal(plan.request.blocks[0], 32);
    assert_int_equal(plan.request.cache_count, 2); // by size, without duplicates
    assert_string_equal(plan.request.caches[0].name, "32K");
    assert_int_equal(plan.request.caches[0].bytes, 32 << 10);
    assert_string_equal(plan.request.caches[1].name, "L2");
    assert_int_equal(plan.request.caches[1].bytes, 1 << 20);
    assert_int_equal(usage().block, 64); // the cache line
    assert_int_equal(usage().cache_bytes, 32 << 10);

    choice.view.cache = "l2";
    assert_int_equal(plan_for(&memory, &choice), DJ_OK);
    assert_int_equal(usage().cache_bytes, 1 << 20);
    choice.residency = "256K";
    assert_int_equal(plan_for(&memory, &choice), DJ_OK);
    assert_int_equal(usage().cache_bytes, 256 << 10);
    choice.residency = "63";
    assert_int_equal(plan_for(&memory, &choice), DJ_ERR_USAGE);
    choice.residency = NULL;
    choice.view.cache = "L3";
    assert_int_equal(plan_for(&memory, &choice), DJ_ERR_USAGE);
    choice.view.cache = NULL;
    choice.view.block = 16;
    assert_int_equal(plan_for(&memory, &choice), DJ_ERR_USAGE);

    choice.view.block = 256; // no cache line among the sizes: the larger block of the ranked pair
    choice.blocks = "128..512";
    assert_int_equal(plan_for(&memory, &choice), DJ_OK);
    assert_int_equal(usage().block, 512);
    choice.blocks = "2G,4G"; // larger than the caches
    choice.view.block = 0;
    assert_int_equal(plan_for(&memory, &choice), DJ_ERR_USAGE);
    choice.caches.caches = NULL; // the machine's caches are left out
    assert_int_equal(plan_for(&memory, &choice), DJ_OK);
    assert_int_equal(plan.request.cache_count, 0);
    assert_true(usage().cache_bytes >= usage().block);
}

// The names of the observers, and whether accesses are split, for a trace of this kind.
static void find_observers(const dj_source_info *info, bool places, bool *split, char names[256])
{
    static const dj_source_ops none = {.next = NULL};
    dj_source *source = NULL;
    dj_prepared *prepared = NULL;
    dj_request request = plan.request;
    request.places = places;
    assert_int_equal(dj_source_create(context, &none, NULL, info, &source), DJ_OK);
    assert_int_equal(dj_request_prepare(context, &request, source, (dj_preparation){0}, &prepared), DJ_OK);
    const dj_measurement *m = dj_prepared_measurement(prepared);
    *split = m->split;
    names[0] = 0;
    for (size_t i = 0; i < m->observer_count; i++) {
        strcat(names, i ? " " : "");
        strcat(names, m->observers[i].ops->name);
    }
    dj_prepared_destroy(prepared);
    dj_source_close(source);
}

static void expect_split(const dj_source_info *info, dj_spatial_verb *choice, bool expected)
{
    char names[256];
    bool found;
    assert_int_equal(plan_for(info, choice), DJ_OK);
    find_observers(info, false, &found, names);
    assert_int_equal(found, expected);
}

static void accesses_are_split_unless_keys_or_no_split(void **state)
{
    (void)state;
    dj_spatial_verb choice = {.caches.caches = "none"};
    expect_split(&memory, &choice, true);
    expect_split(&block_io, &choice, true);
    expect_split(&keys, &choice, false); // the size of a key does not count keys
    choice.trace.no_split = true;
    expect_split(&memory, &choice, false);
    expect_split(&block_io, &choice, false);
}

static void keys_have_neither_caches_nor_bytes(void **state)
{
    (void)state;
    dj_spatial_verb choice = {.caches.caches = "L1=32K"};
    char names[256];
    bool found;
    assert_int_equal(plan_for(&keys, &choice), DJ_OK);
    assert_int_equal(plan.request.cache_count, 0);
    find_observers(&keys, true, &found, names);
    assert_string_equal(names, "histogram traffic spatial spatial-places");
    assert_int_equal(plan_for(&memory, &choice), DJ_OK);
    find_observers(&memory, true, &found, names);
    assert_string_equal(names, "histogram traffic spatial spatial-places usage");
    find_observers(&memory, false, &found, names);
    assert_string_equal(names, "histogram traffic spatial");
    choice.caches.caches = "L1";
    assert_int_equal(plan_for(&memory, &choice), DJ_ERR_USAGE);
    choice.caches.caches = "=32K";
    assert_int_equal(plan_for(&memory, &choice), DJ_ERR_USAGE);
}

static void shares_are_percentages_or_fractions(void **state)
{
    (void)state;
    static const char *const wrong[] = {"", "%", "5%%", "5 %", "101%", "-1%", "1.01", "nan", "inf", "five"};
    double share = -1;
    assert_true(dj_number_parse_share("5%", &share));
    assert_true(share > 0.0499 && share < 0.0501);
    assert_true(dj_number_parse_share("0.25", &share));
    assert_true(share == 0.25);
    assert_true(dj_number_parse_share("100%", &share));
    assert_true(dj_number_parse_share("0", &share));
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_false(dj_number_parse_share(wrong[i], &share));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(block_sizes_follow_the_option_or_the_trace),
        cmocka_unit_test(invalid_block_sizes_are_refused),
        cmocka_unit_test(caches_and_usage_follow_the_options),
        cmocka_unit_test(accesses_are_split_unless_keys_or_no_split),
        cmocka_unit_test(keys_have_neither_caches_nor_bytes),
        cmocka_unit_test(shares_are_percentages_or_fractions),
    };
    return cmocka_run_group_tests(tests, make_context, drop_context);
}
