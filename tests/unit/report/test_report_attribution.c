// SPDX-License-Identifier: MIT
#include <math.h>

#include "support/hand_made.h"
#include "unit/fits.h"
#include "unit/lane.h"

#include "base/human.h"
#include "render/plain.h"
#include "unit/rendered.h"

// The program of hand_made.h.
static dj_profile *make_attributed(dj_context *context)
{
    dj_profile *profile = make_profile(context, 64);
    profile->provenance.unit_bytes = 1;
    assert_int_equal(dj_profile_give_section(context, profile, &dj_section_attribution, hand_made(context)),
                     DJ_OK);
    profile->accesses = profile->lanes[0].accesses = 2060;
    profile->lanes[0].distinct = profile->lanes[0].cold = 121;
    return profile;
}

static char *print(dj_context *context, const dj_profile *profile, const char *by, size_t top,
                   const dj_render_options *style)
{
    enum dj_by list[DJ_BY_COUNT];
    size_t count = 0;
    if (by)
        assert_int_equal(dj_by_parse(context, by, list, &count), DJ_OK);
    dj_attribution_view view = {.by = list, .by_count = count, .top = top};
    dj_document *document = NULL;
    assert_int_equal(dj_document_attribution(context, profile, &view, &document), DJ_OK);
    return rendered(context, document, "text", style);
}

static void summary(void **state)
{
    (void)state;
    dj_context *context = make_context();
    dj_profile *profile = make_attributed(context);
    dj_render_options style = {.width = 80, .unicode = true};
    free(dj_profile_attribution(profile)
             ->pairs[--dj_profile_attribution(profile)->pair_count]
             .tally.bins); // the last is like the second
    char *text = print(context, profile, NULL, 0, &style);
    assert_string_equal(text,
                        "profile\n"
                        "text · blocks of 64 B · one block per access · engine fast · exact\n"
                        "deja 0.0: deja analyze\n"
                        "\n"
                        "49.56% of the 2,060 accesses miss in L2; 98% of these come from object grid, 98%\n"
                        "from line grid.c:5.\n"
                        "\n"
                        // 900 of 1,021
                        "  1. would save 88% of L2 misses: tile at grid.c:9-10, grid[*]\n"
                        "\n"
                        "  accesses                      2,060\n"
                        "  distinct blocks                 121   7.56 KiB\n"
                        "  cold misses                     121   5.87%\n"
                        "  L1 misses                     1,061   51.50% of the accesses; cache of 1 KiB\n"
                        "  L2 misses                     1,021   49.56% of the accesses; cache of 4 KiB\n"
                        "\n"
                        "objects by L2 misses accesses    % blocks  cold median    L1    %    L2    %\n"
                        "  grid                   1000  49%    100   100     99  1000  94%  1000  98%\n"
                        "  heap p (grid.c:22)       60 2.9%     20    20     31    60 5.7%    20 2.0%\n"
                        "  stack of sweep         1000  49%      1     1      1     1 0.1%     1 0.1%\n"
                        "\n"
                        "lines by L2 misses accesses    % blocks  cold  mean median    L1    %    L2    %\n"
                        "  grid.c:5             1000  49%      ?   100    99     99  1000  94%  1000  98%\n"
                        "  grid.c:14              40 1.9%      ?    20    19     19    40 3.8%    20 2.0%\n"
                        "  grid.c:10            1000  49%      ?     1     1      1     1 0.1%     1 0.1%\n"
                        "  grid.c:23              20 1.0%      ?     0    40     40    20 1.9%     0    0\n"
                        "\n"
                        "long reuses  data used again much later\n"
                        "  1. grid[*]  88% of the L2 misses: tile\n"
                        "     last and next use: grid.c:5 in get; innermost loop: grid.c:10 in sweep\n"
                        "     reuse distance: median 99, maximum 99 blocks; misses: L1 900 (85%), L2 900\n"
                        "     (88%)\n"
                        "  2. heap p (grid.c:22)  1.9% of the L1 misses: call together\n"
                        "     last and next use: grid.c:14 in sum; innermost loop: none\n"
                        "     reuse distance: median 19, maximum 19 blocks; misses: L1 20 (1.9%), L2 0\n"
                        "\n"
                        "blocks: distinct blocks (≈: estimated, standard error 6.5%); median: reuse\n"
                        "distance, interpolated; L1, L2: misses in a fully associative LRU cache of that\n"
                        "size, including cold misses\n");
    free(text);
    dj_profile_destroy(profile);
    dj_context_destroy(context);
}

