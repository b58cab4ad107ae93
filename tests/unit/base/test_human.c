// SPDX-License-Identifier: MIT
#include "unit/lane.h"

#include "base/human.h"

static void counts_are_rounded(void **state)
{
    (void)state;
    char to[DJ_HUMAN_BYTES];
    assert_string_equal(dj_human_count(to, 0), "0");
    assert_string_equal(dj_human_count(to, 999), "999");
    assert_string_equal(dj_human_count(to, 1000), "1,000");
    assert_string_equal(dj_human_count(to, 1234567), "1,234,567");
    assert_string_equal(dj_human_count(to, UINT64_MAX), "18,446,744,073,709,551,615");
}

static void real_numbers_are_rounded(void **state)
{
    (void)state;
    char to[DJ_HUMAN_BYTES];
    assert_string_equal(dj_human_real(to, 0, 2), "0.00");
    assert_string_equal(dj_human_real(to, 1234.567, 2), "1,234.57");
    assert_string_equal(dj_human_real(to, 999.5, 1), "999.5");
    assert_string_equal(dj_human_real(to, -1234.5, 1), "-1,234.5");
    assert_string_equal(dj_human_real(to, 1e18, 2), "1e+18");
}

static void percentages_are_rounded(void **state)
{
    (void)state;
    char to[DJ_HUMAN_BYTES];
    assert_string_equal(dj_human_percent(to, 1, 8), "12.50%");
    assert_string_equal(dj_human_percent(to, 0, 8), "0.00%");
    assert_string_equal(dj_human_percent(to, 1, 1e6), "<0.01%");
    assert_string_equal(dj_human_percent(to, 1, 0), "0.00%");
}

static void sizes_have_binary_units(void **state)
{
    (void)state;
    char to[DJ_HUMAN_BYTES];
    assert_string_equal(dj_human_bytes(to, 0), "0 B");
    assert_string_equal(dj_human_bytes(to, 1023), "1023 B");
    assert_string_equal(dj_human_bytes(to, 1024), "1 KiB");
    assert_string_equal(dj_human_bytes(to, 1536), "1.50 KiB");
    assert_string_equal(dj_human_bytes(to, 32 * 1024 - 1), "32.0 KiB");
    assert_string_equal(dj_human_bytes(to, (1 << 20) - 1), "1.00 MiB"); // not 1024 KiB
    assert_string_equal(dj_human_bytes(to, UINT64_MAX), "16 EiB");
    assert_string_equal(dj_human_size(to, 512), "512");
    assert_string_equal(dj_human_size(to, 4096), "4K");
    assert_string_equal(dj_human_size(to, 1 << 20), "1M");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_are_rounded),
        cmocka_unit_test(real_numbers_are_rounded),
        cmocka_unit_test(percentages_are_rounded),
        cmocka_unit_test(sizes_have_binary_units),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
