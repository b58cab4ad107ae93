// SPDX-License-Identifier: MIT
// Whether two runs are of one program, and code that has other names in the second one.
#include <deja/deja.h>

#include "support/context.h"

#include "support/compared.h"

typedef struct part {
    const char *function, *file;
    uint64_t accesses;
    const char *module; // NULL: the program
} part;

// A program whose functions are called by the one before them in the list.
static dj_profile *program(const char *path, const part *parts)
{
    dj_attribution *a = NULL;
    assert_int_equal(dj_attribution_create(context, &a), DJ_OK);
    hand_edges(a, 8);
    hand_cut(a, "L1", 16);
    hand_module(a, path);
    uint32_t node = hand_root(a, hand_thread(a, 1, "")), data = hand_object(a, "grid", DJ_OBJECT_GLOBAL, 10);
    for (size_t i = 0; parts[i].function; i++) {
        const uint32_t file = hand_file(a, parts[i].file), f = hand_function(a, parts[i].function, file, 10);
        if (parts[i].module)
            a->functions[f].module = hand_module(a, parts[i].module);
        const uint32_t site = hand_site(a, f, 12, DJ_NOWHERE);
        a->sites[site].module = a->functions[f].module;
        node = hand_cct_node(a, node, f, DJ_NOWHERE);
        const uint32_t place = hand_place(a, site, node, data);
        hand_reuses(&a->places[place].tally, a, 3, parts[i].accesses, 0);
    }
    return profile_with(a);
}

#define OWN(function, file, accesses)                                                                        \
    {                                                                                                        \
        function, file, accesses, NULL                                                                       \
    }
#define LIBRARY(function, file, accesses)                                                                    \
    {                                                                                                        \
        function, file, accesses, "/lib/x86_64-linux-gnu/libc.so.6"                                          \
    }
#define PROGRAM(path, ...) program(path, (const part[]){__VA_ARGS__, {NULL, NULL, 0, NULL}})

// Takes the profiles. What the comparison says if it refuses; NULL: it does not.
static const char *refusal(dj_profile *before, dj_profile *after, double *shared)
{
    const dj_diff_request request = request_of(before, after);
    dj_diff *diff = NULL;
    const int err = dj_diff_profiles(context, &request, &diff);
    assert_true(err == DJ_OK || err == DJ_ERR_USAGE);
    *shared = diff ? diff->shared : -1;
    dj_diff_destroy(diff);
    dj_profile_destroy(before);
    dj_profile_destroy(after);
    return err ? dj_context_message(context) : NULL;
}

static void assert_same(dj_profile *before, dj_profile *after, double expected)
{
    double shared = 0;
    const char *why = refusal(before, after, &shared);
    if (why)
        fail_msg("%s", why);
    assert_true(shared > expected - 0.01 && shared < expected + 0.01);
}

static void assert_different(dj_profile *before, dj_profile *after, const char *word)
{
    double shared = 0;
    const char *why = refusal(before, after, &shared);
    assert_non_null(why);
    assert_non_null(strstr(why, word));
}

static void versions_are_one_program(void **state)
{
    (void)state;
    // Under another name of the file, with the same functions.
    assert_same(PROGRAM("/b/v1", OWN("main", "a.c", 50), OWN("solve", "a.c", 5000)),
                PROGRAM("/b/v2", OWN("main", "b.c", 70), OWN("solve", "b.c", 9000)), 5000.0 / 5050);
    // The hot function has another name and other counts; the file has the same name.
    assert_same(PROGRAM("/v1/p", OWN("main", "a.c", 10), OWN("solve", "a.c", 5000)),
                PROGRAM("/v2/p", OWN("main", "a.c", 10), OWN("relax", "a.c", 9000)), 10.0 / 9010);
    // The same counts: it is the same function.
    assert_same(PROGRAM("/v1/p", OWN("main", "a.c", 10), OWN("solve", "a.c", 5000)),
                PROGRAM("/v2/q", OWN("main", "a.c", 10), OWN("relax", "a.c", 5000)), 1);
    // Everything is in main, of one file.
    assert_same(PROGRAM("/v1/p", OWN("main", "a.c", 5000)), PROGRAM("/v2/q", OWN("main", "a.c", 7000)), 1);
}

static void libraries_and_main_say_nothing(void **state)
{
    (void)state;
    assert_different(PROGRAM("/b/sort", OWN("main", "sort.c", 5000)),
                     PROGRAM("/b/hash", OWN("main", "hash.c", 7000)), "different programs");
    assert_different(PROGRAM("/b/sort", OWN("main", "sort.c", 3), OWN("quick", "sort.c", 500),
                             LIBRARY("memcpy", "memcpy.S", 90000)),
                     PROGRAM("/b/hash", OWN("main", "hash.c", 3), OWN("probe", "hash.c", 700),
                             LIBRARY("memcpy", "memcpy.S", 80000)),
                     "only 0%");
    // One direction is not enough: all of the first program is a small part of the second.
    assert_different(PROGRAM("/b/sort", OWN("swap", "sort.c", 5000)),
                     PROGRAM("/b/hash", OWN("swap", "hash.c", 5), OWN("probe", "hash.c", 7000)),
                     "different programs");
}

static void functions_without_names_are_named_as_the_reason(void **state)
{
    (void)state;
    dj_profile *stripped[DJ_SIDES];
    for (int run = 0; run < DJ_SIDES; run++) {
        stripped[run] = PROGRAM(run ? "/b/hash" : "/b/sort", OWN("f", "a.c", 5000));
        dj_attribution *a = (dj_attribution *)dj_profile_attribution(stripped[run]);
        a->sites[0].function = DJ_NOWHERE;
        stripped[run]->provenance.inputs = calloc(1, sizeof(char *));
        stripped[run]->provenance.inputs[0] = strdup(run ? "/b/hash" : "/b/sort");
        stripped[run]->provenance.input_count = 1;
    }
    assert_different(stripped[DJ_BEFORE], stripped[DJ_AFTER], "without names");
}

// A function that was renamed is the same in the contexts, too.
static void contexts_follow_names(void **state)
{
    (void)state;
    dj_profile *before =
                   PROGRAM("/b/p", OWN("main", "a.c", 10), OWN("solve", "a.c", 5000), OWN("add", "a.c", 70)),
               *after = PROGRAM("/b/p", OWN("main", "a.c", 10), OWN("relax", "a.c", 5000),
                                OWN("add.constprop.0", "a.c", 90));
    const dj_diff_request request = request_of(before, after);
    dj_diff *diff = compare(&request);
    const dj_diff_rows *contexts = &diff->rows[DJ_BY_CALLING_CONTEXT];
    assert_int_equal(contexts->by, DJ_BY_CALLING_CONTEXT);
    assert_int_equal(contexts->count, 1);
    assert_string_equal(contexts->list[0].name, "main > relax > add.constprop.0");
    assert_string_equal(contexts->list[0].was, "main > solve > add");
    dj_diff_destroy(diff);
    dj_profile_destroy(before);
    dj_profile_destroy(after);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(versions_are_one_program),
        cmocka_unit_test(libraries_and_main_say_nothing),
        cmocka_unit_test(functions_without_names_are_named_as_the_reason),
        cmocka_unit_test(contexts_follow_names),
    };
    return cmocka_run_group_tests_name("diff_program", tests, make_context, drop_context);
}
