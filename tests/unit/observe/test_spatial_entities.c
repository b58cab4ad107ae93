// SPDX-License-Identifier: MIT
// The spatial locality of breakdowns, in JSON and CSV, against sums computed here.
#include "unit/rendered.h"
#include "unit/spatial_profile.h"

#include <jansson.h>

typedef struct sums {
    uint64_t reuses, effective, far, far_effective;
} sums;

enum { NEAR_BIN = 9 }; // 256 blocks and more, the default limit

static void add_counts(sums *to, const dj_spatial_counts *counts)
{
    for (uint32_t i = 0; i < counts->bin_count; i++) {
        bool far = counts->bin_first + i >= NEAR_BIN;
        to->reuses += counts->bins[i].reuses;
        to->effective += counts->bins[i].effective;
        to->far += far ? counts->bins[i].reuses : 0;
        to->far_effective += far ? counts->bins[i].effective : 0;
    }
}

static sums places_of(const dj_profile *profile, size_t pair, const char *object)
{
    sums s = {0};
    const dj_attribution *a = dj_profile_attribution(profile);
    for (size_t i = 0; i < a->place_count; i++)
        if (!object || strcmp(a->objects[a->places[i].object].name, object) == 0)
            add_counts(&s, &a->places[i].tally.spatial->pairs[pair]);
    return s;
}

static json_t *as_json(const dj_profile *profile)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *out = open_memstream(&text, &bytes);
    assert_int_equal(dj_report_json(context, profile, &(dj_json_view){.binning = DJ_BINS_LOG2}, out), DJ_OK);
    fclose(out);
    json_t *root = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
    assert_non_null(root);
    free(text);
    return root;
}

static uint64_t number(const json_t *object, const char *key)
{
    assert_true(json_is_integer(json_object_get(object, key)));
    return (uint64_t)json_integer_value(json_object_get(object, key));
}

static void assert_pair(const json_t *entity, size_t pair, const sums *want)
{
    const json_t *got = json_array_get(json_object_get(entity, "spatial"), pair);
    assert_int_equal(number(got, "block"), 32 << pair);
    assert_int_equal(number(got, "reuses"), want->reuses);
    assert_int_equal(number(got, "effective"), want->effective);
    assert_int_equal(number(got, "long_reuses"), want->far);
    assert_int_equal(number(got, "long_effective"), want->far_effective);
    assert_true(json_integer_value(json_object_get(got, "poor")) ==
                (json_int_t)want->far - 2 * (json_int_t)want->far_effective);
    double score = want->reuses ? 2.0 * (double)want->effective / (double)want->reuses : 0;
    assert_true(json_number_value(json_object_get(got, "score")) == score);
}

static const json_t *named(const json_t *list, const char *name)
{
    for (size_t i = 0; i < json_array_size(list); i++)
        if (strcmp(json_string_value(json_object_get(json_array_get(list, i), "name")), name) == 0)
            return json_array_get(list, i);
    fail_msg("there is no %s", name);
    return NULL;
}

static void entities_in_json(void **state)
{
    (void)state;
    dj_profile *profile = spatial_random(21, 6000);
    json_t *root = as_json(profile);
    for (size_t pair = 0; pair < 2; pair++) {
        sums grid = places_of(profile, pair, "grid"), list = places_of(profile, pair, "list");
        sums whole = places_of(profile, pair, NULL);
        assert_true(grid.far > 0 && list.far_effective > 0);
        assert_pair(named(json_object_get(root, "objects"), "grid"), pair, &grid);
        assert_pair(named(json_object_get(root, "objects"), "list"), pair, &list);
        const json_t *top = named(json_object_get(root, "functions"), "main");
        assert_pair(json_object_get(top, "inclusive"), pair, &whole);
        const json_t *of_pair =
            json_array_get(json_object_get(json_object_get(root, "spatial"), "pairs"), pair);
        assert_int_equal(whole.reuses, number(of_pair, "reuses"));
        assert_int_equal(whole.effective, number(of_pair, "effective"));
    }
    // Only place 1 of `list` has strides.
    const json_t *usage = json_object_get(named(json_object_get(root, "objects"), "list"), "usage");
    assert_int_equal(number(usage, "steps"), 40);
    assert_int_equal(number(usage, "fetched"), 7);
    const json_t *stride = json_array_get(json_object_get(usage, "strides"), 0);
    assert_int_equal(json_integer_value(json_object_get(stride, "stride")), -8);
    assert_int_equal(number(stride, "count"), 20);
    json_decref(root);
    dj_profile_destroy(profile);
}

