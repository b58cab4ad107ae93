// SPDX-License-Identifier: MIT
// Alignments of lines whose correspondence is known, since the second function is made from the first.
#include "base/random.h"
#include "model/diff/side.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#include "support/context.h"

enum { LINES = 60, MOST = 20000 };

typedef struct code {
    dj_diff_item items[MOST];
    size_t from[MOST]; // the line before that this is; SIZE_MAX: new
    size_t count;
} code;

static code before, after;

static void add(code *to, uint64_t order, uint64_t accesses, uint64_t misses, size_t from)
{
    assert_true(to->count < MOST);
    to->from[to->count] = from;
    to->items[to->count++] = (dj_diff_item){.order = order,
                                            .accesses = accesses,
                                            .writes = accesses / 3,
                                            .fingerprint = accesses * 1000003 + misses,
                                            .match = SIZE_MAX};
}

// Lines as programs have them: many with the same count, in loops.
static void make_before(dj_random *random, size_t lines)
{
    uint64_t order = 1, count = 1000;
    before.count = 0;
    for (size_t i = 0; i < lines; i++) {
        if (dj_random_below(random, 4) == 0)
            count = 1 + dj_random_below(random, 100000);
        add(&before, order, count, dj_random_below(random, 50), SIZE_MAX);
        order += 1 + dj_random_below(random, 3);
    }
}

static void forget(void)
{
    for (size_t i = 0; i < before.count; i++)
        before.items[i].match = SIZE_MAX;
}

static void align_scaled(double scale)
{
    forget();
    assert_int_equal(dj_diff_align(context, DJ_BY_LINE, scale, (dj_diff_run){before.items, 0, before.count},
                                   (dj_diff_run){after.items, 0, after.count}),
                     DJ_OK);
    size_t last = 0;
    for (size_t i = 0; i < before.count; i++) {
        const size_t match = before.items[i].match;
        if (match == SIZE_MAX)
            continue;
        assert_true(match < after.count && after.items[match].match == i);
        assert_true(match >= last); // in order
        last = match;
    }
}

static void align(void)
{
    align_scaled(1);
}

// How many lines are those that they were made from; all that are not must at least have the same counts.
static size_t right(bool alike)
{
    size_t count = 0;
    for (size_t j = 0; j < after.count; j++) {
        const size_t match = after.items[j].match;
        count += match == after.from[j];
        if (alike && match != after.from[j])
            assert_true(match != SIZE_MAX && after.from[j] != SIZE_MAX &&
                        dj_diff_alike(&before.items[match], &after.items[j]));
    }
    return count;
}

// Comments and empty lines, anywhere: code that is the same remains the same.
static void inserted_comments_change_nothing(void **state)
{
    (void)state;
    dj_random random;
    dj_random_seed(&random, 1);
    for (int round = 0; round < 2000; round++) {
        uint64_t shift = 0;
        make_before(&random, 1 + dj_random_below(&random, LINES));
        after.count = 0;
        for (size_t i = 0; i < before.count; i++) {
            if (dj_random_below(&random, 10) == 0)
                shift += 1 + dj_random_below(&random, 5);
            const dj_diff_item *item = &before.items[i];
            add(&after, item->order + shift, item->accesses, 0, i);
            after.items[i].fingerprint = item->fingerprint;
        }
        align();
        assert_int_equal(right(true), before.count);
    }
}

// Four lines of one loop, with a comment above: the second line is not the first one.
static void a_loop_that_moved_by_one_line_is_the_same(void **state)
{
    (void)state;
    static const uint64_t counts[] = {100, 50, 100, 200};
    before.count = after.count = 0;
    for (size_t i = 0; i < 4; i++) {
        add(&before, 10 + i, counts[i], 0, SIZE_MAX);
        add(&after, 11 + i, counts[i], 7, i); // other misses
    }
    align();
    assert_int_equal(right(false), 4);
}

