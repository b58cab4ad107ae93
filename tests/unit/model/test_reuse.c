// SPDX-License-Identifier: MIT
// Pairs of places are combined into reuses.
#include <math.h>

#include "unit/reuse_program.h"

// Only a write shows that the data is new; others are neighbours in a block.
static void recycled_memory(void **state)
{
    (void)state;
    program p = make_program();
    uint32_t first = use(&p, p.work, 34, p.columns, p.in_work),
             second = use(&p, p.work, 52, p.after, p.in_work);
    p.a->places[second].object = p.list;
    hand_pair(p.a, first, second, 500, 100);
    dj_reuses *found = find(&p);
    assert_null(found->list[0].advice);
    dj_reuses_destroy(found);
    p.a->places[second].tally.writes = p.a->places[second].tally.accesses;
    found = find(&p);
    assert_string_equal(dj_advice_name(found->list[0].advice), "recycled memory");
    assert_int_equal(found->list[0].from_object, p.grid);
    assert_int_equal(found->list[0].object, p.list);
    assert_string_equal(found->list[0].data_name, "heap list[*][*] (a.c:5)");
    assert_non_null(strstr(found->list[0].text, "last used as grid,"));
    dj_reuses_destroy(found);
    dj_attribution_destroy(p.a);
}

// Two instructions on a line are one use; another object, line or loop is another.
static void pairs_are_grouped(void **state)
{
    (void)state;
    program p = make_program();
    uint32_t one = use(&p, p.work, 34, p.columns, p.in_work), two = use(&p, p.work, 34, p.columns, p.in_work),
             elsewhere = use(&p, p.work, 35, p.columns, p.in_work),
             late = use(&p, p.work, 34, p.columns, hand_cct_node(p.a, p.in_main, p.work, p.call_late));
    hand_pair(p.a, one, two, 256, 30);
    hand_pair(p.a, two, one, 255, 40);
    hand_pair(p.a, late, late, 4095, 5);
    hand_pair(p.a, one, elsewhere, 4096, 7);
    hand_reuses(&p.a->places[two].tally, p.a, 256, 30, 0);
    hand_reuses(&p.a->places[one].tally, p.a, 255, 40, 0);
    hand_reuses(&p.a->places[late].tally, p.a, 4095, 5, 0);
    hand_reuses(&p.a->places[elsewhere].tally, p.a, 4096, 7, 0);
    dj_reuses *found = find(&p);
    assert_int_equal(found->count, 2);
    // Of all misses, 82, 42 and 7, it has 75, 35 and 0: more than 7, 7 and 7.
    const dj_reuse *first = &found->list[1], *second = &found->list[0];
    assert_true(fabs(second->weight - (75.0 / 82 + 35.0 / 42)) < 1e-12);
    assert_int_equal(found->all_misses[1], 42);
    assert_string_equal(first->to_name, "a.c:35 in work");
    assert_int_equal(first->misses[0], 7);
    assert_int_equal(first->misses[2], 7); // 4096 blocks between do not fit in 4096
    assert_string_equal(second->from_name, "a.c:34 in work");
    assert_string_equal(second->to_name, "a.c:34 in work");
    assert_string_equal(second->loop_name, "a.c:33-39 in work");
    assert_int_equal(second->from, two);
    assert_int_equal(second->to, one);
    assert_int_equal(second->tally.accesses, 75);
    assert_int_equal(second->misses[0], 75);
    assert_int_equal(second->misses[1], 35);
    assert_int_equal(second->misses[2], 0);
    assert_int_equal(found->total_misses[0], 82);
    dj_reuses_destroy(found);
    dj_attribution_destroy(p.a);
}

static void no_pairs(void **state)
{
    (void)state;
    program p = make_program();
    dj_reuses *found = find(&p);
    assert_int_equal(found->count, 0);
    assert_int_equal(found->total.accesses, 0);
    dj_reuses_destroy(found);
    dj_attribution_destroy(p.a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(recycled_memory),
        cmocka_unit_test(pairs_are_grouped),
        cmocka_unit_test(no_pairs),
    };
    return cmocka_run_group_tests(tests, make_context, drop_context);
}
