// SPDX-License-Identifier: MIT
// The code and data that the report on spatial locality names.
#include <jansson.h>

#include "support/hand_made.h"
#include "unit/fits.h"
#include "unit/rendered.h"
#include "unit/spatial_by_hand.h"

#include "report/spatial/spatial.h"

static dj_context *context;
static dj_profile *profile;
static const dj_render_options plain = {.width = 100};

static dj_spatial_tally *counts_of(uint32_t place, uint32_t bin, uint64_t reuses, uint64_t effective)
{
    dj_spatial_tally **tally = &dj_profile_attribution(profile)->places[place].tally.spatial;
    assert_int_equal(dj_spatial_tally_create(context, 1, 1, tally), DJ_OK);
    dj_spatial_counts *counts = &(*tally)->pairs[0];
    assert_int_equal(dj_spatial_counts_widen(counts, context, bin, bin + 1), DJ_OK);
    counts->bins[0] = (dj_spatial_count){reuses, effective};
    return *tally;
}

// The program of hand_made.h with the reuses of spatial_by_hand.h: those at 600
// are of grid, read in get, those at 3000 of the heap, read in sum.
static int set_up(void **state)
{
    (void)state;
    context = make_context();
    profile = make_spatial(context, 1);
    assert_int_equal(dj_profile_give_section(context, profile, &dj_section_attribution, hand_made(context)),
                     DJ_OK);
    dj_profile_spatial(profile)->usage_block = 64;
    dj_profile_spatial(profile)->usage_cache = 32768;
    dj_spatial_tally *grid = counts_of(0, 10, 300, 60);
    grid->usage = (dj_usage){.steps = 900,
                             .stride = {4096, 8},
                             .stride_count = {800, 100},
                             .grain = 8,
                             .fetched = 100,
                             .used = 850};
    counts_of(1, 0, 600, 0);
    counts_of(3, 12, 100, 50)->pairs[0].caches[0] = (dj_spatial_cache){{100, 50}, {100, 50}};
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    dj_profile_destroy(profile);
    dj_context_destroy(context);
    return 0;
}

static char *print(const dj_spatial_view *view, const dj_render_options *style)
{
    dj_document *document = NULL;
    assert_int_equal(dj_document_spatial(context, profile, view, &document), DJ_OK);
    return rendered(context, document, "text", style);
}

static const char *one_line(void *asked, const char *file, uint32_t line)
{
    assert_string_equal(file, "/src/grid.c");
    *(uint32_t *)asked = line;
    return line == 5 ? "\t  return grid[i]; \033[31m" : NULL;
}

static void worst_lines_with_their_source(void **state)
{
    (void)state;
    uint32_t asked = 0;
    const dj_report_source source = {one_line, &asked};
    const dj_spatial_view view = {.limits = DJ_SPATIAL_LIMITS, .source = &source};
    char *text = print(&view, &plain);
    // 300 - 2 * 60 = 180 are poor; those of the heap, 100 - 2 * 50, and of the stack are none.
    assert_has(text, "lines by poor spatial reuse poor score  long overall stride used/64 saves\n"
                     "    1. grid.c:5 in get      100%  0.40   300    0.40   4096     8.5     0\n"
                     "       grid[*]  return grid[i]; ?[31m\n"
                     "  columns as above; overall: score of all reuses\n"
                     "\n");
    assert_has(text, "loops by poor spatial reuse ");
    assert_has(text, "\n    1. loop grid.c:10 in sweep ");
    assert_int_equal(asked, 5);
    // Rows of 4096 bytes, and the next element of each after them.
    assert_has(text, "what may help\n    1. grid[*] at grid.c:5 in get: interchange\n");
    free(text);
}

// The cache alone decides what counts: grid always hits in it.
static void ranked_by_a_cache(void **state)
{
    (void)state;
    dj_profile_attribution(profile)->places[3].tally.spatial->pairs[0].caches[0].all.effective = 20;
    const dj_spatial_view view = {.limits = DJ_SPATIAL_LIMITS, .cache = "L1"};
    char *text = print(&view, &plain);
    assert_has(text, "lines by poor spatial reuse poor score    L1 ");
    assert_has(text, "\n    1. grid.c:14 in sum     100%  0.40   100    1.00      -       -    30\n");
    assert_null(strstr(text, "grid.c:5"));
    free(text);
}