// The thread, and helper with its callees (20 of 2,060 accesses and no L2 misses), are omitted.
static void contexts_as_a_tree(void **state)
{
    (void)state;
    dj_context *context = make_context();
    dj_profile *profile = make_attributed(context);
    dj_render_options style = {.width = 80};
    char *text = print(context, profile, "context", 0, &style);
    assert_non_null(strstr(text, "calling contexts  incl.    %   L1   L2  excl.    %   L1   L2\n"
                                 "  main             2060 100% 100% 100%     20 1.0% 1.9%    0\n"
                                 "    sweep (24)     2000  97%  94%  98%   2000  97%  94%  98%\n"
                                 "    sum (25)         20 1.0% 1.9% 2.0%     20 1.0% 1.9% 2.0%\n"
                                 "  ... and 3 more, each below 1% or part of the program start\n"));
    free(text);
    dj_profile_destroy(profile);
    dj_context_destroy(context);
}

// Between the thread and work are frames of the dynamic linker and the C library without accesses.
static void startup_is_left_out(void **state)
{
    (void)state;
    dj_context *context = make_context();
    dj_profile *profile = make_attributed(context);
    dj_attribution *a = dj_profile_attribution(profile);
    uint32_t linker = hand_function(a, "_start in ld.so", DJ_NOWHERE, 0),
             start = hand_function(a, "_start", DJ_NOWHERE, 0),
             call = hand_function(a, "__libc_start_main@@GLIBC_2.34", DJ_NOWHERE, 0),
             work = hand_function(a, "work", 0, 40);
    uint32_t in_linker = hand_cct_node(a, 0, linker, DJ_NOWHERE),
             in_start = hand_cct_node(a, in_linker, start, DJ_NOWHERE),
             in_call = hand_cct_node(a, in_start, call, 0),
             in_work = hand_cct_node(a, in_call, work, DJ_NOWHERE);
    uint32_t place = hand_place(a, 0, in_work, 0);
    hand_cold(&a->places[place].tally, 5000, 0);
    dj_render_options style = {.width = 80};
    char *text = print(context, profile, "context", 0, &style);
    assert_null(strstr(text, "_start"));
    assert_null(strstr(text, "thread 1"));
    assert_non_null(strstr(text, "\n  work "));
    assert_non_null(strstr(text, "\n  main "));
    free(text);
    dj_profile_destroy(profile);
    dj_context_destroy(context);
}

static void rest_of_a_long_table(void **state)
{
    (void)state;
    dj_context *context = make_context();
    dj_profile *profile = make_attributed(context);
    dj_render_options style = {.width = 80};
    char *text = print(context, profile, "line", 1, &style);
    assert_non_null(strstr(text, "  grid.c:5 "));
    assert_null(strstr(text, "\n  grid.c:14 "));
    // 21 of 1021
    assert_non_null(strstr(text, "  ... and 3 more, 2.1% of the L2 misses\n"));
    free(text);
    dj_profile_destroy(profile);
    dj_context_destroy(context);
}

static void rename_object(dj_attribution *a, const char *name)
{
    free(a->objects[0].name);
    a->objects[0].name = strdup(name);
}

