// SPDX-License-Identifier: MIT
// Spatial advice for hand-made programs.
#include "unit/spatial_program.h"

// 300 columns of 300 doubles; 2400 bytes from one row to the next.
static uint32_t make_columns(const char *element)
{
    uint32_t grid = add_object("grid", DJ_OBJECT_GLOBAL, 720000, 1);
    uint32_t load = add_place(5, inner, grid, element);
    for (uint64_t column = 0; column < 300; column++)
        for (uint64_t row = 0; row < 300; row++)
            touch(load, 4096 + 2400 * row + 8 * column, 8);
    return load;
}

static void columns_want_other_loops(void **state)
{
    (void)state;
    uint32_t load = make_columns("[*][*]");
    measure(DJ_RANK_LINE);
    EXPECT(load, "interchange", "step by 2,400 bytes", "8 of the 64 bytes of each fetched block are used",
           "cache of 8K", "loop a.c:4-8 in main runs across memory", "loop a.c:3-9 in main, along it");
}

// If nothing is known about the data, the steps from one column to the next are enough.
static void columns_without_types(void **state)
{
    (void)state;
    uint32_t load = make_columns("");
    measure(DJ_RANK_LOOP);
    EXPECT(load, "interchange", "2,400");
}

// An enclosing loop that only starts over is not one to interchange. 2000 blocks are fetched three more
// times, half of which a neighbour could have fetched.
static void one_field_is_split_off(void **state)
{
    (void)state;
    uint32_t all = add_object("all", DJ_OBJECT_GLOBAL, 128000, 1), load = add_place(5, inner, all, "[*].x");
    for (unsigned round = 0; round < 4; round++)
        for (uint64_t i = 0; i < 2000; i++)
            touch(load, 4096 + 64 * i + 8, 8);
    measure(DJ_RANK_LINE);
    assert_int_equal(ranking->rows[0].poor, 6000);
    EXPECT(load, "split", "step by 64 bytes", "8 of the 64", "Splitting the structure",
           "A score of 1 would save 3,000 misses in L1.");
}

static void every_eighth_element(void **state)
{
    (void)state;
    uint32_t all = add_object("all", DJ_OBJECT_GLOBAL, 128000, 1), load = add_place(5, inner, all, "[*]");
    for (unsigned round = 0; round < 4; round++)
        for (uint64_t i = 2000; i > 0; i--)
            touch(load, 4096 + 64 * i, 8);
    measure(DJ_RANK_LINE);
    EXPECT(load, "split", "64 bytes, backwards", "separate array");
}

// Two fields of 8 bytes, `gap` bytes from each other in structures of `bytes`, in no order.
static uint32_t make_fields(uint64_t bytes, uint64_t gap)
{
    uint32_t all = add_object("all", DJ_OBJECT_GLOBAL, 1000 * bytes, 1);
    uint32_t first = add_place(5, inner, all, "[*].first");
    uint32_t second = add_place(5, inner, all, "[*].second");
    uint32_t *order = make_order(1000);
    for (unsigned round = 0; round < 4; round++)
        for (uint64_t i = 0; i < 1000; i++) {
            touch(first, 4096 + bytes * order[i], 8);
            touch(second, 4096 + bytes * order[i] + gap, 8);
        }
    free(order);
    return first;
}

static void fields_far_apart_become_neighbours(void **state)
{
    (void)state;
    uint32_t first = make_fields(192, 128);
    measure(DJ_RANK_LOOP);
    assert_string_equal(ranking->rows[0].object_name, "all[*]");
    EXPECT(first, "reorder fields", "no regular order", "all[*].first", "all[*].second");
}

static void structures_across_blocks_are_padded(void **state)
{
    (void)state;
    make_fields(48, 40);
    measure(DJ_RANK_LOOP);
    EXPECT(ranking->rows[0].place, "pad", "Elements of 48 bytes",
           "Padding and aligning each to 64 bytes may help.");
}

static void structures_of_a_block_are_aligned(void **state)
{
    (void)state;
    uint32_t all = add_object("heap all (a.c:2)", DJ_OBJECT_HEAP, 64000, 1000);
    uint32_t first = add_place(5, inner, all, ".first"), last = add_place(5, inner, all, ".last");
    uint32_t *order = make_order(1000);
    for (unsigned round = 0; round < 4; round++)
        for (uint64_t i = 0; i < 1000; i++) { // 64 bytes from 80 to 80
            touch(first, 65536 + 80 * order[i], 8);
            touch(last, 65536 + 80 * order[i] + 56, 8);
        }
    free(order);
    measure(DJ_RANK_LOOP);
    EXPECT(ranking->rows[0].place, "pad", "Elements of 64 bytes", "Aligning them to 64 bytes may help.");
}

