// SPDX-License-Identifier: MIT
#include "unit/lane.h"

#include <math.h>

#include "render/text.h"
#include "report/parts.h"
#include "report/stats.h"
#include "unit/rendered.h"

typedef int part(dj_context *context, dj_document *document, const dj_profile *profile,
                 const dj_profile_view *view);

// A single part, as text.
static char *printed(dj_context *context, part *add, const dj_profile *profile, const dj_profile_view *view,
                     const dj_render_options *options)
{
    dj_document *document = NULL;
    assert_int_equal(dj_document_create(context, &document), DJ_OK);
    assert_int_equal(add(context, document, profile, view), DJ_OK);
    return rendered(context, document, "text", options);
}

static int add_title(dj_context *context, dj_document *document, const dj_profile *profile,
                     const dj_profile_view *view)
{
    (void)context, (void)view;
    dj_add_title(document, profile);
    return DJ_OK;
}

static int add_histogram(dj_context *context, dj_document *document, const dj_profile *profile,
                         const dj_profile_view *view)
{
    return dj_add_histogram(context, document, "reuse distance", profile->lanes[0].distance,
                            profile->lanes[0].cold, view, false);
}

static int add_effective(dj_context *context, dj_document *document, const dj_profile *profile,
                         const dj_profile_view *view)
{
    (void)view;
    return dj_add_effective(context, document, profile);
}

static const dj_profile_view usual = {.binning = DJ_BINS_LOG2};

static char *bar(bool unicode, double share, unsigned columns, bool hatched)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *out = open_memstream(&text, &bytes);
    dj_page page = {.out = out, .width = 80, .unicode = unicode};
    assert_non_null(out);
    dj_page_bar(&page, share, columns, hatched);
    dj_page_free(&page);
    fclose(out);
    return text;
}

static void assert_bar(bool unicode, double share, unsigned columns, bool hatched, const char *expected)
{
    char *text = bar(unicode, share, columns, hatched);
    assert_string_equal(text, expected);
    free(text);
}

static void bars_by_eighths(void **state)
{
    (void)state;
    assert_bar(true, 0, 10, false, "");
    assert_bar(true, 1, 3, false, "███");
    assert_bar(true, 0.5, 3, false, "█▌");  // 12 eighths
    assert_bar(true, 0.125, 1, false, "▏"); // 1
    assert_bar(true, 0.875, 1, false, "▉"); // 7
    assert_bar(true, 1e-9, 10, false, "▏"); // visible, though too short
    assert_bar(true, 0.5, 5, true, "░░░");  // 20 eighths, rounded to whole columns
    assert_bar(false, 0.5, 10, false, "#####");
    assert_bar(false, 0.5, 10, true, ":::::");
    assert_bar(false, 1e-9, 10, false, ".");
}

// 8 of 16 at distance 0, 4 at 2, 2 at 3, 2 cold: bars of 30 columns at width 67
// (2 + 12 for the label, 2 + 8 for the count, 9 + 9 for the shares, 2).
static void histogram_line_by_line(void **state)
{
    (void)state;
    dj_context *context = make_context();
    dj_profile *profile = make_profile(context, 64);
    add_distance(context, &profile->lanes[0], 0, 8);
    add_distance(context, &profile->lanes[0], 2, 4);
    add_distance(context, &profile->lanes[0], 3, 2);
    profile->lanes[0].cold = 2;
    dj_render_options style = {.width = 74};
    dj_profile_view view = usual;
    char *text = printed(context, add_histogram, profile, &view, &style);
    assert_string_equal(text, "reuse distance  accesses    share   cumul.\n"
                              "             0         8   50.00%   50.00%  ##############################\n"
                              "             1         0    0.00%   50.00%\n"
                              "           2-3         6   37.50%   87.50%  #######################\n"
                              "          cold         2   12.50%           ::::::::\n");
    free(text);
    style.unicode = true;
    text = printed(context, add_histogram, profile, &view, &style);
    assert_non_null(strstr(text, "2–3         6   37.50%   87.50%  ██████████████████████▌\n"));
    free(text);
    view.binning = DJ_BINS_EXACT;
    text = printed(context, add_histogram, profile, &view, &style);
    assert_non_null(strstr(text, "             3         2   12.50%   87.50%  ███████▌\n"));
    free(text);
    dj_profile_destroy(profile);
    dj_context_destroy(context);
}

