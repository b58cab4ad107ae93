// SPDX-License-Identifier: MIT
// Advice from facts about data and measured carriers, and what it would save.
#include "unit/reuse_program.h"

static dj_pair_row *pair(program *p, uint32_t from, uint32_t to, uint64_t distance, uint64_t count,
                         uint32_t carrier)
{
    hand_pair(p->a, from, to, distance, count);
    hand_reuses(&p->a->places[to].tally, p->a, distance, count, 0);
    dj_pair_row *row = &p->a->pairs[p->a->pair_count - 1];
    row->carried = carrier == DJ_NOWHERE ? DJ_CARRIED_BY_NONE : DJ_CARRIED_BY_LOOP;
    row->carrier = carrier;
    return row;
}

static const dj_reuse *reuse_of(const dj_reuses *found, uint32_t from, uint32_t to)
{
    for (size_t i = 0; i < found->count; i++)
        if (found->list[i].from == from && found->list[i].to == to)
            return &found->list[i];
    fail();
    return NULL;
}

static void end(program *p, dj_reuses *found)
{
    dj_reuses_destroy(found);
    dj_attribution_destroy(p->a);
}

// The distance would make the inner loops return, but the measured one is main's.
static void measured_carrier(void **state)
{
    (void)state;
    program p = make_program();
    uint32_t load = use(&p, p.work, 34, p.columns, p.in_work);
    pair(&p, load, load, 500, 1000, p.steps);
    dj_reuses *found = find(&p);
    const dj_reuse *reuse = &found->list[0];
    assert_string_equal(dj_advice_name(reuse->advice), "tile");
    assert_int_equal(reuse->outer_loop, p.steps);
    assert_string_equal(
        reuse->text, "Loop a.c:10-20 in main sweeps grid[*][*] in every iteration. Tiling it may help: run "
                     "several iterations on a part of the data that fits in the cache, then move on to the "
                     "next part.");
    assert_non_null(strstr(reuse->evidence, "loop a.c:10-20 in main returns to the data (measured)"));
    // Of 1000 reuses at 500, those that miss in 16, 256 and 4096 blocks.
    assert_int_equal(reuse->saves[0], 1000);
    assert_int_equal(reuse->saves[1], 1000);
    assert_int_equal(reuse->saves[2], 0);
    end(&p, found);
}

// Fused with a loop before it, a loop that sweeps the data in each of its own iterations would still do so.
static void swept_by_one_of_two(void **state)
{
    (void)state;
    program p = make_program();
    uint32_t first = use(&p, p.work, 34, p.columns, p.in_work),
             second = use(&p, p.work, 52, p.after, p.in_work);
    pair(&p, first, second, 500, 100, DJ_NOWHERE);
    dj_reuses *found = find(&p);
    assert_string_equal(dj_advice_name(found->list[0].advice), "fuse");
    dj_reuses_destroy(found);
    pair(&p, second, second, 500, 5000, p.after);
    found = find(&p);
    assert_null(reuse_of(found, first, second)->advice);
    end(&p, found);
}

// Written by one loop and read by the next, in each iteration of main's loop: 900 of 1000 blocks return as
// writes.
static void temporary(void **state)
{
    (void)state;
    program p = make_program();
    uint32_t store = hand_place(p.a, hand_site(p.a, p.work, 34, p.columns), p.in_work, p.grid),
             load = use(&p, p.work, 52, p.after, p.in_work);
    pair(&p, load, store, 1500, 900, p.steps);
    p.a->places[store].tally.writes = p.a->places[store].tally.accesses;
    pair(&p, store, load, 1000, 900, DJ_NOWHERE);
    // Other data in the same loop: without the 1000 blocks, its distances are below 4096.
    uint32_t other = hand_place(p.a, hand_site(p.a, p.work, 53, p.after), p.in_work, p.list);
    pair(&p, other, other, 4096, 900, p.steps);
    dj_reuses *found = find(&p);
    assert_string_equal(dj_advice_name(reuse_of(found, load, store)->advice), "shrink temporary");
    assert_string_equal(dj_advice_name(reuse_of(found, store, load)->advice), "shrink temporary");
    assert_int_equal(reuse_of(found, store, load)->outer_loop, p.steps);
    assert_string_equal(dj_advice_name(reuse_of(found, other, other)->advice), "shrink temporary");
    assert_non_null(strstr(reuse_of(found, other, other)->text, "If they are made small"));
    dj_reuses_destroy(found);
    // Read first, it is no temporary.
    p.a->places[store].tally.writes = 0;
    found = find(&p);
    assert_string_equal(dj_advice_name(reuse_of(found, load, store)->advice), "tile");
    end(&p, found);
}