// The same structures, but with both fields in the first half: there is nothing to pad.
static void fields_together_are_split_off(void **state)
{
    (void)state;
    uint32_t first = make_fields(64, 8);
    measure(DJ_RANK_LOOP);
    EXPECT(first, "split", "16 of the 64");
}

// The elements of one are half as large as those of the other.
static void arrays_at_one_index_are_regrouped(void **state)
{
    (void)state;
    uint32_t wide = add_object("wide", DJ_OBJECT_GLOBAL, 32000, 1);
    uint32_t narrow = add_object("narrow", DJ_OBJECT_GLOBAL, 16000, 1);
    uint32_t in_wide = add_place(5, inner, wide, "[*]"), in_narrow = add_place(6, inner, narrow, "[*]");
    uint32_t *order = make_order(4000);
    for (unsigned round = 0; round < 3; round++)
        for (uint64_t i = 0; i < 4000; i++) {
            touch(in_wide, 65536 + 8 * order[i], 8);
            touch(in_narrow, 262144 + 4 * order[i], 4);
        }
    free(order);
    measure(DJ_RANK_LINE);
    EXPECT(in_wide, "regroup", "narrow[*] is used in the same loop", "Regrouping");
}

// The same arrays, each in its own order: there is no common index.
static void arrays_at_two_indexes_are_not(void **state)
{
    (void)state;
    uint32_t wide = add_object("wide", DJ_OBJECT_GLOBAL, 64000, 1);
    uint32_t other = add_object("other", DJ_OBJECT_GLOBAL, 64000, 1);
    uint32_t in_wide = add_place(5, inner, wide, "[*]"), in_other = add_place(6, inner, other, "[*]");
    for (uint64_t i = 0; i < 24000; i++) {
        touch(in_wide, 65536 + dj_random_next(&random_state) % 8000 * 8, 8);
        touch(in_other, 262144 + dj_random_next(&random_state) % 8000 * 8, 8);
    }
    measure(DJ_RANK_LINE);
    EXPECT(ranking->rows[0].place, "shrink", "64,000 bytes");
}

static uint32_t make_scattered(bool from_list, uint8_t as)
{
    uint32_t data = add_object("data", DJ_OBJECT_GLOBAL, 256000, 1);
    uint32_t list = add_object("list", DJ_OBJECT_GLOBAL, 128000, 1);
    uint32_t use = add_place(6, inner, data, "[*]"), item = add_place(5, inner, list, "[*]");
    for (uint64_t i = 0; i < 32000; i++) {
        if (from_list)
            touch(item, 1048576 + 4 * i, 4);
        touch(use, 65536 + dj_random_next(&random_state) % 32000 * 8, 8);
        kind[count - 1] = as;
    }
    return use;
}

static void tables_are_made_smaller(void **state)
{
    (void)state;
    uint32_t use = make_scattered(false, DJ_KIND_READ);
    measure(DJ_RANK_LINE);
    EXPECT(use, "shrink", "no regular order", "256,000 bytes", "smaller");
}

static void lists_of_work_are_sorted(void **state)
{
    (void)state;
    uint32_t use = make_scattered(true, DJ_KIND_READ);
    measure(DJ_RANK_LINE);
    EXPECT(use, "sort", "Sorting or bucketing");
}

static void scattered_results_are_sorted(void **state)
{
    (void)state;
    uint32_t use = make_scattered(false, DJ_KIND_WRITE);
    measure(DJ_RANK_LINE);
    EXPECT(use, "sort", "Sorting or bucketing");
}

static void nodes_are_put_in_the_order_of_use(void **state)
{
    (void)state;
    uint32_t nodes = add_object("heap node (a.c:2)", DJ_OBJECT_HEAP, 64000, 2000);
    uint32_t load = add_place(5, inner, nodes, ".next");
    uint32_t *order = make_order(2000);
    for (unsigned round = 0; round < 3; round++)
        for (uint64_t i = 0; i < 2000; i++)
            touch(load, 65536 + 48 * order[i], 8);
    free(order);
    measure(DJ_RANK_LINE);
    EXPECT(load, "sort", "2,000 blocks were allocated individually");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
        TEST(columns_want_other_loops),
        TEST(columns_without_types),
        TEST(one_field_is_split_off),
        TEST(every_eighth_element),
        TEST(fields_far_apart_become_neighbours),
        TEST(structures_across_blocks_are_padded),
        TEST(structures_of_a_block_are_aligned),
        TEST(fields_together_are_split_off),
        TEST(arrays_at_one_index_are_regrouped),
        TEST(arrays_at_two_indexes_are_not),
        TEST(tables_are_made_smaller),
        TEST(lists_of_work_are_sorted),
        TEST(scattered_results_are_sorted),
        TEST(nodes_are_put_in_the_order_of_use),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
