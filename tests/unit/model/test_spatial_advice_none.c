// SPDX-License-Identifier: MIT
// Programs that need no advice, and advice that others must not get.
#include "unit/spatial_program.h"

// A walk along memory is fine: every second block of 32 bytes comes with its neighbour.
static void walks_get_no_advice(void **state)
{
    (void)state;
    uint32_t all = add_object("all", DJ_OBJECT_GLOBAL, 128000, 1), load = add_place(5, inner, all, "[*]");
    for (unsigned round = 0; round < 4; round++)
        for (uint64_t i = 0; i < 16000; i++)
            touch(load, 65536 + 8 * i, 8);
    measure(DJ_RANK_LINE);
    assert_int_equal(ranking->rows[0].far.reuses, 3 * 4000); // blocks of 32 bytes
    assert_int_equal(ranking->rows[0].poor, 0);
    assert_null(ranking->rows[0].advice);
    assert_string_equal(ranking->rows[0].text, "");
}

// Entire blocks in no order: everything fetched is used.
static void whole_blocks_get_no_advice(void **state)
{
    (void)state;
    uint32_t all = add_object("all", DJ_OBJECT_GLOBAL, 128000, 1), load = add_place(5, inner, all, "[*]");
    uint32_t *order = make_order(2000);
    for (unsigned round = 0; round < 2; round++)
        for (uint64_t i = 0; i < 16000; i++)
            touch(load, 65536 + 64 * order[i / 8] + 8 * (i % 8), 8);
    free(order);
    measure(DJ_RANK_LINE);
    assert_int_equal(ranking->rows[0].poor, 0);
}

static void what_is_no_data_gets_no_advice(void **state)
{
    (void)state;
    uint32_t rest = add_object("data of libc.so.6", DJ_OBJECT_MODULE, 0, 1);
    uint32_t load = add_place(5, inner, rest, "");
    for (uint64_t i = 0; i < 16000; i++)
        touch(load, 65536 + dj_random_next(&random_state) % 16000 * 8, 8);
    measure(DJ_RANK_LINE);
    assert_true(ranking->rows[0].poor > 0);
    assert_null(ranking->rows[0].advice);
    assert_string_equal(ranking->rows[0].text, "");
}

// The first line fetches blocks of 64 bytes, the second finds their other halves there: the first scores 0,
// but the loop has nothing to save.
static void halves_that_another_line_finds(void **state)
{
    (void)state;
    uint32_t all = add_object("all", DJ_OBJECT_GLOBAL, 128000, 1);
    uint32_t first = add_place(5, inner, all, "[*]"), second = add_place(6, inner, all, "[*]");
    for (unsigned round = 0; round < 4; round++)
        for (uint64_t i = 0; i < 2000; i++) {
            touch(first, 65536 + 64 * i, 8);
            touch(second, 65536 + 64 * i + 32, 8);
        }
    measure(DJ_RANK_LINE);
    assert_int_equal(ranking->rows[0].poor, 6000);
    EXPECT(first, "split", "16 of the 64", "Other lines of the loop already use");
    assert_null(strstr(ranking->rows[0].text, "would save"));
}

// A variable that is reused late cannot be sorted.
static void single_variables_get_no_advice(void **state)
{
    (void)state;
    uint32_t all = add_object("all", DJ_OBJECT_GLOBAL, 128000, 1), walk = add_place(5, inner, all, "[*]");
    uint32_t total = add_place(6, outer, add_object("total", DJ_OBJECT_GLOBAL, 8, 1), "");
    for (unsigned round = 0; round < 4; round++) {
        touch(total, 4096, 8);
        for (uint64_t i = 0; i < 16000; i++)
            touch(walk, 65536 + 8 * i, 8);
    }
    measure(DJ_RANK_LINE);
    assert_int_equal(ranking->rows[0].poor, 3);
    EXPECT(total, "none", "No better layout");
}

// Two functions without loops do the same in turn: their data has no common index.
static void other_functions_are_no_loop(void **state)
{
    (void)state;
    uint32_t other = hand_function(code, "other", hand_file(code, "/a.c"), 20);
    uint32_t one = add_object("one", DJ_OBJECT_GLOBAL, 128000, 1);
    uint32_t two = add_object("two", DJ_OBJECT_GLOBAL, 128000, 1);
    uint32_t in_one = add_place(15, DJ_NOWHERE, one, "[*]");
    uint32_t in_two = hand_place(code, hand_site(code, other, 21, DJ_NOWHERE), in_main, two);
    uint32_t *order = make_order(2000);
    for (uint64_t i = 0; i < 12000; i++)
        touch(i / 2000 % 2 ? in_two : in_one, (i / 2000 % 2 ? 262144 : 65536) + 64 * order[i % 2000], 8);
    free(order);
    measure(DJ_RANK_LINE);
    EXPECT(in_one, "shrink", "128,000 bytes");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
        TEST(walks_get_no_advice),
        TEST(whole_blocks_get_no_advice),
        TEST(what_is_no_data_gets_no_advice),
        TEST(halves_that_another_line_finds),
        TEST(single_variables_get_no_advice),
        TEST(other_functions_are_no_loop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
