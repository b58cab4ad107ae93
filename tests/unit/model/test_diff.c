// SPDX-License-Identifier: MIT
// Differences of profiles whose counts are known by hand, and of random ones, by adding up their places.
#include <deja/deja.h>
#include <math.h>
#include <stdio.h>

#include "support/context.h"

#include "support/compared.h"
#include "support/random_made.h"

static uint64_t places_miss(const dj_profile *profile, uint64_t blocks)
{
    const dj_attribution *a = dj_profile_attribution(profile);
    uint64_t sum = 0;
    for (size_t p = 0; p < a->place_count; p++) {
        const dj_tally *tally = &a->places[p].tally;
        sum += tally->cold;
        for (uint32_t bin = 0; bin < tally->bin_count; bin++)
            sum += a->edges[bin] >= blocks ? tally->bins[bin] : 0;
    }
    return sum;
}

static int64_t change_of(const dj_diff_count *count)
{
    return (int64_t)(count->runs[DJ_AFTER] - count->runs[DJ_BEFORE]);
}

static void assert_adds_up(const dj_diff *diff, const dj_diff_rows *rows)
{
    int64_t accesses = 0, misses[8] = {0};
    for (size_t r = 0; r < rows->count; r++) {
        accesses += change_of(&rows->list[r].accesses);
        for (size_t c = 0; c < diff->cache_count; c++)
            misses[c] += change_of(&rows->list[r].misses[c]);
    }
    assert_int_equal(accesses, change_of(&diff->accesses));
    for (size_t c = 0; c < diff->cache_count; c++)
        assert_int_equal(misses[c], change_of(&diff->misses[c]));
}

// The parts of a breakdown that belong to a row have its accesses. Parts without a row are as many before as
// after.
static void assert_parts(const dj_diff_request *request, const dj_diff_rows *rows)
{
    uint64_t without[DJ_SIDES] = {0};
    for (int run = 0; run < DJ_SIDES; run++) {
        dj_breakdown *b = NULL;
        uint64_t *sums = calloc(rows->count + 1, sizeof *sums);
        assert_non_null(sums);
        assert_int_equal(
            dj_breakdown_create(context, dj_profile_attribution(request->profiles[run]), rows->by, &b),
            DJ_OK);
        assert_int_equal(rows->part_counts[run], b->count);
        for (size_t i = 0; i < b->count; i++) {
            const uint32_t row = rows->row_of[run][i];
            assert_true(row < rows->count || (row == DJ_NOWHERE && !request->all_rows));
            if (row == DJ_NOWHERE)
                without[run] += b->entities[i].exclusive.accesses;
            else
                sums[row] += b->entities[i].exclusive.accesses;
        }
        for (size_t r = 0; r < rows->count; r++)
            assert_int_equal(sums[r], rows->list[r].accesses.runs[run]);
        free(sums);
        dj_breakdown_destroy(b);
    }
    assert_int_equal(without[DJ_BEFORE], without[DJ_AFTER]);
}

static void differences_add_up(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        dj_profile *profiles[DJ_SIDES] = {profile_with(random_made(context, seed)),
                                          profile_with(random_made(context, seed + 100))};
        dj_diff_request request = request_of(profiles[0], profiles[1]);
        request.all_rows = seed % 2;
        dj_diff *diff = compare(&request);
        assert_int_equal(diff->cache_count, 2);
        for (size_t c = 0; c < diff->cache_count; c++)
            for (int run = 0; run < DJ_SIDES; run++)
                assert_int_equal(diff->misses[c].runs[run],
                                 places_miss(profiles[run], diff->caches[c].blocks));
        for (size_t i = 0; i < diff->point_count; i++)
            for (int run = 0; run < DJ_SIDES; run++)
                assert_int_equal(diff->points[i].misses.runs[run],
                                 places_miss(profiles[run], diff->points[i].size));
        assert_int_equal(diff->row_lists, EVERY_COUNT);
        for (size_t i = 0; i < diff->row_lists; i++) {
            assert_adds_up(diff, &diff->rows[i]);
            assert_parts(&request, &diff->rows[i]);
        }
        dj_diff_destroy(diff);
        dj_profile_destroy(profiles[0]);
        dj_profile_destroy(profiles[1]);
    }
}

static void nothing_differs_from_itself(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        dj_profile *profile = profile_with(random_made(context, seed));
        const dj_diff_request request = request_of(profile, profile);
        dj_diff *diff = compare(&request);
        for (size_t i = 0; i < diff->row_lists; i++)
            assert_int_equal(diff->rows[i].count, 0);
        assert_int_equal(dj_diff_change(diff, dj_diff_ranked(diff, NULL)), 0);
        dj_diff_destroy(diff);
        dj_profile_destroy(profile);
    }
}