// A loop of 16 keys, 4 times: all miss below 16, a quarter above.
static dj_profile *loop(dj_context *context)
{
    uint64_t keys[64];
    for (size_t i = 0; i < 64; i++)
        keys[i] = i % 16;
    dj_profile *profile = profile_of(context, keys, 64);
    profile->provenance.unit_bytes = 1;
    return profile;
}

// The axis goes from 1 to 32, five doublings, over 60 − 8 columns: 103 steps of
// half a column. 16 is passed at place 83 > 103 · 4/5, the right half of column 41;
// 4 lies nearest to place 41 = 103 · 2/5, in column 20.
static void curve_in_ascii(void **state)
{
    (void)state;
    dj_context *context = make_context();
    dj_profile *profile = loop(context);
    dj_report_mark mark = {.label = "L1", .size = 4};
    const dj_profile_view view = {.marks = &mark, .mark_count = 1};
    dj_render_options style = {.width = 60};
    char *text = printed(context, dj_add_curve, profile, &view, &style);
    assert_string_equal(text, "miss ratio  fully associative LRU cache\n"
                              "                           L1\n"
                              "  100% +******************************************\n"
                              "       |                    :                    *\n"
                              "       |                    :                    *\n"
                              "   75% +                    :                    *\n"
                              "       |                    :                    *\n"
                              "       |                    :                    *\n"
                              "   50% +                    :                    *\n"
                              "       |                    :                    *\n"
                              "       |                    :                    *\n"
                              "   25% +                    :                    ***********\n"
                              "       |                    :\n"
                              "       |                    :\n"
                              "    0% +                    :\n"
                              "       ++---------+---------+----------+---------+---------+\n"
                              "blocks  1         2         4          8        16        32\n"
                              "      64 B      128 B     256 B      512 B     1 KiB   2 KiB\n");
    free(text);
    dj_profile_destroy(profile);
    dj_context_destroy(context);
}

// 100% is the third of the four rows of dots of its line: dots 3 and 6, U+2824.
static void curve_in_braille(void **state)
{
    (void)state;
    dj_context *context = make_context();
    dj_profile *profile = loop(context);
    dj_render_options style = {.width = 60, .unicode = true};
    char *text = printed(context, dj_add_curve, profile, &usual, &style);
    assert_non_null(strstr(text, "  100% ┤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤"));
    assert_non_null(strstr(text, "       └┬"));
    free(text);
    dj_profile_destroy(profile);
    dj_context_destroy(context);
}

static unsigned columns_of(const char *line, size_t bytes)
{
    unsigned columns = 0;
    for (size_t i = 0; i < bytes; i++)
        columns += ((unsigned char)line[i] & 0xc0) != 0x80;
    return columns;
}

static char *whole(dj_context *context, const dj_profile *profile, const dj_render_options *options)
{
    dj_document *document = NULL;
    assert_int_equal(dj_document_profile(context, profile, &usual, &document), DJ_OK);
    return rendered(context, document, "text", options);
}

static void fits_the_width(void **state)
{
    (void)state;
    static const unsigned widths[] = {60, 80, 120, 160, 200};
    dj_context *context = make_context();
    dj_profile *profile = make_profile(context, 64);
    for (unsigned k = 0; k < 20; k++)
        add_distance(context, &profile->lanes[0], UINT64_C(1) << k, 1 + 1000 * k);
    profile->lanes[0].cold = profile->lanes[0].distinct = 123456;
    profile->accesses = profile->lanes[0].accesses = 123456 + 20 + 190000;
    profile->provenance.unit_bytes = 1;
    for (size_t i = 0; i < 10; i++) {
        dj_render_options style = {.width = widths[i / 2], .unicode = i % 2 == 1};
        char *text = whole(context, profile, &style);
        unsigned widest = 0;
        for (const char *line = text; *line; line += strcspn(line, "\n") + 1) {
            unsigned columns = columns_of(line, strcspn(line, "\n"));
            widest = columns > widest ? columns : widest;
        }
        if (widest > style.width)
            fail_msg("%u columns instead of %u:\n%s", widest, style.width, text);
        assert_true(widest >= style.width - 4);
        assert_null(strchr(text, '\033'));
        for (const char *at = text; !style.unicode && *at; at++)
            assert_true((unsigned char)*at < 0x80);
        free(text);
    }
    dj_render_options colored = {.width = 80, .color = true};
    char *text = whole(context, profile, &colored);
    assert_non_null(strchr(text, '\033'));
    free(text);
    dj_profile_destroy(profile);
    dj_context_destroy(context);
}

