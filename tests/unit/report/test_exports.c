// SPDX-License-Identifier: MIT
// The program of hand_made.h as folded stacks, CSV and lists in JSON; the
// numbers are those of the comment there.
#include "unit/lane.h"

#include <jansson.h>

#include "support/hand_made.h"
#include "unit/rendered.h"

static dj_context *context;
static dj_profile *profile;

static int begin(void **state)
{
    (void)state;
    context = make_context();
    profile = make_profile(context, 64);
    assert_int_equal(dj_profile_give_section(context, profile, &dj_section_attribution, hand_made(context)),
                     DJ_OK);
    profile->accesses = profile->lanes[0].accesses = 2060;
    profile->lanes[0].cold = profile->lanes[0].distinct = 121;
    add_distance(context, &profile->lanes[0], 1, 999);
    add_distance(context, &profile->lanes[0], 19, 20);
    add_distance(context, &profile->lanes[0], 40, 20);
    add_distance(context, &profile->lanes[0], 99, 900);
    return 0;
}

static int end(void **state)
{
    (void)state;
    dj_profile_destroy(profile);
    dj_context_destroy(context);
    return 0;
}

static char *text;
static size_t text_bytes;

static FILE *to_text(void)
{
    FILE *out = open_memstream(&text, &text_bytes);
    assert_non_null(out);
    return out;
}

static void assert_folded(const char *weight, const char *expected)
{
    FILE *out = to_text();
    assert_int_equal(dj_report_folded(context, profile, weight, out), DJ_OK);
    fclose(out);
    assert_string_equal(text, expected);
    free(text);
}

static void folded(void **state)
{
    (void)state;
    assert_folded(NULL, "thread 1;main 20\n"
                        "thread 1;main;sweep;get_[i] 1000\n"
                        "thread 1;main;sweep 1000\n"
                        "thread 1;main;sum 20\n"
                        "thread 1;main;helper;sum 20\n");
    assert_folded("L2", "thread 1;main;sweep;get_[i] 1000\n"
                        "thread 1;main;sweep 1\n"
                        "thread 1;main;sum 20\n");
    assert_folded("distance", "thread 1;main 800\n"
                              "thread 1;main;sweep;get_[i] 89100\n"
                              "thread 1;main;sweep 999\n"
                              "thread 1;main;helper;sum 380\n");
    assert_int_equal(dj_report_folded(context, profile, "L9", stdout), DJ_ERR_USAGE);
    assert_non_null(strstr(dj_context_message(context), "accesses, writes, cold, distance, L1, L2"));
    profile->provenance.exact = false;
}

static void folded_marks(void **state)
{
    (void)state;
    profile->provenance.exact = false;
    assert_folded("L2", "ESTIMATE;thread 1;main;sweep;get_[i] 1000\n"
                        "ESTIMATE;thread 1;main;sweep 1\n"
                        "ESTIMATE;thread 1;main;sum 20\n");
    profile->provenance.partial = true;
    assert_folded("cold", "ESTIMATE;PARTIAL;thread 1;main;sweep;get_[i] 100\n"
                          "ESTIMATE;PARTIAL;thread 1;main;sweep 1\n"
                          "ESTIMATE;PARTIAL;thread 1;main;sum 20\n");
    profile->provenance.exact = true;
    profile->provenance.partial = false;
}

// A frame must not contain a semicolon, and chains of inlined calls are in order.
static void folded_names(void **state)
{
    (void)state;
    dj_attribution *a = dj_profile_attribution(profile);
    free(a->functions[HAND_HELPER].name);
    a->functions[HAND_HELPER].name = strdup("a;b");
    free(a->threads[0].name);
    a->threads[0].name = strdup("worker");
    uint32_t inner = hand_inlined(a, HAND_SUM, 14, a->sites[0].inlined);
    a->sites[0].inlined = inner;
    assert_folded("accesses", "worker;main 20\n"
                              "worker;main;sweep;sum_[i];get_[i] 1000\n"
                              "worker;main;sweep 1000\n"
                              "worker;main;sum 20\n"
                              "worker;main;a:b;sum 20\n");
}

