// SPDX-License-Identifier: MIT
// Which loop contains both uses, and the advice for them.
#include "unit/reuse_program.h"

// One pair of 100 reuses at `distance`, and its advice.
static void assert_advice(program *p, uint32_t from, uint32_t to, uint64_t distance, uint32_t loop,
                          const char *advice, const char *text)
{
    hand_pair(p->a, from, to, distance, 100);
    dj_reuses *found = find(p);
    assert_int_equal(found->count, 1);
    assert_int_equal(found->list[0].loop, loop);
    assert_string_equal(dj_advice_name(found->list[0].advice), advice);
    assert_string_equal(found->list[0].text, text);
    dj_reuses_destroy(found);
    dj_attribution_destroy(p->a);
}

static dj_sketch *sketch_of(uint64_t count)
{
    dj_sketch *sketch = calloc(1, sizeof *sketch);
    assert_non_null(sketch);
    for (uint64_t i = 0; i < count; i++)
        dj_sketch_add(sketch, i);
    return sketch;
}

// The entire grid is used in between: the two loops over its indexes have finished, so the loop in main,
// around the call, sweeps it again.
static void swept_again_by_the_loop_around_the_call(void **state)
{
    (void)state;
    program p = make_program();
    uint32_t load = use(&p, p.work, 34, p.columns, p.in_work);
    assert_advice(
        &p, load, load, 999, p.columns, "tile",
        "Loop a.c:10-20 in main probably sweeps grid[*][*] in every iteration. Tiling it may help: run "
        "several iterations on a part of the data that fits in the cache, then move on to the next "
        "part.");
}

// A vector beside a large grid: what is used in between is far less than what the inner loop touches in
// total, so the next loop carries the reuse.
static void swept_again_by_the_next_loop(void **state)
{
    (void)state;
    program p = make_program();
    uint32_t load = use(&p, p.work, 34, p.columns, p.in_work);
    p.a->sites[p.a->places[load].site].sketch = sketch_of(1000);
    assert_advice(
        &p, load, load, 100, p.columns, "tile",
        "Loop a.c:32-40 in work probably sweeps grid[*][*] in every iteration. Tiling it may help: run "
        "several iterations on a part of the data that fits in the cache, then move on to the next "
        "part.");
}

// Of 27,000 accesses, 2,000 return to a block after 600 others, more than half of the data, and 15,000
// after 100: 7.5 further parts of each block.
static void inner_loop_steps_across(void **state)
{
    (void)state;
    program p = make_program();
    uint32_t load = use(&p, p.work, 34, p.columns, p.in_work);
    hand_reuses(&p.a->places[load].tally, p.a, 100, 15000, 0);
    hand_reuses(&p.a->places[load].tally, p.a, 600, 2000, 0);
    hand_pair(p.a, load, load, 100, 15000);
    dj_reuses *found = find(&p);
    assert_string_equal(dj_advice_name(found->list[0].advice), "interchange");
    assert_int_equal(found->list[0].loop, p.columns);
    assert_int_equal(found->list[0].outer_loop, p.rows);
    assert_string_equal(found->list[0].text,
                        "The innermost loop a.c:33-39 in work strides across grid[*][*]: it uses only a part "
                        "of each block, and probably loop a.c:32-40 in work returns for the next part. "
                        "Interchanging the two loops may help, so that the inner one runs along memory; so "
                        "may transposing the data, or tiling both loops.");
    dj_reuses_destroy(found);
    dj_attribution_destroy(p.a);
}

// One instruction reaches new blocks, 2,000 times; another on the line returns to them, `again` times.
static const char *advise_neighbours(uint64_t again)
{
    program p = make_program();
    uint32_t ahead = use(&p, p.work, 34, p.columns, p.in_work),
             behind = hand_place(p.a, hand_site(p.a, p.work, 34, p.columns), p.in_work, p.grid);
    hand_reuses(&p.a->places[ahead].tally, p.a, 600, 2000, 0);
    hand_reuses(&p.a->places[behind].tally, p.a, 100, again, 0);
    hand_pair(p.a, ahead, behind, 100, again);
    dj_reuses *found = find(&p);
    const char *advice = dj_advice_name(found->list[0].advice);
    dj_reuses_destroy(found);
    dj_attribution_destroy(p.a);
    return advice;
}

// Seven more parts of a block, or two more rows of a stencil.
static void neighbours(void **state)
{
    (void)state;
    assert_string_equal(advise_neighbours(14000), "interchange");
    assert_string_equal(advise_neighbours(4000), "tile");
}

