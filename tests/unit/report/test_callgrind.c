// SPDX-License-Identifier: MIT
#include "unit/lane.h"

#include <stdio.h>
#include <unistd.h>

#include "support/hand_made.h"

static char *exported(dj_context *context, const dj_profile *profile)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *out = open_memstream(&text, &bytes);
    assert_non_null(out);
    assert_int_equal(dj_report_callgrind(context, profile, out), DJ_OK);
    fclose(out);
    return text;
}

static const char head[] = "# callgrind format\n"
                           "version: 1\n"
                           "creator: deja 0.0\n"
                           "cmd: deja analyze\n"
                           "positions: line\n"
                           "event: L1miss : misses in L1 (16 blocks)\n"
                           "event: L2miss : misses in L2 (64 blocks)\n"
                           "event: SumDist : sum of reuse distances\n"
                           "events: Refs Writes Cold L1miss L2miss SumDist\n";

// From the comment on the program in hand_made.h.
static const char body[] = "\nob=(1) /opt/grid\nfl=(1) /src/grid.c\nfn=(2) sweep\n"
                           "5 1000 0 100 1000 1000 89100\n"
                           "10 1000 501 1 1 1 999\n"
                           "\nob=(1)\nfl=(1)\nfn=(3) sum\n"
                           "14 40 0 20 40 20 380\n"
                           "\nob=(1)\nfl=(1)\nfn=(4) helper\n"
                           "cob=(1)\ncfi=(1)\ncfn=(3)\ncalls=1 13\n"
                           "18 20 0 0 20 0 380\n"
                           "\nob=(1)\nfl=(1)\nfn=(5) main\n"
                           "23 20 20 0 20 0 800\n"
                           "cob=(1)\ncfi=(1)\ncfn=(2)\ncalls=1 8\n"
                           "24 2000 501 101 1001 1001 90099\n"
                           "cob=(1)\ncfi=(1)\ncfn=(3)\ncalls=1 13\n"
                           "25 20 0 20 20 20 0\n"
                           "cob=(1)\ncfi=(1)\ncfn=(4)\ncalls=1 18\n"
                           "25 20 0 0 20 0 380\n"
                           "\ntotals: 2060 521 121 1061 1021 91279\n";

static void hand_made_program(void **state)
{
    (void)state;
    dj_context *context = make_context();
    dj_profile *profile = make_profile(context, 64);
    assert_int_equal(dj_profile_give_section(context, profile, &dj_section_attribution, hand_made(context)),
                     DJ_OK);
    char *text = exported(context, profile);
    assert_int_equal(strncmp(text, head, strlen(head)), 0);
    assert_string_equal(text + strlen(head), body);
    free(text);
    dj_profile_destroy(profile);
    dj_context_destroy(context);
}

// Code inlined from another file is between fi= and fe=; unnamed code is ???; calls are counted; event
// names are single words.
static void foreign_code(void **state)
{
    (void)state;
    dj_context *context = make_context();
    dj_profile *profile = make_profile(context, 64);
    dj_attribution *a = hand_made(context);
    assert_int_equal(dj_profile_give_section(context, profile, &dj_section_attribution, a), DJ_OK);
    a->sites[0].file = hand_file(a, "/usr/include/get.h");
    a->cct[2].calls = 7;
    a->cct[5].call_site = DJ_NOWHERE;
    free(a->cuts[1].name);
    a->cuts[1].name = strdup("4 KiB");
    a->functions[HAND_HELPER].file = a->functions[HAND_HELPER].module = DJ_NOWHERE;
    char *text = exported(context, profile);
    assert_non_null(strstr(text, "events: Refs Writes Cold L1miss M4_KiBmiss SumDist\n"));
    assert_non_null(strstr(text, "fn=(2) sweep\n"
                                 "10 1000 501 1 1 1 999\n"
                                 "fi=(2) /usr/include/get.h\n"
                                 "5 1000 0 100 1000 1000 89100\n"
                                 "\n"));
    assert_non_null(strstr(text, "ob=???\nfl=???\nfn=(4) helper\n"
                                 "cob=(1)\ncfi=(1)\ncfn=(3)\ncalls=1 13\n"
                                 "0 20 0 0 20 0 380\n"));
    assert_non_null(strstr(text, "calls=7 8\n24 2000"));
    free(text);
    dj_profile_destroy(profile);
    dj_context_destroy(context);
}

static void needs_an_attribution(void **state)
{
    (void)state;
    dj_context *context = make_context();
    dj_profile *profile = make_profile(context, 64);
    assert_int_equal(dj_report_callgrind(context, profile, stdout), DJ_ERR_USAGE);
    dj_profile_destroy(profile);
    dj_context_destroy(context);
}

// A line of callgrind_annotate's that ends in `what` begins with `number`.
static void assert_annotated(const char *output, const char *what, const char *number)
{
    const char *at = strstr(output, what);
    if (!at)
        fail_msg("no %s in\n%s", what, output);
    while (at > output && at[-1] != '\n')
        at--;
    at += strspn(at, " ");
    if (strncmp(at, number, strlen(number)) != 0 || at[strlen(number)] != ' ')
        fail_msg("expected %s before %s, found %.60s", number, what, at);
}

// Totals, self costs and inclusive costs, as read by callgrind_annotate.
static void read_by_callgrind_annotate(void **state)
{
    (void)state;
    if (system("command -v callgrind_annotate >/dev/null") != 0)
        skip();
    dj_context *context = make_context();
    dj_profile *profile = make_profile(context, 64);
    assert_int_equal(dj_profile_give_section(context, profile, &dj_section_attribution, hand_made(context)),
                     DJ_OK);
    char path[] = "/tmp/deja-callgrind.XXXXXX", command[256], output[16384] = "";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    FILE *file = fdopen(fd, "w");
    assert_int_equal(dj_report_callgrind(context, profile, file), DJ_OK);
    fclose(file);
    for (int inclusive = 0; inclusive < 2; inclusive++) {
        snprintf(command, sizeof command, "callgrind_annotate --threshold=100 --inclusive=%s %s 2>&1",
                 inclusive ? "yes" : "no", path);
        FILE *pipe = popen(command, "r");
        assert_non_null(pipe);
        output[fread(output, 1, sizeof output - 1, pipe)] = 0;
        assert_int_equal(pclose(pipe), 0);
        assert_null(strstr(output, "WARNING"));
        assert_annotated(output, "PROGRAM TOTALS", "2,060");
        assert_annotated(output, "grid.c:sweep", "2,000");
        assert_annotated(output, "grid.c:sum", "40");
        assert_annotated(output, "grid.c:main", inclusive ? "2,060" : "20");
        if (inclusive)
            assert_annotated(output, "grid.c:helper", "20");
    }
    unlink(path);
    dj_profile_destroy(profile);
    dj_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hand_made_program),
        cmocka_unit_test(foreign_code),
        cmocka_unit_test(needs_an_attribution),
        cmocka_unit_test(read_by_callgrind_annotate),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