static void csv(void **state)
{
    (void)state;
    static const enum dj_by by[] = {DJ_BY_OBJECT, DJ_BY_FUNCTION};
    const dj_attribution_view view = {.by = by, .by_count = 2, .all_rows = true};
    dj_document *document = NULL;
    assert_int_equal(dj_document_attribution(context, profile, &view, &document), DJ_OK);
    text = rendered(context, document, "csv", NULL);
    assert_int_equal(strncmp(text,
                             "by,name,file,line,last_line,parent,depth,accesses,reads,writes,distinct,"
                             "distinct_exact,cold,min_distance,mean_distance,median_distance,max_distance,"
                             "std_distance,misses_L1,misses_L2,inclusive_accesses,inclusive_cold,"
                             "inclusive_misses_L1,inclusive_misses_L2\n"
                             "object,\"grid\",\"/src/grid.c\",3,3,,0,1000,1000,0,100,1,100,99,99,",
                             300),
                     0);
    // 20 reuses at 19, 20 at 40: mean 29.5, deviation 10.5.
    const char *heap =
        strstr(text, "\nobject,\"heap p (grid.c:22)\",\"/src/grid.c\",22,22,,0,60,40,20,20,1,20,19,29.5,");
    assert_non_null(heap);
    assert_non_null(strstr(heap, ",40,10.5,60,20,,,,\n"));
    const char *helper = strstr(text, "\nfunction,\"helper\",\"/src/grid.c\",18,18,,0,0,0,0,");
    assert_non_null(helper);
    assert_non_null(strstr(helper, ",0,,,,,,0,0,20,0,20,0\n"));
    free(text);
}

static json_t *exported(void)
{
    FILE *out = to_text();
    assert_int_equal(dj_report_json(context, profile, &(dj_json_view){.binning = DJ_BINS_EXACT}, out), DJ_OK);
    fclose(out);
    json_error_t error;
    json_t *root = json_loads(text, JSON_REJECT_DUPLICATES, &error);
    if (!root)
        fail_msg("%s at line %d of\n%s", error.text, error.line, text);
    return root;
}

static json_t *find(json_t *root, const char *list, const char *name)
{
    size_t i;
    json_t *entity;
    json_array_foreach(json_object_get(root, list), i, entity)
    {
        if (strcmp(json_string_value(json_object_get(entity, "name")), name) == 0)
            return entity;
    }
    fail_msg("no %s in %s", name, list);
    return NULL;
}

static int64_t count(json_t *entity, const char *key)
{
    assert_true(json_is_integer(json_object_get(entity, key)));
    return json_integer_value(json_object_get(entity, key));
}

static void json_lists(void **state)
{
    (void)state;
    json_t *root = exported();
    json_t *grid = find(root, "objects", "grid");
    assert_int_equal(count(grid, "accesses"), 1000);
    assert_int_equal(count(grid, "cold"), 100);
    assert_int_equal(count(grid, "distinct"), 100);
    assert_true(json_is_true(json_object_get(grid, "distinct_exact")));
    assert_string_equal(json_string_value(json_object_get(grid, "kind")), "global");
    assert_int_equal(count(json_object_get(grid, "misses"), "L1"), 1000);
    assert_int_equal(count(json_object_get(grid, "distance"), "min"), 99);
    json_t *bin = json_array_get(json_object_get(grid, "histogram"), 0);
    assert_int_equal(json_array_size(json_object_get(grid, "histogram")), 1);
    assert_true(count(bin, "lo") == 64 && count(bin, "hi") == 127 && count(bin, "count") == 900);
    json_t *sum = find(root, "functions", "sum");
    assert_int_equal(count(sum, "accesses"), 40);
    assert_int_equal(count(json_object_get(find(root, "functions", "main"), "inclusive"), "accesses"), 2060);
    assert_int_equal(count(find(root, "lines", "grid.c:23"), "writes"), 20);
    assert_int_equal(count(find(root, "loops", "grid.c:14 in sum"), "accesses"), 40);
    assert_int_equal(count(find(root, "threads", "thread 1"), "accesses"), 2060);
    json_t *helper = find(root, "contexts", "helper");
    assert_int_equal(count(json_object_get(helper, "inclusive"), "cold"), 0);
    json_t *parent = json_array_get(json_object_get(root, "contexts"), (size_t)count(helper, "parent"));
    assert_string_equal(json_string_value(json_object_get(parent, "name")), "main");
    json_t *pair = json_array_get(json_object_get(root, "reuse_pairs"), 0);
    assert_int_equal(json_array_size(json_object_get(root, "reuse_pairs")), 3);
    assert_int_equal(count(pair, "count"), 900);
    assert_int_equal(count(pair, "from_line"), 5);
    assert_string_equal(json_string_value(json_object_get(pair, "object")), "grid");
    assert_string_equal(json_string_value(json_object_get(pair, "loop")), "grid.c:10 in sweep");
    assert_int_equal(count(json_object_get(pair, "misses"), "L2"), 900);
    static const char *const lists[] = {"objects", "functions", "loops", "lines", "contexts", "threads"};
    for (size_t k = 0; k < 6; k++) {
        int64_t accesses = 0;
        size_t i;
        json_t *entity;
        json_array_foreach(json_object_get(root, lists[k]), i, entity) accesses += count(entity, "accesses");
        assert_int_equal(accesses, 2060);
    }
    json_decref(root);
    free(text);
}