// Unrolled: one of four instructions touches each block first, a quarter of the line.
static void unrolled_loop_does_not_step_across(void **state)
{
    (void)state;
    program p = make_program();
    uint32_t first = hand_place(p.a, hand_site(p.a, p.work, 34, p.columns), p.in_work, p.grid);
    hand_reuses(&p.a->places[first].tally, p.a, 100, 10000, 0);
    for (unsigned i = 0; i < 3; i++)
        use(&p, p.work, 34, p.columns, p.in_work);
    hand_pair(p.a, first, first, 100, 10000);
    dj_reuses *found = find(&p);
    assert_string_equal(dj_advice_name(found->list[0].advice), "tile");
    dj_reuses_destroy(found);
    dj_attribution_destroy(p.a);
}

// Written as `second` before `first` in the source, but inlined in the opposite order.
static void inlined_siblings(void **state)
{
    (void)state;
    program p = make_program();
    uint32_t one = use(&p, p.work, 80, p.columns, p.in_work), two = use(&p, p.work, 70, p.after, p.in_work);
    uint32_t first = hand_inlined(p.a, p.work, 34, DJ_NOWHERE),
             then = hand_inlined(p.a, p.work, 51, DJ_NOWHERE);
    p.a->sites[p.a->places[one].site].inlined = first;
    p.a->sites[p.a->places[two].site].inlined = then;
    hand_pair(p.a, one, two, 500, 100);
    hand_pair(p.a, two, one, 500, 50);
    dj_reuses *found = find(&p);
    assert_int_equal(found->count, 2);
    assert_string_equal(dj_advice_name(found->list[0].advice), "fuse");
    assert_false(found->list[0].next_iteration);
    assert_string_equal(dj_advice_name(found->list[1].advice), "tile");
    assert_true(found->list[1].next_iteration);
    dj_reuses_destroy(found);
    dj_attribution_destroy(p.a);
}

static void siblings(void **state)
{
    (void)state;
    program p = make_program();
    uint32_t first = use(&p, p.work, 34, p.columns, p.in_work),
             second = use(&p, p.work, 52, p.after, p.in_work);
    assert_advice(&p, first, second, 500, p.steps, "fuse",
                  "Two loops traverse grid[*][*]: first loop a.c:32-40 in work, then loop a.c:50-55 in work. "
                  "Fusing them may help, so that both use each part of the data while it is in the cache. "
                  "This works if an iteration of the second needs only what the first has computed by then.");
}

static void siblings_come_round(void **state)
{
    (void)state;
    program p = make_program();
    uint32_t first = use(&p, p.work, 34, p.columns, p.in_work),
             second = use(&p, p.work, 52, p.after, p.in_work);
    assert_advice(&p, second, first, 500, p.steps, "tile",
                  "Loop a.c:10-20 in main probably sweeps grid[*][*] in every iteration. Tiling it may help: "
                  "run several iterations on a part of the data that fits in the cache, then move on to the "
                  "next part.");
}

static void calls_from_one_loop(void **state)
{
    (void)state;
    program p = make_program();
    uint32_t first = use(&p, p.work, 34, p.columns, p.in_work),
             second = use(&p, p.other, 62, DJ_NOWHERE, p.in_other);
    assert_advice(&p, first, second, 500, p.steps, "call together",
                  "In each iteration of loop a.c:10-20 in main, the call of work at a.c:12 uses grid[*][*], "
                  "and later the call of other at a.c:15 uses it again. Calling both on one part of the data "
                  "at a time may help, or moving the calls closer together.");
}

static void no_loop_contains_both(void **state)
{
    (void)state;
    program p = make_program();
    uint32_t first = use(&p, p.work, 34, p.columns, p.in_work),
             second = use(&p, p.other, 62, DJ_NOWHERE, p.in_late);
    assert_advice(&p, first, second, 500, DJ_NOWHERE, "none", "");
}

// Whether both uses are in one iteration is said only if it was measured.
static void one_iteration(void **state)
{
    (void)state;
    program p = make_program();
    uint32_t first = use(&p, p.main, 11, p.steps, p.in_main),
             second = use(&p, p.work, 31, DJ_NOWHERE, p.in_work);
    hand_pair(p.a, first, second, 500, 100);
    dj_reuses *found = find(&p);
    assert_null(found->list[0].advice);
    assert_string_equal(found->list[0].text, "");
    dj_reuses_destroy(found);
    p.a->pairs[0].carried = DJ_CARRIED_BY_NONE;
    found = find(&p);
    assert_string_equal(dj_advice_name(found->list[0].advice), "bring closer");
    assert_string_equal(found->list[0].text,
                        "Both uses are in the same iteration of loop a.c:10-20 in main, with much other data "
                        "used in between. Moving them closer together may help.");
    dj_reuses_destroy(found);
    dj_attribution_destroy(p.a);
}

