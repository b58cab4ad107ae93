// SPDX-License-Identifier: MIT
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "base/size.h"
#include "cli/options/sizes.h"
#include "support/context.h"

static void valid_sizes_are_parsed(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint64_t value;
        bool bytes;
    } rows[] = {
        {"0", 0, false},          {"1000", 1000, false},
        {"0x10", 16, false},      {"18446744073709551615", UINT64_MAX, false},
        {"512B", 512, true},      {"1K", 1024, true},
        {"1k", 1024, true},       {"1KB", 1024, true},
        {"1KiB", 1024, true},     {"32M", 33554432, true},
        {"2G", 2147483648, true}, {"1TiB", 1099511627776, true},
        {"1.5K", 1536, true},     {"1.25MiB", 1310720, true},
        {"0.5B", 0, true},        {"15.999999999999999999999999T", 17592186044415, true},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        dj_size size;
        assert_int_equal(dj_size_parse(context, "--size", rows[i].text, &size), DJ_OK);
        assert_int_equal(size.value, rows[i].value);
        assert_int_equal(size.bytes, rows[i].bytes);
    }
}

static void invalid_sizes_are_refused(void **state)
{
    (void)state;
    static const char *const texts[] = {"",    "K",   "-1",  "+1",  " 1", "1 ",  "1X", "1KX", "1KiBs",
                                        "1.K", "1.5", "1e3", ".5K", "0x", "1,2", "1P", "12i"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        dj_size size;
        assert_int_equal(dj_size_parse(context, "--size", texts[i], &size), DJ_ERR_USAGE);
        assert_non_null(strstr(dj_context_message(context), "--size"));
    }
}

static void sizes_over_64_bits_are_refused(void **state)
{
    (void)state;
    static const char *const texts[] = {"18446744073709551616", "18014398509481984K", "16777216T",
                                        "0x10000000000000000"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        dj_size size;
        assert_int_equal(dj_size_parse(context, "--size", texts[i], &size), DJ_ERR_USAGE);
        assert_non_null(strstr(dj_context_message(context), "64 bits"));
    }
}

static void lists_round_down_to_blocks(void **state)
{
    (void)state;
    dj_sizes sizes;
    assert_int_equal(dj_sizes_parse(context, "1000,2K,127B,32KiB,2048B", 64, false, &sizes), DJ_OK);
    const uint64_t expected[] = {1, 32, 512, 1000};
    assert_int_equal(sizes.block_count, 4);
    assert_memory_equal(sizes.blocks, expected, sizeof expected);
    dj_sizes_free(&sizes);
}

static void bytes_are_refused_for_keys(void **state)
{
    (void)state;
    dj_sizes sizes;
    assert_int_equal(dj_sizes_parse(context, "1000,2K", 0, false, &sizes), DJ_ERR_USAGE);
    assert_non_null(strstr(dj_context_message(context), "2K"));
    assert_int_equal(dj_sizes_parse(context, "1000,2000", 0, false, &sizes), DJ_OK);
    assert_int_equal(sizes.block_count, 2);
    dj_sizes_free(&sizes);
}

static void lists_with_empty_items_are_refused(void **state)
{
    (void)state;
    static const char *const texts[] = {"", ",", "1,", ",1", "1,,2", "1;2"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        dj_sizes sizes;
        assert_int_equal(dj_sizes_parse(context, texts[i], 64, false, &sizes), DJ_ERR_USAGE);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(valid_sizes_are_parsed),
        cmocka_unit_test(invalid_sizes_are_refused),
        cmocka_unit_test(sizes_over_64_bits_are_refused),
        cmocka_unit_test(lists_round_down_to_blocks),
        cmocka_unit_test(bytes_are_refused_for_keys),
        cmocka_unit_test(lists_with_empty_items_are_refused),
    };
    return cmocka_run_group_tests(tests, make_context, drop_context);
}