static void lines_in_context(void **state)
{
    (void)state;
    const dj_spatial_view view = {.limits = DJ_SPATIAL_LIMITS, .context = true};
    char *text = print(&view, &plain);
    assert_has(text, "lines in calling context by poor spatial reuse ");
    assert_has(text, "\n       grid[*]\n       main > sweep\n");
    free(text);
}

static void tables(void **state)
{
    (void)state;
    static const enum dj_by by[] = {DJ_BY_OBJECT, DJ_BY_CALLING_CONTEXT};
    const dj_spatial_view view = {.limits = DJ_SPATIAL_LIMITS, .by = by, .by_count = 2};
    char *text = print(&view, &plain);
    assert_has(text, "objects by poor spatial reuse  poor    % score  long overall accesses\n"
                     "  grid                          180 100%  0.40   300    0.40     1000\n");
    assert_has(text, "\n  heap p (grid.c:22)              0    0  1.00   100    1.00       60\n");
    assert_has(text, "\n  stack of sweep                  0    0     -     0    0.00     1000\n");
    // In sweep 2 * 60 of 900, including the stack. In main itself nothing is measured; its callees have 400
    // - 2 * 110.
    assert_has(text, "calling contexts  poor    % score incl. poor score  long overall accesses\n"
                     "  main               0    0     -        180  0.55     0       -       20\n"
                     "    sweep (24)     180 100%  0.40        180  0.40   300    0.13     2000\n");
    free(text);
}

static void lines_that_others_prepare(void **state)
{
    (void)state;
    dj_profile_attribution(profile)->places[0].tally.spatial->pairs[0].bins[0].effective = 200;
    static const enum dj_by by[] = {DJ_BY_LINE};
    const dj_spatial_view view = {.limits = DJ_SPATIAL_LIMITS, .by = by, .by_count = 1};
    char *text = print(&view, &plain);
    assert_has(text, "\nno line has poor spatial reuse\n");
    // Not clipped: 300 - 2 * 200, and 400 / 300.
    assert_has(text, "\n  grid.c:5                   -100    0  1.33 ");
    free(text);
}

static void anything_fits(void **state)
{
    (void)state;
    dj_attribution *a = dj_profile_attribution(profile);
    free(a->objects[0].name);
    free(a->functions[HAND_GET].name);
    a->objects[0].name = strdup("std::vector<std::pair<std::string, std::map<int, double>>>::of_everything");
    a->functions[HAND_GET].name = strdup("a very long name of a function \033[31m with colours \xff in it");
    static const enum dj_by by[] = {DJ_BY_OBJECT, DJ_BY_FUNCTION,        DJ_BY_LOOP,
                                    DJ_BY_LINE,   DJ_BY_CALLING_CONTEXT, DJ_BY_THREAD};
    uint32_t asked = 0;
    const dj_report_source source = {one_line, &asked};
    const dj_spatial_view view = {
        .limits = DJ_SPATIAL_LIMITS, .by = by, .by_count = DJ_BY_COUNT, .context = true, .source = &source};
    for (unsigned width = 60; width <= 200; width++) {
        const dj_render_options style = {.width = width, .unicode = width % 2};
        char *text = print(&view, &style);
        assert_fits(text, width);
        assert_null(strchr(text, '\033'));
        assert_null(strchr(text, '\xff'));
        free(text);
    }
}

static void assert_advice_text(dj_rank_row *rows, size_t count, const char *expected)
{
    const dj_ranking ranking = {.rows = rows, .count = count};
    dj_document *document = NULL;
    assert_int_equal(dj_document_create(context, &document), DJ_OK);
    const dj_spatial_page page = {.profile = profile, .document = document};
    dj_add_spatial_advice(&page, &ranking, count);
    char *text = rendered(context, document, "text", &plain);
    assert_string_equal(text, expected);
    free(text);
}