// 100 nodes of 24 bytes, each in a block of its own, each visited by two accesses.
static void nodes(void **state)
{
    (void)state;
    program p = make_program();
    dj_object_row *list = &p.a->objects[p.list];
    list->blocks = 100;
    list->bytes = 2400;
    list->distinct = 100;
    uint32_t next = hand_place(p.a, hand_site(p.a, p.work, 34, p.columns), p.in_work, p.list);
    hand_reuses(&p.a->places[next].tally, p.a, 0, 1000, 0);
    pair(&p, next, next, 99, 1000, p.rows);
    dj_reuses *found = find(&p);
    const dj_reuse *reuse = &found->list[0];
    assert_string_equal(dj_advice_name(reuse->advice), "pool");
    // Side by side they take 37.5 blocks: in 16 blocks, 0.375 of the fetches remain; more than 256 / 0.375 =
    // 682 were never needed.
    assert_int_equal(reuse->saves[0], 625);
    assert_int_equal(reuse->saves[1], 0);
    dj_reuses_destroy(found);
    // Larger nodes, of which as little is used.
    list->bytes = 12000;
    list->distinct = 200;
    found = find(&p);
    assert_string_equal(dj_advice_name(found->list[0].advice), "split");
    end(&p, found);
}

static void fill_octaves(dj_tally *tally, const dj_attribution *a)
{
    for (uint64_t distance = 16; distance <= 4096; distance *= 2)
        hand_reuses(tally, a, distance, 50, 0);
}

// Equally many reuses in each of nine octaves; beside it, keys are swept.
static void in_no_order(void **state)
{
    (void)state;
    program p = make_program();
    uint32_t load = use(&p, p.work, 34, p.columns, p.in_work);
    p.a->objects[p.grid].distinct = 5000;
    hand_pair(p.a, load, load, 16, 0);
    fill_octaves(&p.a->pairs[0].tally, p.a);
    fill_octaves(&p.a->places[load].tally, p.a);
    dj_reuses *found = find(&p);
    assert_null(found->list[0].advice); // nothing shows that the order is known
    dj_reuses_destroy(found);
    uint32_t key = hand_place(p.a, hand_site(p.a, p.work, 34, p.columns), p.in_work, p.list);
    hand_cold(&p.a->places[key].tally, 625, 0);
    hand_reuses(&p.a->places[key].tally, p.a, 0, 4375, 0);
    found = find(&p);
    assert_string_equal(dj_advice_name(found->list[0].advice), "reorder");
    assert_non_null(strstr(found->list[0].text, "while heap list (a.c:5) is swept"));
    // 450 miss; an index for each of 450 is written and read back: 450 * 2 * 4 / 64 = 56.25 blocks.
    assert_int_equal(found->list[0].saves[0], 394);
    dj_reuses_destroy(found);
    p.a->places[load].tally.writes = 1000;
    found = find(&p);
    assert_string_equal(dj_advice_name(found->list[0].advice), "partition");
    end(&p, found);
}

// What is known of the misses of a place: 100, so many of them irregular, dependent, and strided.
static void class_misses(program *p, uint32_t place, uint64_t irregular, uint64_t dependent, uint64_t strided)
{
    enum { BIN = DJ_MISS_HITS + 1, COUNT = 2 * DJ_MISS_CLASSES * (BIN + 1) };
    dj_tally *tally = &p->a->places[place].tally;
    if (!tally->missed) {
        tally->missed = calloc(1, sizeof *tally->missed);
        assert_non_null(tally->missed);
        tally->missed->counts = calloc(COUNT, sizeof(uint64_t));
        assert_non_null(tally->missed->counts);
        tally->missed->count = COUNT;
    }
    uint64_t *counts = tally->missed->counts;
    counts[dj_miss_count_at(DJ_MISS_HITS, DJ_MISS_DEPENDENT, false)] = 50; // not misses
    counts[dj_miss_count_at(BIN, DJ_MISS_IRREGULAR, false)] = irregular;
    counts[dj_miss_count_at(BIN, DJ_MISS_DEPENDENT, false)] = dependent;
    counts[dj_miss_count_at(BIN, DJ_MISS_STRIDED, false)] = strided;
}

static const char *advice_for(program *p, uint32_t place, uint64_t irregular, uint64_t dependent,
                              uint64_t strided)
{
    class_misses(p, place, irregular, dependent, strided);
    dj_reuses *found = find(p);
    const char *advice = dj_advice_name(found->list[0].advice);
    dj_reuses_destroy(found);
    return advice;
}