static void written_and_then_read(void **state)
{
    (void)state;
    program p = make_program();
    uint32_t store = hand_place(p.a, hand_site(p.a, p.main, 8, DJ_NOWHERE), p.in_main, p.grid);
    hand_cold(&p.a->places[store].tally, 1000, 1000);
    hand_reuses(&p.a->places[store].tally, p.a, 0, 7000, 7000);
    uint32_t load = use(&p, p.work, 34, p.columns, p.in_work);
    assert_advice(&p, store, load, 500, DJ_NOWHERE, "initialize late",
                  "a.c:8 in main initializes grid[*][*]; only much later, a.c:34 in work uses it for the "
                  "first time. Initializing each part just before its first use may help.");
}

// The compiler made two stores of one: the first touches new blocks, the second uses them last.
static void written_by_two_instructions(void **state)
{
    (void)state;
    program p = make_program();
    uint32_t first = hand_place(p.a, hand_site(p.a, p.main, 8, DJ_NOWHERE), p.in_main, p.grid),
             last = hand_place(p.a, hand_site(p.a, p.main, 8, DJ_NOWHERE), p.in_main, p.grid);
    hand_cold(&p.a->places[first].tally, 1000, 1000);
    hand_reuses(&p.a->places[last].tally, p.a, 0, 1000, 1000);
    uint32_t load = use(&p, p.work, 34, p.columns, p.in_work);
    hand_pair(p.a, last, load, 500, 100);
    dj_reuses *found = find(&p);
    assert_string_equal(dj_advice_name(found->list[0].advice), "initialize late");
    dj_reuses_destroy(found);
    dj_attribution_destroy(p.a);
}

// Repeated writes are not an initialization.
static void written_often(void **state)
{
    (void)state;
    program p = make_program();
    uint32_t store = hand_place(p.a, hand_site(p.a, p.work, 34, p.columns), p.in_work, p.grid);
    hand_cold(&p.a->places[store].tally, 1000, 1000);
    hand_reuses(&p.a->places[store].tally, p.a, 500, 7000, 7000);
    uint32_t load = use(&p, p.work, 52, p.after, p.in_work);
    hand_pair(p.a, store, load, 500, 100);
    dj_reuses *found = find(&p);
    assert_string_equal(dj_advice_name(found->list[0].advice), "fuse");
    dj_reuses_destroy(found);
    dj_attribution_destroy(p.a);
}

static void recursion(void **state)
{
    (void)state;
    program p = make_program();
    p.a->cct[p.in_work].recursive = true;
    uint32_t visit = use(&p, p.work, 31, DJ_NOWHERE, p.in_work);
    assert_advice(&p, visit, visit, 500, p.steps, "recursion",
                  "The recursion of work returns to grid[*][*]. Finishing a part that fits in the cache "
                  "before starting the next may help: recurse depth first, with a larger base case.");
}

static void threads(void **state)
{
    (void)state;
    program p = make_program();
    uint32_t root = hand_root(p.a, hand_thread(p.a, 7, "worker")),
             worker = hand_cct_node(p.a, root, p.work, DJ_NOWHERE);
    uint32_t first = use(&p, p.main, 11, p.steps, p.in_main), second = use(&p, p.work, 34, p.columns, worker);
    assert_advice(&p, first, second, 500, DJ_NOWHERE, "same thread",
                  "thread 1 used grid[*][*] last, and worker uses it next. Assigning both uses of a part to "
                  "one thread, soon after each other, may help.");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(swept_again_by_the_loop_around_the_call),
        cmocka_unit_test(swept_again_by_the_next_loop),
        cmocka_unit_test(inner_loop_steps_across),
        cmocka_unit_test(neighbours),
        cmocka_unit_test(unrolled_loop_does_not_step_across),
        cmocka_unit_test(inlined_siblings),
        cmocka_unit_test(siblings),
        cmocka_unit_test(siblings_come_round),
        cmocka_unit_test(calls_from_one_loop),
        cmocka_unit_test(no_loop_contains_both),
        cmocka_unit_test(one_iteration),
        cmocka_unit_test(written_and_then_read),
        cmocka_unit_test(written_by_two_instructions),
        cmocka_unit_test(written_often),
        cmocka_unit_test(recursion),
        cmocka_unit_test(threads),
    };
    return cmocka_run_group_tests(tests, make_context, drop_context);
}