static void tables_do_not_wrap(void **state)
{
    (void)state;
    dj_context *context = make_context();
    dj_profile *profile = make_attributed(context);
    dj_attribution *a = dj_profile_attribution(profile);
    rename_object(a, "std::vector<std::pair<std::string, std::map<int, double>>>::tables_of_everything");
    hand_cut(a, "L3", 128);
    hand_cut(a, "a very long name of a cache", 256);
    for (unsigned width = 60; width <= 200; width++)
        for (unsigned unicode = 0; unicode < 2; unicode++) {
            dj_render_options style = {.width = width, .unicode = unicode};
            char *text = print(context, profile, "all", 0, &style);
            assert_fits(text, width);
            assert_non_null(strstr(text, "std::"));
            assert_non_null(strstr(text, "thing "));
            free(text);
        }
    dj_profile_destroy(profile);
    dj_context_destroy(context);
}

static void nothing_escapes_to_the_terminal(void **state)
{
    (void)state;
    dj_context *context = make_context();
    dj_profile *profile = make_attributed(context);
    dj_attribution *a = dj_profile_attribution(profile);
    rename_object(a, "\033[31mred\xc2\x9b"
                     "1m\xff");
    free(a->functions[HAND_SWEEP].name);
    a->functions[HAND_SWEEP].name = strdup("a\nb\033c");
    dj_render_options style = {.width = 80, .unicode = true};
    char *text = print(context, profile, "all", 0, &style);
    assert_null(strchr(text, '\033'));
    assert_null(strstr(text, "\xc2\x9b"));
    assert_null(strchr(text, '\xff'));
    assert_non_null(strstr(text, "?[31mred?1m?"));
    assert_non_null(strstr(text, "a?b?c"));
    free(text);
    dj_profile_destroy(profile);
    dj_context_destroy(context);
}

static void missing_names_are_explained(void **state)
{
    (void)state;
    dj_context *context = make_context();
    dj_profile *profile = make_attributed(context);
    dj_attribution *a = dj_profile_attribution(profile);
    a->modules[0].has_lines = a->modules[0].has_types = false;
    dj_render_options style = {.width = 120};
    char *text = print(context, profile, NULL, 0, &style);
    assert_non_null(
        strstr(text, "/opt/grid (100% of the accesses) has no debug information: compile with -g to "));
    free(text);
    free(a->modules[0].path);
    a->modules[0].path = strdup("/usr/bin/grid");
    text = print(context, profile, NULL, 0, &style);
    assert_non_null(strstr(text, "has no debug information: install its debug symbols to"));
    free(text);
    a->modules[0].has_lines = true;
    text = print(context, profile, NULL, 0, &style);
    assert_non_null(strstr(text, "has line numbers but no variables"));
    free(text);
    dj_profile_destroy(profile);
    dj_context_destroy(context);
}

// A recording by an older version identifies none of its modules.
static void unverified_modules_share_a_sentence(void **state)
{
    (void)state;
    dj_context *context = make_context();
    dj_profile *profile = make_attributed(context);
    dj_attribution *a = dj_profile_attribution(profile);
    dj_render_options style = {.width = 200};
    for (size_t i = 0; i < a->place_count; i++)
        a->places[i].tally.accesses = 100;
    a->modules[0].state = DJ_MODULE_UNVERIFIED;
    char *text = print(context, profile, NULL, 0, &style);
    assert_non_null(strstr(text,
                           "/opt/grid may have changed: the recording, by an older version of Deja, does "
                           "not identify it"));
    free(text);
    for (uint32_t i = 1; i < 5; i++) {
        char path[32];
        snprintf(path, sizeof path, "/opt/lib%u.so", i);
        a->sites[i].module = hand_module(a, path);
        a->modules[a->sites[i].module].state = DJ_MODULE_UNVERIFIED;
    }
    text = print(context, profile, NULL, 0, &style);
    for (char *c = text; (c = strchr(c, '\n'));)
        *c = ' ';
    assert_non_null(strstr(text,
                           "/opt/grid, /opt/lib1.so, /opt/lib2.so and 1 other object file may have changed: "
                           "the recording, by an older version of Deja, does not identify them"));
    assert_null(strstr(strstr(text, "may have changed") + 1, "may have changed"));
    free(text);
    dj_profile_destroy(profile);
    dj_context_destroy(context);
}