// Prefetching hides misses in no order, unless each leads to the next. It saves none.
static void known_ahead(void **state)
{
    (void)state;
    program p = make_program();
    uint32_t load = use(&p, p.work, 34, p.columns, p.in_work);
    p.a->objects[p.grid].distinct = 5000;
    hand_pair(p.a, load, load, 16, 0);
    fill_octaves(&p.a->pairs[0].tally, p.a);
    fill_octaves(&p.a->places[load].tally, p.a);
    assert_string_equal(advice_for(&p, load, 94, 6, 0), "none");
    assert_string_equal(advice_for(&p, load, 79, 0, 21), "none");
    assert_string_equal(advice_for(&p, load, 80, 5, 15), "prefetch");
    dj_reuses *found = find(&p);
    const dj_reuse *reuse = &found->list[0];
    assert_true(reuse->advice->hides);
    assert_non_null(strstr(reuse->text, "It hides these misses, and saves none."));
    assert_non_null(strstr(reuse->evidence, "80% of the misses of the line are irregular, and 5.0% dep"));
    for (size_t i = 0; i < p.a->cut_count; i++)
        assert_int_equal(reuse->saves[i], 0);
    dj_reuses_destroy(found);
    // In all 501 reuses, of which only 250 miss in the second cache, of 256 blocks.
    hand_reuses(&p.a->pairs[0].tally, p.a, 16, 51, 0);
    assert_string_equal(advice_for(&p, load, 100, 0, 0), "none");
    end(&p, NULL);
}

// With a list, sorting comes first. Prefetching is said beside it, where nothing contradicts it.
static void known_from_a_list(void **state)
{
    (void)state;
    program p = make_program();
    uint32_t load = use(&p, p.work, 34, p.columns, p.in_work),
             key = hand_place(p.a, hand_site(p.a, p.work, 34, p.columns), p.in_work, p.list);
    p.a->objects[p.grid].distinct = 5000;
    hand_pair(p.a, load, load, 16, 0);
    fill_octaves(&p.a->pairs[0].tally, p.a);
    fill_octaves(&p.a->places[load].tally, p.a);
    hand_cold(&p.a->places[key].tally, 625, 0);
    hand_reuses(&p.a->places[key].tally, p.a, 0, 4375, 0);
    for (uint64_t dependent = 0; dependent <= 100; dependent += 100) {
        class_misses(&p, load, 100 - dependent, dependent, 0);
        dj_reuses *found = find(&p);
        const dj_reuse *reuse = &found->list[0];
        assert_string_equal(dj_advice_name(reuse->advice), "reorder");
        assert_int_equal(strstr(reuse->text, "prefetch in software, which hides") != NULL, dependent == 0);
        dj_reuses_destroy(found);
    }
    end(&p, NULL);
}

// Each step reads in no order what the last one wrote: all of it, so steps cannot be combined on a part of
// other data, however few of their reuses that is.
static void steps_that_need_all(void **state)
{
    (void)state;
    for (uint64_t blocks = 450; blocks <= 451; blocks++) {
        program p = make_program();
        uint32_t store = use(&p, p.work, 36, p.columns, p.in_work),
                 load = use(&p, p.work, 34, p.columns, p.in_work),
                 sweep = hand_place(p.a, hand_site(p.a, p.work, 35, p.columns), p.in_work, p.list);
        p.a->places[store].tally.writes = 10000;
        hand_reuses(&p.a->places[sweep].tally, p.a, 0, 10000, 0);
        p.a->objects[p.grid].distinct = blocks;
        pair(&p, sweep, sweep, 500, 20000, p.steps);
        pair(&p, store, load, 16, 0, p.steps);
        fill_octaves(&p.a->pairs[1].tally, p.a);
        fill_octaves(&p.a->places[load].tally, p.a);
        dj_reuses *found = find(&p);
        assert_string_equal(dj_advice_name(reuse_of(found, sweep, sweep)->advice),
                            blocks == 450 ? "none" : "tile");
        end(&p, found);
    }
}

// The loader is not the program.
static void foreign(void **state)
{
    (void)state;
    program p = make_program();
    uint32_t load = use(&p, p.work, 34, p.columns, p.in_work);
    pair(&p, load, load, 500, 1000, p.steps);
    free(p.a->modules[0].path);
    p.a->modules[0].path = strdup("/lib/ld-linux-x86-64.so.2");
    dj_reuses *found = find(&p);
    assert_null(found->list[0].advice);
    end(&p, found);
}

// Several calls in an iteration cannot be tiled across iterations.
static void many_calls(void **state)
{
    (void)state;
    program p = make_program();
    uint32_t first = use(&p, p.work, 34, p.columns, p.in_work),
             second = use(&p, p.other, 62, DJ_NOWHERE, p.in_other);
    pair(&p, first, first, 500, 1000, p.steps);
    pair(&p, second, second, 500, 1000, p.steps);
    dj_reuses *found = find(&p);
    assert_null(reuse_of(found, first, first)->advice);
    end(&p, found);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(measured_carrier),  cmocka_unit_test(swept_by_one_of_two),
        cmocka_unit_test(temporary),         cmocka_unit_test(nodes),
        cmocka_unit_test(in_no_order),       cmocka_unit_test(known_ahead),
        cmocka_unit_test(known_from_a_list), cmocka_unit_test(steps_that_need_all),
        cmocka_unit_test(foreign),           cmocka_unit_test(many_calls),
    };
    return cmocka_run_group_tests(tests, make_context, drop_context);
}
