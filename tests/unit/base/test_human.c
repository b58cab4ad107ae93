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

static void shares_of_work_have_three_digits(void **state)
{
    (void)state;
    char to[DJ_HUMAN_BYTES];
    assert_string_equal(dj_human_fraction(to, 0.08727), "0.0873");
    assert_string_equal(dj_human_fraction(to, 45.21), "45.2");
    assert_string_equal(dj_human_fraction(to, 12), "12");
    assert_string_equal(dj_human_fraction(to, 12345.6), "12.3k");
    assert_string_equal(dj_human_fraction(to, 0), "0");
}

static void rough_percentages_have_no_exponent(void **state)
{
    (void)state;
    char to[DJ_HUMAN_BYTES];
    assert_string_equal(dj_human_rough(to, 0.0064), "<0.01%");
    assert_string_equal(dj_human_rough(to, 0.524), "0.52%");
    assert_string_equal(dj_human_rough(to, 13.07), "13%");
    assert_string_equal(dj_human_rough(to, 99.7), "99.7%");
    assert_string_equal(dj_human_rough(to, 99.99), ">99.9%");
    assert_string_equal(dj_human_rough(to, 100), "100%");
    assert_string_equal(dj_human_rough(to, 250), "250%");
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
        cmocka_unit_test(shares_of_work_have_three_digits),
        cmocka_unit_test(rough_percentages_have_no_exponent),
        cmocka_unit_test(sizes_have_binary_units),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