static const dj_diff_rows *rows_by(const dj_diff *diff, enum dj_by by)
{
    for (size_t i = 0; i < diff->row_lists; i++)
        if (diff->rows[i].by == by)
            return &diff->rows[i];
    fail_msg("no rows by %s", dj_by_name(by));
    return NULL;
}

// hand_made, in a file of another name, where sum is `down` lines lower.
static dj_attribution *moved(uint32_t down)
{
    dj_attribution *a = hand_made(context);
    free(a->files[0]);
    a->files[0] = strdup("/src/mesh.c");
    a->functions[HAND_SUM].line += down;
    for (size_t i = 0; i < a->site_count; i++)
        a->sites[i].line += a->sites[i].function == HAND_SUM ? down : 0;
    for (size_t i = 0; i < a->loop_count; i++)
        if (a->loops[i].function == HAND_SUM) {
            a->loops[i].first_line += down;
            a->loops[i].last_line += down;
        }
    return a;
}

static void what_moved_is_the_same(void **state)
{
    (void)state;
    dj_profile *before = profile_with(hand_made(context)), *after = profile_with(moved(40));
    const dj_diff_request request = request_of(before, after);
    dj_diff *diff = compare(&request);
    for (size_t i = 0; i < diff->row_lists; i++)
        assert_int_equal(diff->rows[i].count, 0);
    dj_diff_destroy(diff);
    dj_profile_destroy(before);
    dj_profile_destroy(after);
}

// 300 more accesses of sum that miss everything, in moved code.
static dj_profile *planted(void)
{
    dj_attribution *a = moved(40);
    hand_reuses(&a->places[2].tally, a, 200, 300, 0);
    return profile_with(a);
}

static void what_was_planted_is_found(void **state)
{
    (void)state;
    dj_profile *before = profile_with(hand_made(context)), *after = planted();
    const dj_diff_request request = request_of(before, after);
    dj_diff *diff = compare(&request);
    const dj_diff_rows *lines = rows_by(diff, DJ_BY_LINE), *functions = rows_by(diff, DJ_BY_FUNCTION);
    assert_int_equal(diff->misses[0].runs[DJ_BEFORE], 1061); // hand_made.h
    assert_int_equal(diff->misses[0].runs[DJ_AFTER], 1361);
    assert_int_equal(lines->count, 1);
    assert_string_equal(lines->list[0].name, "mesh.c:54");
    assert_string_equal(lines->list[0].was, "grid.c:14");
    assert_string_equal(lines->list[0].function, "sum");
    assert_int_equal(change_of(&lines->list[0].accesses), 300);
    assert_int_equal(change_of(&lines->list[0].misses[1]), 300);
    assert_int_equal(functions->count, 1);
    assert_string_equal(functions->list[0].name, "sum");
    assert_int_equal(rows_by(diff, DJ_BY_OBJECT)->count, 1);
    assert_int_equal(rows_by(diff, DJ_BY_LOOP)->count, 1);
    assert_int_equal(rows_by(diff, DJ_BY_CALLING_CONTEXT)->count, 1);
    dj_diff_destroy(diff);
    dj_profile_destroy(before);
    dj_profile_destroy(after);
}

// --- limits ---

