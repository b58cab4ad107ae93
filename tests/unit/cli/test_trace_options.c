// SPDX-License-Identifier: MIT
// The options of a trace select block size, splitting and engine.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "base/option/option.h"
#include "cli/options/trace.h"
#include "support/context.h"

static const dj_source_info memory = {
    .format = "lackey", .kind = DJ_CLASS_MEMORY, .default_block = 64, .unit_bytes = 1};
static const dj_source_info block_io = {.format = "msr",
                                        .kind = DJ_CLASS_BLOCK_IO,
                                        .default_block = 4096,
                                        .unit_bytes = 1,
                                        .default_split = true};
static const dj_source_info keys = {.format = "text", .kind = DJ_CLASS_KEYS, .default_block = 1};

static dj_plan plan;
static dj_request request;

// Parses the line and plans for a trace of this kind.
static int plan_for(const dj_source_info *info, const char *line)
{
    static char copy[256];
    char *args[16];
    const char *positional[16];
    size_t count = 0, rest = 0;
    snprintf(copy, sizeof copy, "%s", line);
    for (char *word = strtok(copy, " "); word; word = strtok(NULL, " "))
        args[count++] = word;
    dj_trace_options reading = {0};
    dj_groups groups = {0};
    int err = dj_trace_list(context, &reading, &groups);
    if (!err)
        err = dj_option_parse(context, groups.list, groups.count, count, args, positional, &rest);
    if (!err)
        err = dj_trace_plan(context, &reading, info, &plan);
    dj_trace_request(&reading, &(dj_arguments){0}, &request);
    plan.engine.options = NULL; // owned by the groups
    dj_groups_free(&groups);
    return err;
}

static void defaults_come_from_the_trace(void **state)
{
    (void)state;
    assert_int_equal(plan_for(&memory, ""), DJ_OK);
    assert_int_equal(plan.block_bytes, 64);
    assert_int_equal(request.splitting, DJ_SPLIT_DEFAULT);
    assert_ptr_equal(plan.engine.engine, dj_engine_get(0));
    assert_int_equal(plan_for(&block_io, ""), DJ_OK);
    assert_int_equal(plan.block_bytes, 4096);
    assert_int_equal(plan_for(&keys, ""), DJ_OK);
    assert_int_equal(plan.block_bytes, 1);
    assert_int_equal(plan.size_block, 0);
}

static void options_override_the_trace(void **state)
{
    (void)state;
    assert_int_equal(plan_for(&memory, "--block 4K --split --engine stack"), DJ_OK);
    assert_int_equal(plan.block_bytes, 4096);
    assert_int_equal(plan.size_block, 4096);
    assert_int_equal(request.splitting, DJ_SPLIT_EACH);
    assert_string_equal(plan.engine.engine->name, "stack");
    assert_int_equal(plan_for(&block_io, "--no-split -b 512"), DJ_OK);
    assert_int_equal(plan.block_bytes, 512);
    assert_int_equal(request.splitting, DJ_SPLIT_FIRST);
    assert_int_equal(plan_for(&keys, "--block 8"), DJ_OK);
    assert_int_equal(plan.block_bytes, 8);
}

static void expect_refused(const dj_source_info *info, const char *line, const char *words)
{
    assert_int_equal(plan_for(info, line), DJ_ERR_USAGE);
    if (!strstr(dj_context_message(context), words))
        fail_msg("'%s' lacks '%s'", dj_context_message(context), words);
}

static void contradictory_options_are_refused(void **state)
{
    (void)state;
    expect_refused(&keys, "--block 4K", "have no size");
    expect_refused(&memory, "--block 0", "at least 1 byte");
    expect_refused(&memory, "--block many", "not a size");
    expect_refused(&memory, "--split --no-split", "cannot be combined");
    expect_refused(&memory, "--engine warp", "unknown engine 'warp'");
}

static void an_option_of_another_engine_is_refused(void **state)
{
    (void)state;
    assert_int_equal(plan_for(&memory, "--count-block 64 --engine count"), DJ_OK);
    assert_string_equal(plan.engine.engine->name, "count");
    expect_refused(&memory, "--count-block 64 --engine stack", "add --engine count");
    // An option of two engines is allowed for both, and for no other.
    assert_int_equal(plan_for(&memory, "--threads 3 --engine hprda --adjust always"), DJ_OK);
    assert_int_equal(plan_for(&memory, "--threads 3 --engine parallel"), DJ_OK);
    expect_refused(&memory, "--threads 3 --engine tree", "--threads is an option of engine parallel");
    expect_refused(&memory, "--threads 3 --engine parallel --adjust never",
                   "--adjust is an option of engine hprda");
}

static void threads_choose_the_engine(void **state)
{
    (void)state;
    static const struct {
        const char *line, *engine;
        uint64_t threads;
        bool named;
    } cases[] = {{"", "fast", 0, false},
                 {"--engine auto", "fast", 0, false},
                 {"-j 1", "fast", 1, false},
                 {"-j 3", "parallel", 3, false},
                 {"--engine auto --threads 2", "parallel", 2, false},
                 {"--chunk 5000", "parallel", 0, false},
                 {"-j 1 --engine parallel", "parallel", 0, true},
                 {"--engine fast", "fast", 0, true}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(plan_for(&memory, cases[i].line), DJ_OK);
        assert_string_equal(plan.engine.engine->name, cases[i].engine);
        assert_int_equal(plan.engine.threads, cases[i].threads);
        assert_int_equal(plan.engine.named, cases[i].named);
    }
    expect_refused(&memory, "-j 2 --engine fast", "add --engine parallel");
    expect_refused(&memory, "--engine warp", "engines are auto, fast,");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(defaults_come_from_the_trace),
        cmocka_unit_test(options_override_the_trace),
        cmocka_unit_test(contradictory_options_are_refused),
        cmocka_unit_test(an_option_of_another_engine_is_refused),
        cmocka_unit_test(threads_choose_the_engine),
    };
    return cmocka_run_group_tests(tests, make_context, drop_context);
}
