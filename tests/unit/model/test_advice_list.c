// SPDX-License-Identifier: MIT
// Pieces of advice: what is one piece, what is worth saying, and padding from simulated caches.
#include <deja/profile.h>

#include "unit/reuse_program.h"

static dj_profile *give(dj_attribution *a)
{
    dj_profile *profile = NULL;
    assert_int_equal(dj_profile_create(context, 1, &profile), DJ_OK);
    profile->lanes[0].id.block_bytes = 64;
    profile->provenance.unit_bytes = 1;
    profile->provenance.exact = true;
    profile->accesses = 100000;
    assert_int_equal(dj_profile_give_section(context, profile, &dj_section_attribution, a), DJ_OK);
    return profile;
}

static dj_advice_list *advise(const dj_profile *profile)
{
    dj_reuses *reuses = NULL;
    dj_advice_list *list = NULL;
    assert_int_equal(dj_reuses_of_profile(context, profile, &reuses), DJ_OK);
    assert_int_equal(dj_advice_list_create(context, profile, reuses, &list), DJ_OK);
    dj_reuses_destroy(reuses);
    return list;
}

static void carried_pair(program *p, uint32_t place, uint64_t distance, uint64_t count)
{
    hand_pair(p->a, place, place, distance, count);
    p->a->pairs[p->a->pair_count - 1].carried = DJ_CARRIED_BY_LOOP;
    p->a->pairs[p->a->pair_count - 1].carrier = p->steps;
    hand_reuses(&p->a->places[place].tally, p->a, distance, count, 0);
}

// Two arrays that one loop sweeps are one piece; 1000 + 500 misses of 1550 in L1 and L2.
static void one_loop_is_one_piece(void **state)
{
    (void)state;
    program p = make_program();
    uint32_t grid = use(&p, p.work, 34, p.columns, p.in_work),
             list = hand_place(p.a, hand_site(p.a, p.work, 35, p.columns), p.in_work, p.list);
    carried_pair(&p, grid, 500, 1000);
    carried_pair(&p, list, 300, 500);
    hand_cold(&p.a->places[grid].tally, 50, 0);
    dj_profile *profile = give(p.a);
    dj_advice_list *found = advise(profile);
    assert_int_equal(found->count, 1);
    const dj_advice_item *item = &found->items[0];
    assert_string_equal(item->kind, "tile");
    assert_string_equal(item->data, "grid[*][*], heap list (a.c:5)");
    assert_string_equal(item->where, "a.c:10-20 in main");
    assert_int_equal(item->carrier, p.steps);
    assert_true(item->measured);
    assert_int_equal(item->saves[0], 1500);
    assert_int_equal(item->saves[1], 1500);
    assert_int_equal(item->saves[2], 0);
    assert_int_equal(item->cut, 1); // the largest cache on a tie
    assert_true(item->share > 0.967 && item->share < 0.968 && item->saved > 0.967 && item->saved < 0.968);
    dj_advice_list_destroy(found);
    dj_profile_destroy(profile);
}

// Nearly all misses, but a thousandth of the accesses is 100.
static void few_misses_do_not_matter(void **state)
{
    (void)state;
    for (uint64_t count = 99; count <= 100; count++) {
        program p = make_program();
        carried_pair(&p, use(&p, p.work, 34, p.columns, p.in_work), 500, count);
        dj_profile *profile = give(p.a);
        dj_advice_list *found = advise(profile);
        assert_int_equal(found->count, count == 100);
        dj_advice_list_destroy(found);
        dj_profile_destroy(profile);
    }
}

// One level of four sets of four ways. `conflict` of 1000 misses are conflicts, all at one place.
static dj_profile *with_level(program *p, uint64_t conflict)
{
    uint32_t place = use(p, p->work, 34, p->columns, p->in_work);
    assert_int_equal(dj_level_tally_create(context, 1, &p->a->places[place].tally.levels), DJ_OK);
    const dj_level_counts counts = {.misses = 1000, .cold = 10, .conflict = conflict};
    p->a->places[place].tally.levels->levels[0] = counts;
    dj_hierarchy *hierarchy = NULL;
    dj_profile *profile = give(p->a);
    assert_int_equal(dj_profile_add_section(context, profile, &dj_section_hierarchy, &hierarchy), DJ_OK);
    hierarchy->levels = calloc(1, sizeof *hierarchy->levels);
    hierarchy->level_count = 1;
    hierarchy->levels[0] = (dj_level){
        .name = strdup("L1"), .size_blocks = 16, .ways = 4, .counts = counts, .capacity = 990 - conflict};
    return profile;
}

static void conflicts(void **state)
{
    (void)state;
    program p = make_program(), q = make_program();
    dj_profile *many = with_level(&p, 800), *few = with_level(&q, 200);
    dj_advice_list *found = advise(many), *none = advise(few);
    assert_int_equal(none->count, 0);
    assert_int_equal(found->count, 1);
    assert_string_equal(found->items[0].kind, "pad");
    assert_string_equal(found->items[0].data, "grid");
    assert_int_equal(found->items[0].saves[0], 800);
    assert_true(found->items[0].saved > 0.799 && found->items[0].saved < 0.801);
    assert_string_equal(
        found->items[0].text,
        "80% of the misses of L1 are conflicts: blocks of grid compete for few of its 4 sets of "
        "4 ways, while others are idle. Padding may help: make the distance between its rows "
        "odd, in blocks.");
    assert_string_equal(found->items[0].evidence,
                        "L1, simulated: 800 conflict, 190 capacity and 10 cold misses");
    dj_advice_list_destroy(found);
    dj_advice_list_destroy(none);
    dj_profile_destroy(many);
    dj_profile_destroy(few);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_loop_is_one_piece),
        cmocka_unit_test(few_misses_do_not_matter),
        cmocka_unit_test(conflicts),
    };
    return cmocka_run_group_tests(tests, make_context, drop_context);
}