static void limits_are_parsed(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        dj_limit limit;
    } cases[] = {
        {"L2.misses > +2%",
         {.measure = DJ_LIMIT_MISSES, .cache = "L2", .kind = DJ_LIMIT_PERCENT, .value = 2}},
        {"1.5M.ratio>=5%",
         {.measure = DJ_LIMIT_RATIO,
          .cache = "1.5M",
          .inclusive = true,
          .kind = DJ_LIMIT_VALUE,
          .value = 0.05}},
        {" accesses < -10 % ",
         {.measure = DJ_LIMIT_ACCESSES, .below = true, .kind = DJ_LIMIT_PERCENT, .value = -10}},
        {"distinct > 1.5k", {.measure = DJ_LIMIT_DISTINCT, .kind = DJ_LIMIT_VALUE, .value = 1500}},
        {"cold <= +2G",
         {.measure = DJ_LIMIT_COLD, .below = true, .inclusive = true, .kind = DJ_LIMIT_CHANGE, .value = 2e9}},
        {"curve.ratio > +3pp", {.measure = DJ_LIMIT_RATIO, .kind = DJ_LIMIT_CHANGE, .value = 0.03}},
        {"4096.ratio > .25",
         {.measure = DJ_LIMIT_RATIO, .cache = "4096", .kind = DJ_LIMIT_VALUE, .value = 0.25}},
        {"function: L1.misses > +1000",
         {.of_parts = true,
          .by = DJ_BY_FUNCTION,
          .measure = DJ_LIMIT_MISSES,
          .cache = "L1",
          .kind = DJ_LIMIT_CHANGE,
          .value = 1000}},
        {"function=std::less<int>::operator<: L1.misses > +1",
         {.of_parts = true,
          .by = DJ_BY_FUNCTION,
          .part = "std::less<int>::operator<",
          .measure = DJ_LIMIT_MISSES,
          .cache = "L1",
          .kind = DJ_LIMIT_CHANGE,
          .value = 1}},
        {"line = a.c:7 : accesses > 3",
         {.of_parts = true, .by = DJ_BY_LINE, .part = "a.c:7", .measure = DJ_LIMIT_ACCESSES, .value = 3}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        dj_limits limits = {0};
        const dj_limit *expected = &cases[i].limit;
        if (dj_limits_parse(context, cases[i].text, &limits))
            fail_msg("%s", dj_context_message(context));
        const dj_limit *found = &limits.list[0];
        assert_string_equal(found->text, cases[i].text);
        assert_int_equal(found->of_parts, expected->of_parts);
        assert_int_equal(found->by, expected->by);
        assert_string_equal(found->part ? found->part : "", expected->part ? expected->part : "");
        assert_int_equal(found->measure, expected->measure);
        assert_string_equal(found->cache ? found->cache : "", expected->cache ? expected->cache : "");
        assert_int_equal(found->below, expected->below);
        assert_int_equal(found->inclusive, expected->inclusive);
        assert_int_equal(found->kind, expected->kind);
        if (fabs(found->value - expected->value) > 1e-9)
            fail_msg("%s: %g", cases[i].text, found->value);
        dj_limits_free(&limits);
    }
}

static void other_limits_are_refused(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "", "L2.misses", "L2.misses > ", "L2.misses > much", "L2.misses > 5%", "L2.misses > nan",
        "L2.misses > inf", "L2.misses > 1e999", "L2.misses > +2pp", "L2.ratio > 2pp", "L2 > +2%",
        ".misses > 1", "misses > 1", "L2.hits > 1", "> 1", "function: curve.misses > +1%",
        "function: cold > 1", "anything: L2.misses > +1%", "object,line: accesses > 1", ": accesses > 1",
        "accesses > 5 apples", "accesses > 0x10", "accesses > +5% and L2.misses > 7",
        // A ratio is never above 1, and never changes by more.
        "L2.ratio > 5", "L2.ratio > 101%", "L2.ratio > +2", "function: L2.ratio < -1.5", "L2.ratio > 1k"};
    dj_limits limits = {0};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        if (dj_limits_parse(context, texts[i], &limits) != DJ_ERR_USAGE)
            fail_msg("accepted: '%s'", texts[i]);
        assert_int_equal(limits.count, 0);
    }
    dj_limits_free(&limits);
}

static dj_crossings *check(const char *text, const dj_profile *before, const dj_profile *after)
{
    static const dj_named_cache caches[] = {{"L1", 16, false}, {"L2", 64, false}};
    const dj_diff_request request = request_of(before, after);
    static dj_limits limits; // crossings point into it
    dj_crossings *crossings = NULL;
    dj_limits_free(&limits);
    int err = dj_limits_parse(context, text, &limits);
    if (!err)
        err = dj_limits_resolve(context, &limits, caches, 2, 64);
    if (!err)
        err = dj_limits_check(context, &limits, &request, &crossings);
    if (!crossings)
        dj_limits_free(&limits);
    return err ? NULL : crossings;
}