#define ROW(name_, data, loop_, advice_, text_)                                                              \
    {                                                                                                        \
        .name = (char *)(name_), .object_name = (char *)(data), .loop = (loop_),                             \
        .advice = dj_spatial_rule_find(advice_), .text = (char *)(text_)                                     \
    }

// Advice for a loop is not repeated for the other data in it.
static void advice_for_a_loop_is_given_once(void **state)
{
    (void)state;
    dj_rank_row rows[] = {
        ROW("a.c:5 in f", "x[*]", 1, "split", "Sorry."), ROW("a.c:9 in g", "x[*]", 2, "split", "Other."),
        ROW("a.c:6 in f", "y[*]", 1, "split", "Again."), ROW("a.c:7 in f", "z[*]", 1, "split", "Again."),
        ROW("a.c:8 in f", "w[*]", 1, "split", ""),
    };
    assert_advice_text(rows, 5,
                       "what may help\n"
                       "    1. x[*] at a.c:5 in f: split\n"
                       "       Sorry.\n"
                       "       The same applies to 3 (y[*]), 4 (z[*]).\n"
                       "    2. x[*] at a.c:9 in g: split\n"
                       "       Other.\n");
}

// Advice about data applies in other loops. A row that resembles only the second one is not lost.
static void advice_for_data_is_given_once(void **state)
{
    (void)state;
    dj_rank_row rows[] = {
        ROW("a.c:5 in f", "x[*]", 1, "sort", "Sorry."),
        ROW("a.c:9 in g", "x[*]", 2, "sort", "Again."),
        ROW("a.c:8 in g", "y[*]", 2, "sort", "Other."),
        ROW("a.c:7 in h", "x[*]", 3, "pad", "More."),
    };
    assert_advice_text(rows, 4,
                       "what may help\n"
                       "    1. x[*] at a.c:5 in f: sort\n"
                       "       Sorry.\n"
                       "       The same applies to 2 (a.c:9 in g).\n"
                       "    3. y[*] at a.c:8 in g: sort\n"
                       "       Other.\n"
                       "    4. x[*] at a.c:7 in h: pad\n"
                       "       More.\n");
}

static void rankings_as_json(void **state)
{
    (void)state;
    char *text = NULL;
    size_t bytes = 0;
    FILE *out = open_memstream(&text, &bytes);
    const dj_json_view view = {.binning = DJ_BINS_LOG2};
    assert_int_equal(dj_report_json(context, profile, &view, out), DJ_OK);
    fclose(out);
    json_t *root = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
    assert_non_null(root);
    free(text);
    json_t *spatial = json_object_get(root, "spatial"), *list = json_object_get(spatial, "ranking");
    json_t *first = json_array_get(list, 0);
    assert_string_equal(json_string_value(json_object_get(first, "file")), "/src/grid.c");
    assert_int_equal(json_integer_value(json_object_get(first, "line")), 5);
    assert_string_equal(json_string_value(json_object_get(first, "object")), "grid[*]");
    assert_int_equal(json_integer_value(json_object_get(first, "poor")), 180);
    assert_true(json_number_value(json_object_get(first, "share")) == 1);
    assert_true(json_real_value(json_object_get(first, "long_score")) == 0.4);
    json_t *stride = json_array_get(json_object_get(first, "strides"), 0);
    assert_int_equal(json_integer_value(json_object_get(stride, "stride")), 4096);
    assert_int_equal(json_integer_value(json_object_get(first, "used")), 850);
    assert_true(json_array_size(json_object_get(spatial, "ranking_by_loop")) > 0);
    json_t *in_context = json_array_get(json_object_get(spatial, "ranking_by_context"), 0);
    assert_string_equal(json_string_value(json_object_get(in_context, "path")), "main > sweep");
    json_decref(root);
}

#define EACH(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        EACH(worst_lines_with_their_source),
        EACH(ranked_by_a_cache),
        EACH(lines_in_context),
        EACH(tables),
        EACH(lines_that_others_prepare),
        EACH(anything_fits),
        EACH(advice_for_a_loop_is_given_once),
        EACH(advice_for_data_is_given_once),
        EACH(rankings_as_json),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