// Finer bins are joined to those that start at powers of two, whatever part of them a tally has.
static void bins_of_lists(void **state)
{
    (void)state;
    static const uint64_t fine[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16};
    dj_attribution *a = dj_profile_attribution(profile);
    for (size_t i = 0; i < a->place_count; i++) {
        dj_tally_free(&a->places[i].tally);
        a->places[i].tally = (dj_tally){.accesses = 0};
    }
    while (a->pair_count > 0)
        dj_tally_free(&a->pairs[--a->pair_count].tally);
    free(a->edges);
    a->edges = malloc(sizeof fine);
    memcpy(a->edges, fine, sizeof fine);
    a->edge_count = sizeof fine / sizeof *fine;
    dj_tally *tally = &a->places[0].tally;
    *tally = (dj_tally){.accesses = 15, .min = 5, .max = 99, .bin_first = 5, .bin_count = 8};
    tally->bins = calloc(8, sizeof *tally->bins);
    memcpy(tally->bins, (uint64_t[]){1, 2, 0, 4, 0, 0, 0, 8}, 8 * sizeof *tally->bins);
    json_t *root = exported();
    json_t *bins = json_object_get(find(root, "objects", "grid"), "histogram");
    const int64_t expected[][3] = {{4, 7, 3}, {8, 15, 4}, {16, 99, 8}};
    assert_int_equal(json_array_size(bins), 3);
    for (size_t i = 0; i < 3; i++) {
        json_t *bin = json_array_get(bins, i);
        assert_int_equal(count(bin, "lo"), expected[i][0]);
        assert_int_equal(count(bin, "hi"), expected[i][1]);
        assert_int_equal(count(bin, "count"), expected[i][2]);
    }
    json_decref(root);
    free(text);
}

// Loading ignores the lists for people.
static void json_is_loaded_again(void **state)
{
    (void)state;
    dj_profile *again = NULL;
    json_decref(exported());
    FILE *in = fmemopen(text, strlen(text), "r");
    assert_int_equal(dj_profile_load(context, in, "p.json", &again), DJ_OK);
    fclose(in);
    assert_int_equal(dj_profile_attribution(again)->place_count, 5);
    assert_int_equal(dj_profile_attribution(again)->pairs[0].tally.accesses, 900);
    dj_profile_destroy(again);
    free(text);
}

static void without_attribution(void **state)
{
    (void)state;
    static const enum dj_by by[] = {DJ_BY_OBJECT};
    dj_profile_drop_section(profile, &dj_section_attribution);
    json_t *root = exported();
    assert_null(json_object_get(root, "objects"));
    json_decref(root);
    free(text);
    assert_int_equal(dj_report_folded(context, profile, NULL, stdout), DJ_ERR_USAGE);
    const dj_attribution_view view = {.by = by, .by_count = 1, .all_rows = true};
    dj_document *document = NULL;
    assert_int_equal(dj_document_attribution(context, profile, &view, &document), DJ_ERR_USAGE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(folded, begin, end),
        cmocka_unit_test_setup_teardown(folded_marks, begin, end),
        cmocka_unit_test_setup_teardown(folded_names, begin, end),
        cmocka_unit_test_setup_teardown(csv, begin, end),
        cmocka_unit_test_setup_teardown(json_lists, begin, end),
        cmocka_unit_test_setup_teardown(bins_of_lists, begin, end),
        cmocka_unit_test_setup_teardown(json_is_loaded_again, begin, end),
        cmocka_unit_test_setup_teardown(without_attribution, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
