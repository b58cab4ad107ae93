// SPDX-License-Identifier: MIT
// Large tables keep their contents when they grow, and are counted once.
#include "base/huge.h"

#include <setjmp.h>
#include <stdarg.h>
// cmocka needs the four above it
#include <cmocka.h>

#include "support/context.h"

static void test_growing_keeps_the_content(void **state)
{
    (void)state;
    enum { STEPS = 10 };
    dj_huge huge = {0};
    dj_footprint footprint = {0};
    uint64_t held = 0;
    for (size_t step = 0, count = 1000; step < STEPS; step++, count *= 3) {
        assert_int_equal(
            dj_huge_grow(&huge, &footprint, context, "numbers", count, sizeof held, held * sizeof held),
            DJ_OK);
        uint64_t *numbers = huge.memory;
        assert_true(huge.bytes >= count * sizeof held);
        assert_int_equal((uintptr_t)numbers % 64, 0);
        assert_int_equal(footprint.bytes, huge.bytes);
        for (uint64_t i = 0; i < held; i += 97)
            assert_int_equal(numbers[i], i * step);
        held = count < 5000000 ? count : 5000000;
        for (uint64_t i = 0; i < held; i++)
            numbers[i] = i * (step + 1);
    }
    // Tables that moved never existed twice, except small ones.
    assert_true(footprint.peak_bytes < huge.bytes + (4 << 20));
    dj_huge_free(&huge, &footprint);
    assert_int_equal(footprint.bytes, 0);
}

static void test_a_failed_growth_keeps_the_content(void **state)
{
    (void)state;
    enum { COUNT = 1 << 20 };
    dj_huge huge = {0};
    dj_footprint footprint = {0};
    assert_int_equal(dj_huge_grow(&huge, &footprint, context, "numbers", COUNT, 8, 0), DJ_OK);
    uint64_t *numbers = huge.memory;
    numbers[COUNT - 1] = 77;
    const uint64_t bytes = footprint.bytes;
    assert_int_equal(dj_huge_grow(&huge, &footprint, context, "numbers", UINT64_C(1) << 59, 8, COUNT * 8),
                     DJ_ERR_MEMORY);
    assert_ptr_equal(huge.memory, numbers);
    assert_int_equal(numbers[COUNT - 1], 77);
    assert_int_equal(footprint.bytes, bytes);
    dj_huge_free(&huge, &footprint);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_growing_keeps_the_content),
        cmocka_unit_test(test_a_failed_growth_keeps_the_content),
    };
    return cmocka_run_group_tests(tests, make_context, drop_context);
}