// Without line numbers the summary has functions; two reuses of one object are named once.
// On request, the reason, the evidence and the saving in each cache.
static void advice_on_request(void **state)
{
    (void)state;
    dj_context *context = make_context();
    dj_profile *profile = make_attributed(context);
    dj_attribution_view view = {.by = NULL, .advice = true};
    dj_document *document = NULL;
    dj_render_options style = {.width = 80};
    assert_int_equal(dj_document_attribution(context, profile, &view, &document), DJ_OK);
    char *text = rendered(context, document, "text", &style);
    assert_non_null(strstr(text,
                           "  1. would save 88% of L2 misses: tile at grid.c:9-10, grid[*]\n"
                           "     Loop grid.c:9-10 in sweep probably sweeps grid[*] in every iteration.\n"));
    assert_non_null(strstr(text, "     evidence: loop grid.c:9-10 in sweep returns to the data (inferred);"));
    assert_non_null(strstr(text, "     predicted saving of misses: L1 900 (85%), L2 900 (88%)\n"));
    free(text);
    dj_profile_destroy(profile);
    dj_context_destroy(context);
}

static void summary_without_lines(void **state)
{
    (void)state;
    dj_context *context = make_context();
    dj_profile *profile = make_attributed(context);
    dj_attribution *a = dj_profile_attribution(profile);
    for (size_t i = 0; i < a->site_count; i++)
        a->sites[i].line = 0;
    for (size_t i = 0; i < a->loop_count; i++)
        a->loops[i].first_line = a->loops[i].last_line = 0;
    uint32_t again = hand_site(a, HAND_GET, 0, 1), place = hand_place(a, again, a->places[0].cct_node, 0);
    a->sites[again].inlined = a->sites[a->places[0].site].inlined;
    free(a->places[place].element);
    a->places[place].element = strdup("[*]");
    hand_reuses(&a->places[place].tally, a, 99, 100, 0);
    hand_pair(a, place, place, 99, 100);
    dj_render_options style = {.width = 80};
    char *text = print(context, profile, NULL, 0, &style);
    assert_null(strstr(text, "lines by"));
    assert_non_null(strstr(text, "\nfunctions by L2 misses "));
    assert_non_null(strstr(text, "  1. grid[*]  89% of the L2 misses: tile\n")); // 1000 of 1121
    assert_non_null(strstr(text, "  1. would save 89% of L2 misses: tile at loop at depth 1, grid[*]\n"));
    free(text);
    dj_profile_destroy(profile);
    dj_context_destroy(context);
}

static void needs_an_attribution(void **state)
{
    (void)state;
    dj_context *context = make_context();
    dj_profile *profile = make_profile(context, 64);
    dj_attribution_view view = {.by = NULL};
    dj_document *document = NULL;
    assert_int_equal(dj_document_attribution(context, profile, &view, &document), DJ_ERR_USAGE);
    assert_null(document);
    dj_profile_destroy(profile);
    dj_context_destroy(context);
}

static void assert_fit(const char *text, unsigned columns, enum dj_fit fit, bool unicode,
                       const char *expected)
{
    dj_arena arena = {0};
    assert_string_equal(dj_plain_fit(&arena, dj_plain(&arena, text, unicode), columns, fit, unicode),
                        expected);
    dj_arena_free(&arena);
}