// Loading ignores what is written there.
static void lists_are_passed_over(void **state)
{
    (void)state;
    dj_profile *profile = spatial_random(22, 900), *again = NULL;
    json_t *root = as_json(profile);
    char *text = json_dumps(root, 0);
    assert_int_equal(loaded(text, &again), DJ_OK);
    assert_memory_equal(dj_profile_spatial(again)->pairs[1].map, dj_profile_spatial(profile)->pairs[1].map,
                        sizeof dj_profile_spatial(profile)->pairs[1].map);
    free(text);
    json_decref(root);
    dj_profile_destroy(again);
    dj_profile_destroy(profile);
}

static size_t split_cells(char *line, char **cells, size_t most)
{
    size_t count = 0;
    for (char *rest = line, *cell; (cell = strsep(&rest, ",")) && count < most;)
        cells[count++] = cell;
    return count;
}

static const char *cell_of(char **names, char **cells, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(names[i], name) == 0)
            return cells[i];
    fail_msg("there is no column %s", name);
    return NULL;
}

// Names here have no commas.
static void entities_in_csv(void **state)
{
    (void)state;
    static const enum dj_by by[] = {DJ_BY_OBJECT, DJ_BY_FUNCTION};
    enum { CELLS = 128 };
    dj_profile *profile = spatial_random(23, 2000);
    sums grid = places_of(profile, 0, "grid"), whole = places_of(profile, 1, NULL);
    char *text = NULL, *names[CELLS], *cells[CELLS], *rest, *line;
    size_t columns;
    unsigned found = 0;
    const dj_attribution_view view = {.by = by, .by_count = 2, .all_rows = true};
    dj_document *document = NULL;
    assert_int_equal(dj_document_attribution(context, profile, &view, &document), DJ_OK);
    text = rendered(context, document, "csv", NULL);
    rest = text;
    columns = split_cells(strsep(&rest, "\n"), names, CELLS);
    while ((line = strsep(&rest, "\n")) && *line) {
        assert_int_equal(split_cells(line, cells, CELLS), columns);
        if (strcmp(cells[1], "\"grid\"") == 0) {
            assert_int_equal(strtoull(cell_of(names, cells, columns, "reuses_32"), NULL, 10), grid.reuses);
            assert_int_equal(strtoll(cell_of(names, cells, columns, "poor_32"), NULL, 10),
                             (int64_t)grid.far - 2 * (int64_t)grid.far_effective);
            assert_string_equal(cell_of(names, cells, columns, "inclusive_reuses_32"), "");
            assert_string_equal(cell_of(names, cells, columns, "stride"), "");
            found++;
        }
        if (strcmp(cells[1], "\"list\"") == 0) {
            assert_string_equal(cell_of(names, cells, columns, "stride"), "-8");
            assert_string_equal(cell_of(names, cells, columns, "used"), "448");
            found++;
        }
        if (strcmp(cells[1], "\"main\"") == 0) {
            assert_int_equal(strtoull(cell_of(names, cells, columns, "inclusive_effective_64"), NULL, 10),
                             whole.effective);
            found++;
        }
    }
    assert_int_equal(found, 3);
    free(text);
    dj_profile_destroy(profile);
}

// A cache instead of the limit: misses in it, and those that the doubled block saves.
static void with_a_cache(void **state)
{
    (void)state;
    dj_profile *profile = spatial_random(24, 900);
    static const enum dj_by by[] = {DJ_BY_THREAD};
    const dj_spatial_view view = {
        .cache = "L2", .limits = DJ_SPATIAL_LIMITS, .by = by, .by_count = 1, .all_rows = true};
    enum { CELLS = 128 };
    char *text = NULL, *names[CELLS], *cells[CELLS], *rest;
    dj_document *document = NULL;
    assert_int_equal(dj_document_spatial(context, profile, &view, &document), DJ_OK);
    text = rendered(context, document, "csv", NULL);
    rest = text;
    size_t columns = split_cells(strsep(&rest, "\n"), names, CELLS);
    assert_int_equal(split_cells(strsep(&rest, "\n"), cells, CELLS), columns);
    const dj_spatial_count *all = &dj_profile_spatial(profile)->pairs[0].caches[1].all;
    assert_int_equal(strtoull(cell_of(names, cells, columns, "long_reuses_32"), NULL, 10), all->reuses);
    assert_int_equal(strtoull(cell_of(names, cells, columns, "long_effective_32"), NULL, 10), all->effective);
    free(text);
    const dj_spatial_view unknown = {.cache = "L7", .limits = DJ_SPATIAL_LIMITS};
    assert_int_equal(dj_document_spatial(context, profile, &unknown, &document), DJ_ERR_USAGE);
    dj_profile_destroy(profile);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(entities_in_json),
        cmocka_unit_test(lists_are_passed_over),
        cmocka_unit_test(entities_in_csv),
        cmocka_unit_test(with_a_cache),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
