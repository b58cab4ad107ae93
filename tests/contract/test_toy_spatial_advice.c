// SPDX-License-Identifier: MIT
// A spatial advice rule that is defined outside the library and precedes the built-in ones.
#include "unit/spatial_program.h"

// Strides of exactly one block waste the rest of each.
static bool steps_by_blocks(const dj_spatial_evidence *e)
{
    return e->regular && (uint64_t)e->stride == e->block;
}

static void say_halve(const dj_spatial_evidence *e, FILE *out)
{
    dj_spatial_say_data(e, e->row->object, "[*]", out);
    fputs(" in ", out);
    dj_spatial_say_loop(e, e->inner, out);
    fputs(" may do with fewer than ", out);
    dj_spatial_say_count(e->attribution->objects[e->row->object].bytes, out);
    fprintf(out, " %s.", dj_spatial_units(e));
}

static const dj_spatial_rule halve = {.name = "halve", .applies = steps_by_blocks, .say = say_halve};

static dj_ranking *rank(const dj_spatial_rule *const *rules, size_t rule_count)
{
    dj_ranking *made = NULL;
    const dj_ranking_options options = {.by = DJ_RANK_LINE,
                                        .cache = SIZE_MAX,
                                        .limits = DJ_SPATIAL_LIMITS,
                                        .rules = rules,
                                        .rule_count = rule_count};
    assert_int_equal(dj_ranking_create(context, profile, &options, &made), DJ_OK);
    return made;
}

static void walk(uint64_t step)
{
    uint32_t all = add_object("all", DJ_OBJECT_GLOBAL, 2000 * step, 1),
             load = add_place(5, inner, all, "[*]");
    for (unsigned round = 0; round < 4; round++)
        for (uint64_t i = 0; i < 2000; i++)
            touch(load, 4096 + step * i, 8);
    measure(DJ_RANK_LINE);
    EXPECT(load, "split", "separate array");
}

static void test_rule_comes_first(void **state)
{
    (void)state;
    const dj_spatial_rule *const rules[] = {&halve, dj_spatial_rule_find("split")};
    walk(64);
    dj_ranking *made = rank(rules, 2);
    assert_ptr_equal(made->rows[0].advice, &halve);
    assert_string_equal(dj_spatial_advice_name(made->rows[0].advice), "halve");
    assert_string_equal(
        made->rows[0].text,
        "Accesses step by 64 bytes, and 8 of the 64 bytes of each fetched block are used before its "
        "eviction from a cache of 8K. all[*] in loop a.c:4-8 in main may do with fewer than "
        "128,000 bytes. A score of 1 would save 3,000 misses in L1.");
    dj_ranking_destroy(made);
}

static void test_rule_that_does_not_apply(void **state)
{
    (void)state;
    const dj_spatial_rule *const rules[] = {&halve, dj_spatial_rule_find("split")};
    walk(128);
    dj_ranking *made = rank(rules, 2), *alone = rank(rules, 1);
    assert_ptr_equal(made->rows[0].advice, dj_spatial_rule_find("split"));
    assert_string_equal(made->rows[0].text, ranking->rows[0].text);
    assert_null(alone->rows[0].advice);
    assert_non_null(strstr(alone->rows[0].text, "No better layout is apparent."));
    assert_null(dj_spatial_rule_get(dj_spatial_rule_count()));
    assert_string_equal(dj_spatial_rule_get(0)->name, "interchange");
    dj_ranking_destroy(alone);
    dj_ranking_destroy(made);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_rule_comes_first, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_rule_that_does_not_apply, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
