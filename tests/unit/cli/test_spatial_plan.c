// SPDX-License-Identifier: MIT
// What the options of `deja spatial` come to: block sizes, caches, observers.
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

// The sizes double from the first one on.
static void sizes(const dj_source_info *info, const char *text, uint64_t first, size_t count)
{
    assert_int_equal(dj_spatial_blocks(context, text, info, blocks, &block_count), DJ_OK);
    assert_int_equal(block_count, count);
    for (size_t i = 0; i < count; i++)
        assert_int_equal(blocks[i], first << i);
}

static void block_sizes(void **state)
{
    (void)state;
    sizes(&memory, NULL, 32, 3);
    sizes(&block_io, NULL, 4096, 9);
    sizes(&numbered, NULL, 1, 9);
    sizes(&keys, NULL, 1, 9);
    sizes(&memory, "64,128", 64, 2);
    sizes(&memory, "8..8192", 8, 11);
    sizes(&memory, "4K..1M", 4096, 9);
    sizes(&memory, "1K,2048,4KiB", 1024, 3);
    sizes(&memory, "48,96", 48, 2);
    sizes(&keys, "3..12", 3, 3);
    sizes(&memory, "1..2147483648", 1, 32);
    sizes(&memory, "4611686018427387904..9223372036854775808", UINT64_C(1) << 62, 2);
}

static void refused(const dj_source_info *info, const char *text, const char *words)
{
    assert_int_equal(dj_spatial_blocks(context, text, info, blocks, &block_count), DJ_ERR_USAGE);
    if (!strstr(dj_context_message(context), words))
        fail_msg("%s: '%s' lacks '%s'", text, dj_context_message(context), words);
}

static void block_sizes_that_are_refused(void **state)
{
    (void)state;
    refused(&memory, "64", "64,128");
    refused(&memory, "64..64", "64,128");
    refused(&memory, "64,256", "256 is not twice");
    refused(&memory, "64,128,64", "64 is not twice");
    refused(&memory, "64,64", "64 is not twice");
    refused(&memory, "8..100", "repeatedly doubling 8 does not yield 100");
    refused(&memory, "128..64", "does not yield 64");
    refused(&memory, "0,0", "at least 1 byte");
    refused(&memory, "0..8", "at least 1 byte");
    refused(&memory, "", "not a size");
    refused(&memory, "..", "not a size");
    refused(&memory, "8..", "not a size");
    refused(&memory, "8..16..32", "not a size");
    refused(&memory, "8,", "not a size");
    refused(&memory, "-8,16", "not a size");
    refused(&memory, "1..18446744073709551615", "more than 32 sizes");
    refused(&memory, "9223372036854775808..18446744073709551615", "does not yield");
    refused(&keys, "4K,8K", "have no size");
}

static dj_spatial_plan plan;

// What the library makes of the request.
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
    plan.request.engine_options = NULL; // goes with the groups
    dj_groups_free(&groups);
    return err;
}

static void plans(void **state)
{
    (void)state;
    dj_spatial_verb choice = {.caches.caches = "L2=1M/16,32K/8,L1=32K"};
    assert_int_equal(plan_for(&memory, &choice), DJ_OK);
    assert_int_equal(plan.request.blocks[0], 32);
    assert_int_equal(plan.request.cache_count, 2); // by size, each once
    assert_string_equal(plan.request.caches[0].name, "32K");
    assert_int_equal(plan.request.caches[0].bytes, 32 << 10);
    assert_string_equal(plan.request.caches[1].name, "L2");
    assert_int_equal(plan.request.caches[1].bytes, 1 << 20);
    assert_int_equal(usage().block, 64); // the line
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

    choice.view.block = 256; // without a line among the sizes: the double of the pair that is ranked
    choice.blocks = "128..512";
    assert_int_equal(plan_for(&memory, &choice), DJ_OK);
    assert_int_equal(usage().block, 512);
    choice.blocks = "2G,4G"; // larger than the caches
    choice.view.block = 0;
    assert_int_equal(plan_for(&memory, &choice), DJ_ERR_USAGE);
    choice.caches.caches = NULL; // those of the machine are left out
    assert_int_equal(plan_for(&memory, &choice), DJ_OK);
    assert_int_equal(plan.request.cache_count, 0);
    assert_true(usage().cache_bytes >= usage().block);
}

// Names of the observers that a request for such a trace comes to.
static void observers(const dj_source_info *info, bool places, bool *split, char names[256])
{
    static const dj_source_ops none = {.next = NULL};
    dj_source *source = NULL;
    dj_prepared *prepared = NULL;
    dj_request request = plan.request;
    request.places = places;
    assert_int_equal(dj_source_create(context, &none, NULL, info, &source), DJ_OK);
    assert_int_equal(dj_request_prepare(context, &request, source, false, &prepared), DJ_OK);
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

static void split(const dj_source_info *info, dj_spatial_verb *choice, bool expected)
{
    char names[256];
    bool found;
    assert_int_equal(plan_for(info, choice), DJ_OK);
    observers(info, false, &found, names);
    assert_int_equal(found, expected);
}

static void accesses_are_split(void **state)
{
    (void)state;
    dj_spatial_verb choice = {.caches.caches = "none"};
    split(&memory, &choice, true);
    split(&block_io, &choice, true);
    split(&keys, &choice, false); // the size of a key is no number of keys
    choice.trace.no_split = true;
    split(&memory, &choice, false);
    split(&block_io, &choice, false);
}

static void keys_have_neither_caches_nor_bytes(void **state)
{
    (void)state;
    dj_spatial_verb choice = {.caches.caches = "L1=32K"};
    char names[256];
    bool found;
    assert_int_equal(plan_for(&keys, &choice), DJ_OK);
    assert_int_equal(plan.request.cache_count, 0);
    observers(&keys, true, &found, names);
    assert_string_equal(names, "histogram traffic spatial spatial-places");
    assert_int_equal(plan_for(&memory, &choice), DJ_OK);
    observers(&memory, true, &found, names);
    assert_string_equal(names, "histogram traffic spatial spatial-places usage");
    observers(&memory, false, &found, names);
    assert_string_equal(names, "histogram traffic spatial");
    choice.caches.caches = "L1";
    assert_int_equal(plan_for(&memory, &choice), DJ_ERR_USAGE);
    choice.caches.caches = "=32K";
    assert_int_equal(plan_for(&memory, &choice), DJ_ERR_USAGE);
}

static void shares(void **state)
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
        cmocka_unit_test(block_sizes),
        cmocka_unit_test(block_sizes_that_are_refused),
        cmocka_unit_test(plans),
        cmocka_unit_test(accesses_are_split),
        cmocka_unit_test(keys_have_neither_caches_nor_bytes),
        cmocka_unit_test(shares),
    };
    return cmocka_run_group_tests(tests, make_context, drop_context);
}