static void nothing_passes_for_exact(void **state)
{
    (void)state;
    dj_context *context = make_context();
    dj_profile *profile = loop(context);
    dj_render_options style = {.width = 80};
    char *text = printed(context, add_title, profile, &usual, &style);
    assert_string_equal(text, "profile\ntext, blocks of 64 B, one block per access, engine fast, exact\n"
                              "deja 0.0: deja analyze\n");
    free(text);
    profile->provenance.exact = false;
    profile->provenance.error_bound = 0.015;
    profile->provenance.partial = true;
    free(profile->provenance.partial_reason);
    profile->provenance.partial_reason = strdup("interrupted");
    text = printed(context, add_title, profile, &usual, &style);
    assert_non_null(
        strstr(text, "\nESTIMATE miss ratios are within 1.5 percentage points of the true ones\n"));
    assert_non_null(strstr(text, "\nPARTIAL interrupted\n"));
    assert_null(strstr(text, "exact"));
    free(text);
    profile->provenance.error_bound = 0;
    text = printed(context, add_title, profile, &usual, &style);
    assert_non_null(strstr(text, "\nESTIMATE error bound unknown"));
    assert_null(strstr(text, "within"));
    free(text);
    profile->provenance.distance_error = 0.001;
    text = printed(context, add_title, profile, &usual, &style);
    assert_non_null(
        strstr(text, "ESTIMATE distances are too short by at most 0.1%, and exact below 1,000\n"));
    free(text);
    dj_profile_destroy(profile);
    dj_context_destroy(context);
}

static void effective_sizes_in_words(void **state)
{
    (void)state;
    dj_context *context = make_context();
    dj_profile *profile = make_profile(context, 8);
    add_distance(context, &profile->lanes[0], 2, 80);
    add_distance(context, &profile->lanes[0], 511, 20);
    add_distance(context, &profile->lanes[0], 1024, 6);
    add_distance(context, &profile->lanes[0], 32767, 74);
    profile->lanes[0].cold = 20;
    dj_render_options style = {.width = 80};
    char *text = printed(context, add_effective, profile, &usual, &style);
    assert_string_equal(text,
                        "effective cache sizes\n"
                        "  50.0% of the accesses are long reuses (distance 64 or more). 94% of them fall\n"
                        "  into 2 of the 9 power-of-two ranges of distance: 20% in 256-511 and 74% in\n"
                        "  16,384-32,767. The most effective cache sizes are 512 and 32,768 blocks, with\n"
                        "  a miss ratio of 50.0% and 10.0%; sizes between these ranges change it by at\n"
                        "  most 3.0 percentage points.\n");
    free(text);
    dj_profile_destroy(profile);
    dj_context_destroy(context);
}

static void csv(void **state)
{
    (void)state;
    dj_context *context = make_context();
    dj_profile *profile = make_profile(context, 1);
    add_distance(context, &profile->lanes[0], 5, 3);
    profile->lanes[0].cold = 2;
    dj_document *document = NULL;
    assert_int_equal(dj_document_profile(context, profile, &usual, &document), DJ_OK);
    char *text = rendered(context, document, "csv", NULL);
    assert_string_equal(text, "lo,hi,count\n4,7,3\n,,2\n");
    free(text);
    uint64_t keys[] = {7, 9}, offsets[] = {0, 2, 2}, distances[] = {4, 0};
    dj_key_profile lists = {
        .list_count = 2, .list_key = keys, .list_offset = offsets, .list_distances = distances};
    assert_int_equal(dj_document_create(context, &document), DJ_OK);
    dj_add_addresses(document, &lists);
    text = rendered(context, document, "csv", NULL);
    assert_string_equal(text, "key,access,distance\n7,1,\n7,2,4\n7,3,0\n9,1,\n");
    free(text);
    dj_profile_destroy(profile);
    dj_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bars_by_eighths),          cmocka_unit_test(histogram_line_by_line),
        cmocka_unit_test(curve_in_ascii),           cmocka_unit_test(curve_in_braille),
        cmocka_unit_test(fits_the_width),           cmocka_unit_test(nothing_passes_for_exact),
        cmocka_unit_test(effective_sizes_in_words), cmocka_unit_test(csv),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
