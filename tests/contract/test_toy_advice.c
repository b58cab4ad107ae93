// SPDX-License-Identifier: MIT
// An advice rule in one file: this one is defined outside the library, precedes the built-in rules, and
// does not change any other advice.
#include "unit/reuse_program.h"

// Data that is only read after line 36 deserves a separate copy.
static bool is_read_late(const dj_reuse_evidence *e)
{
    const dj_place_row *to = &e->attribution->places[e->reuse->to];
    return to->tally.writes == 0 && e->attribution->sites[to->site].line > 36;
}

static uint32_t innermost(const dj_reuse_evidence *e)
{
    return e->loop_count ? e->loops[e->loop_count - 1] : DJ_NOWHERE;
}

static void say_copy(const dj_reuse_evidence *e, FILE *out)
{
    dj_reuse_say_loop(e, e->reuse->outer_loop, out);
    fprintf(out, " reads %s at ", e->reuse->data_name);
    dj_reuse_say_to(e, out);
    fputs(". Copying it may help.", out);
}

static const dj_advice_rule copy_it = {
    .name = "copy", .applies = is_read_late, .outer_loop = innermost, .say = say_copy};

enum { RULES_MOST = 64 };

static void test_reuse(void **state)
{
    (void)state;
    const dj_advice_rule *rules[RULES_MOST] = {&copy_it};
    size_t count = 1;
    for (size_t i = 0; i < dj_advice_rule_count() && count < RULES_MOST; i++)
        rules[count++] = dj_advice_rule_get(i);
    assert_null(dj_advice_rule_get(dj_advice_rule_count()));
    assert_null(dj_advice_rule_find("copy"));

    program p = make_program();
    uint32_t early = use(&p, p.work, 34, p.columns, p.in_work),
             late = use(&p, p.work, 38, p.columns, p.in_work);
    hand_pair(p.a, early, early, 999, 100);
    hand_pair(p.a, late, late, 999, 50);
    dj_reuses *built_in = find(&p), *found = NULL, *alone = NULL, *none = NULL;
    assert_int_equal(dj_reuses_create_with(context, p.a, rules, count, &found), DJ_OK);
    assert_int_equal(found->count, 2);
    assert_ptr_equal(found->list[0].advice, built_in->list[0].advice);
    assert_string_equal(dj_advice_name(found->list[0].advice), "tile");
    assert_string_equal(found->list[0].text, built_in->list[0].text);
    assert_int_equal(found->list[0].outer_loop, built_in->list[0].outer_loop);
    assert_ptr_equal(found->list[1].advice, &copy_it);
    assert_int_equal(found->list[1].outer_loop, p.columns);
    assert_string_equal(found->list[1].text,
                        "Loop a.c:33-39 in work reads grid[*][*] at a.c:38 in work. Copying it may help.");
    assert_string_equal(dj_advice_name(found->list[1].advice), "copy");

    // If no rule applies there is no advice.
    assert_int_equal(dj_reuses_create_with(context, p.a, rules, 1, &alone), DJ_OK);
    assert_null(alone->list[0].advice);
    assert_string_equal(alone->list[0].text, "");
    assert_int_equal(alone->list[0].outer_loop, DJ_NOWHERE);
    assert_string_equal(dj_advice_name(alone->list[0].advice), "none");
    assert_ptr_equal(alone->list[1].advice, &copy_it);
    assert_int_equal(dj_reuses_create_with(context, p.a, NULL, 0, &none), DJ_OK);
    assert_null(none->list[1].advice);
    dj_reuses_destroy(none);
    dj_reuses_destroy(alone);
    dj_reuses_destroy(found);
    dj_reuses_destroy(built_in);
    dj_attribution_destroy(p.a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_reuse)};
    return cmocka_run_group_tests(tests, make_context, drop_context);
}