static void names_lose_their_middle(void **state)
{
    (void)state;
    assert_fit("abcdefghij", 10, DJ_FIT_MIDDLE, true, "abcdefghij");
    assert_fit("abcdefghij", 7, DJ_FIT_MIDDLE, true, "abc…hij");
    assert_fit("abcdefghij", 7, DJ_FIT_MIDDLE, false, "ab..hij");
    assert_fit("größeäöü", 5, DJ_FIT_MIDDLE, true, "gr…öü");
    assert_fit("größe", 5, DJ_FIT_MIDDLE, false, "gr??e");
    assert_fit("abc", 1, DJ_FIT_MIDDLE, true, "a");
    assert_fit("abc", 0, DJ_FIT_MIDDLE, true, "");
    // The last member of a name stays, if three columns before it do.
    assert_fit("std::_Hashtable<…>::find_before_node", 24, DJ_FIT_MIDDLE, true, "std::…::find_before_node");
    assert_fit("std::_Hashtable<…>::find_before_node", 20, DJ_FIT_MIDDLE, true, "std::_Has…efore_node");
    assert_fit("/usr/include/c++/stl_tree.h:12", 21, DJ_FIT_MIDDLE, true, "/usr/i…/stl_tree.h:12");
    assert_int_equal(dj_plain_columns("größe"), 5);
    assert_fit("abcdefghij", 10, DJ_FIT_END, true, "abcdefghij");
    assert_fit("abcdefghij", 7, DJ_FIT_END, true, "abcdef…");
    assert_fit("abcdefghij", 7, DJ_FIT_END, false, "abcde..");
}

static void short_figures(void **state)
{
    (void)state;
    char to[DJ_HUMAN_BYTES];
    static const struct {
        double value;
        const char *text;
    } cases[] = {{0, "0"},          {9999, "9999"},     {9999.4, "9999"}, {9999.6, "10.0k"},
                 {12345, "12.3k"},  {99949, "99.9k"},   {99951, "100k"},  {999499, "999k"},
                 {999500, "1.00M"}, {1234567, "1.23M"}, {1e9, "1.00G"},   {1.8e19, "18.0E"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_string_equal(dj_human_short(to, cases[i].value), cases[i].text);
    assert_string_equal(dj_human_share(to, 0, 10), "0");
    assert_string_equal(dj_human_share(to, 1, 100000), "<.1%");
    assert_string_equal(dj_human_share(to, 45, 1000), "4.5%");
    assert_string_equal(dj_human_share(to, 9.96, 100), "10%");
    assert_string_equal(dj_human_share(to, 1, 1), "100%");
    assert_string_equal(dj_human_share(to, 1, 0), "0");
}

static void spark_of_heights(void **state)
{
    (void)state;
    const uint64_t heights[12] = {70, 0, 0, 40, [11] = 1};
    const dj_datum spark = {.kind = DJ_DATUM_SPARK, .heights = heights, .last = 12};
    dj_arena arena = {0};
    assert_string_equal(dj_datum_show(&arena, &spark, false), "#__=_______.");
    assert_string_equal(dj_datum_show(&arena, &spark, true), "█▁▁▅▁▁▁▁▁▁▁▂");
    dj_arena_free(&arena);
}

// The distances of sum are 19 and 40 of at most 99, which is 8 powers of two over 12 columns.
static void spark_by_powers_of_two(void **state)
{
    (void)state;
    dj_context *context = make_context();
    dj_profile *profile = make_attributed(context);
    dj_render_options style = {.width = 200};
    char *text = print(context, profile, "object", 0, &style);
    const char *line = strstr(text, "\n  heap p (grid.c:22) ");
    assert_non_null(line);
    assert_int_equal(strncmp(strchr(line + 1, '\n') - 12, "_______#_#__", 12), 0);
    free(text);
    dj_profile_destroy(profile);
    dj_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(summary),
        cmocka_unit_test(contexts_as_a_tree),
        cmocka_unit_test(startup_is_left_out),
        cmocka_unit_test(rest_of_a_long_table),
        cmocka_unit_test(tables_do_not_wrap),
        cmocka_unit_test(nothing_escapes_to_the_terminal),
        cmocka_unit_test(missing_names_are_explained),
        cmocka_unit_test(unverified_modules_share_a_sentence),
        cmocka_unit_test(advice_on_request),
        cmocka_unit_test(summary_without_lines),
        cmocka_unit_test(needs_an_attribution),
        cmocka_unit_test(names_lose_their_middle),
        cmocka_unit_test(short_figures),
        cmocka_unit_test(spark_of_heights),
        cmocka_unit_test(spark_by_powers_of_two),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