static void limits_are_crossed(void **state)
{
    (void)state;
    // From 2,060 accesses, 1,061 and 1,021 misses, to 300 more of each, all in sum: from 40 accesses, 40 and
    // 20 misses. 64K are 1,024 blocks, 8K are 128.
    static const struct {
        const char *text;
        size_t count; // crossings
        const char *part;
    } cases[] = {
        {"accesses > +300", 0, NULL},
        {"accesses >= +300", 1, NULL},
        {"accesses > +299", 1, NULL},
        {"accesses > 2359", 1, NULL},
        {"accesses > 2360", 0, NULL},
        {"accesses < 2361", 1, NULL},
        {"accesses < +301", 1, NULL},
        {"accesses < -1%", 0, NULL},
        {"accesses > +14.6%", 0, NULL}, // 14.56%
        {"accesses > +14.5%", 1, NULL},
        {"L1.misses > +28.2%", 1, NULL}, // 28.28%
        {"L1.misses > +28.3%", 0, NULL},
        {"L1.ratio > 57.6%", 1, NULL}, // 1,361 of 2,360: 57.67%
        {"L1.ratio > 57.7%", 0, NULL},
        {"L1.ratio > +6pp", 1, NULL}, // from 51.50%
        {"L1.ratio > +6.2pp", 0, NULL},
        {"8K.misses > +240%", 1, NULL}, // from 121 to 421
        {"128.misses > +250%", 0, NULL},
        {"64K.misses > +0", 0, NULL},    // only cold ones
        {"curve.misses > +1%", 8, NULL}, // at 1, 2, 4, … 128
        {"function: L1.misses > +2%", 1, "sum"},
        {"function=sum: L1.misses > +749%", 1, "sum"}, // from 40 to 340
        {"function=sum: L1.misses > +750%", 0, NULL},
        {"function=s*: accesses > +1", 1, "sum"},
        {"function=sweep: L1.misses > +0", 0, NULL},
        {"function=sum: L2.ratio > 94.1%", 1, "sum"}, // 320 of 340
        {"function=sum: L2.ratio > 94.2%", 0, NULL},
        {"object: accesses > 999", 2, "grid"}, // and the stack: 1,000 each
        {"object: accesses > 1000", 0, NULL},
        {"line=grid.c:14: accesses > +1%", 1, "mesh.c:54"},
    };
    dj_profile *before = profile_with(hand_made(context)), *after = planted();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        dj_crossings *found = check(cases[i].text, before, after);
        if (!found)
            fail_msg("%s", dj_context_message(context));
        if (found->count != cases[i].count)
            fail_msg("%s: %zu", cases[i].text, found->count);
        assert_int_equal(found->crossed, cases[i].count > 0);
        if (cases[i].part)
            assert_string_equal(found->list[0].part, cases[i].part);
        dj_crossings_destroy(found);
    }
    dj_profile_destroy(before);
    dj_profile_destroy(after);
}

static void limits_that_cannot_be_checked_are_refused(void **state)
{
    (void)state;
    static const char *const texts[] = {"L3.misses > +1%", "function=nobody: L1.misses > +1%",
                                        "function: 4096.misses > +1%", "63B.misses > +1%"};
    dj_profile *profile = profile_with(hand_made(context));
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        assert_null(check(texts[i], profile, profile));
    assert_null(check("accesses > +1%", NULL, profile)); // one run has no changes
    dj_crossings *found = check("function=sum: L1.misses > 39", NULL, profile);
    assert_non_null(found);
    assert_int_equal(found->count, 1);
    assert_true(found->list[0].before != found->list[0].before);
    dj_crossings_destroy(found);
    dj_profile_destroy(profile);
}

// The caches of this machine may have the names of those of the profile. Parts have misses in the latter.
static void parts_mean_the_caches_of_the_profile(void **state)
{
    (void)state;
    static const dj_named_cache caches[] = {{"L1", 512, false}, {"L1", 16, true}, {"L2", 64, true}};
    static const char *const texts[] = {"L1.misses > 1", "function: L1.misses > 1", "function: L2.misses > 1",
                                        "function: 1K.misses > 1"};
    static const uint64_t blocks[] = {512, 16, 64, 16};
    dj_limits limits = {0};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        assert_int_equal(dj_limits_parse(context, texts[i], &limits), DJ_OK);
    assert_int_equal(dj_limits_resolve(context, &limits, caches, 3, 64), DJ_OK);
    for (size_t i = 0; i < limits.count; i++)
        assert_int_equal(limits.list[i].blocks, blocks[i]);
    assert_int_equal(dj_limits_parse(context, "function: 2K.misses > 1", &limits), DJ_OK);
    assert_int_equal(dj_limits_resolve(context, &limits, caches, 3, 64), DJ_ERR_USAGE);
    dj_limits_free(&limits);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(differences_add_up),
        cmocka_unit_test(nothing_differs_from_itself),
        cmocka_unit_test(what_moved_is_the_same),
        cmocka_unit_test(what_was_planted_is_found),
        cmocka_unit_test(limits_are_parsed),
        cmocka_unit_test(other_limits_are_refused),
        cmocka_unit_test(limits_are_crossed),
        cmocka_unit_test(limits_that_cannot_be_checked_are_refused),
        cmocka_unit_test(parts_mean_the_caches_of_the_profile),
    };
    return cmocka_run_group_tests_name("diff", tests, make_context, drop_context);
}