// A hot line that is new is not the one below it.
static void a_new_line_is_no_old_one(void **state)
{
    (void)state;
    before.count = after.count = 0;
    add(&before, 6, 3, 0, SIZE_MAX);
    add(&before, 8, 2, 0, SIZE_MAX);
    add(&after, 6, 3, 0, 0);
    add(&after, 9, 57600, 0, SIZE_MAX);
    add(&after, 10, 1, 0, 1);
    align_scaled(1.2);
    assert_int_equal(right(false), 3);
}

static void another_amount_of_work_changes_no_line(void **state)
{
    (void)state;
    dj_random random;
    dj_random_seed(&random, 2);
    for (int round = 0; round < 500; round++) {
        make_before(&random, LINES);
        const uint64_t factor = 2 + dj_random_below(&random, 9);
        after.count = 0;
        for (size_t i = 0; i < before.count; i++)
            add(&after, before.items[i].order, factor * before.items[i].accesses, 0, i);
        align_scaled((double)factor);
        assert_int_equal(right(false), before.count);
    }
}

// New lines, removed ones, and lines with other counts.
static void most_of_changed_code_is_recognized(void **state)
{
    (void)state;
    size_t found = 0, all = 0;
    dj_random random;
    dj_random_seed(&random, 3);
    for (int round = 0; round < 500; round++) {
        uint64_t shift = 0;
        make_before(&random, LINES);
        after.count = 0;
        for (size_t i = 0; i < before.count; i++) {
            const dj_diff_item *item = &before.items[i];
            const uint64_t what = dj_random_below(&random, 30);
            if (what == 0)
                continue;
            if (what == 1)
                add(&after, item->order + shift++, 1 + dj_random_below(&random, 100000), 3, SIZE_MAX);
            add(&after, item->order + shift, what == 2 ? item->accesses * 11 / 10 + 1 : item->accesses,
                dj_random_below(&random, 2), i);
        }
        align();
        found += right(false);
        all += after.count;
    }
    if (found < all * 97 / 100)
        fail_msg("%zu of %zu", found, all);
}

// Thousands of lines, with a hundred inserted in the middle, and other misses everywhere.
static void long_functions_are_aligned(void **state)
{
    (void)state;
    dj_random random;
    dj_random_seed(&random, 4);
    make_before(&random, 10000);
    after.count = 0;
    for (size_t i = 0; i < before.count; i++) {
        for (size_t k = 0; i == 5000 && k < 100; k++)
            add(&after, before.items[i].order + k, 77, 1, SIZE_MAX);
        add(&after, before.items[i].order + (i < 5000 ? 0 : 100), before.items[i].accesses, 1000, i);
    }
    align();
    assert_true(right(false) > after.count * 99 / 100);
}

static void lengths_may_differ_much(void **state)
{
    (void)state;
    dj_random random;
    dj_random_seed(&random, 5);
    make_before(&random, 3);
    after.count = 0;
    for (size_t j = 0; j < MOST; j++)
        add(&after, j, 5, 1, SIZE_MAX);
    add(&before, before.items[2].order + 1, 123456, 1, SIZE_MAX);
    after.items[MOST - 1].accesses = 123456;
    after.from[MOST - 1] = 3;
    align();
    assert_int_equal(after.items[MOST - 1].match, 3);
    after.count = 0;
    align(); // nothing to align with
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(inserted_comments_change_nothing),
        cmocka_unit_test(a_loop_that_moved_by_one_line_is_the_same),
        cmocka_unit_test(a_new_line_is_no_old_one),
        cmocka_unit_test(another_amount_of_work_changes_no_line),
        cmocka_unit_test(most_of_changed_code_is_recognized),
        cmocka_unit_test(long_functions_are_aligned),
        cmocka_unit_test(lengths_may_differ_much),
    };
    return cmocka_run_group_tests_name("align", tests, make_context, drop_context);
}
