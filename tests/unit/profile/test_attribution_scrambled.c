// SPDX-License-Identifier: MIT
// Attributions with wrong cells through every report.
#include "unit/attribution_json.h"

#include <jansson.h>

#include <deja/render.h>

#include "report/listing.h"

static void render_all(dj_document *document, FILE *out)
{
    for (size_t i = 0; i < dj_renderer_count(); i++)
        assert_int_equal(dj_render(context, dj_renderer_get(i), document, NULL, out), DJ_OK);
    dj_document_destroy(document);
}

static void report_all(const dj_profile *profile, FILE *out)
{
    static const enum dj_by by[] = {DJ_BY_OBJECT, DJ_BY_FUNCTION,        DJ_BY_LOOP,
                                    DJ_BY_LINE,   DJ_BY_CALLING_CONTEXT, DJ_BY_THREAD};
    const dj_attribution_view view = {.by = by, .by_count = DJ_BY_COUNT, .all_rows = true},
                              brief = {.all_rows = true, .details = true};
    const dj_annotated_text texts[] = {{.path = "x.c"}};
    dj_annotated *annotated = NULL;
    dj_document *document = NULL;
    assert_int_equal(dj_report_json(context, profile, &(dj_json_view){.binning = DJ_BINS_LOG2}, out), DJ_OK);
    assert_int_equal(dj_report_callgrind(context, profile, out), DJ_OK);
    assert_int_equal(dj_report_folded(context, profile, NULL, out), DJ_OK);
    assert_int_equal(dj_document_attribution(context, profile, &view, &document), DJ_OK);
    render_all(document, out);
    assert_int_equal(dj_document_attribution(context, profile, &brief, &document), DJ_OK);
    render_all(document, out);
    assert_int_equal(dj_annotated_create(context, dj_profile_attribution(profile), &annotated), DJ_OK);
    for (size_t i = 0; i < annotated->file_count; i++) {
        const dj_annotated_file *file = &annotated->files[i];
        assert_int_equal(
            dj_document_annotated(context, profile, annotated, &file, texts, 1, false, true, &document),
            DJ_OK);
        render_all(document, out);
    }
    dj_annotated_destroy(annotated);
}

// Replaces some cells that are numbers or null.
static void scramble(json_t *attribution, uint64_t *random)
{
    static const char *const tables[] = {"functions", "loops",   "inlined", "sites", "threads",
                                         "contexts",  "objects", "places",  "pairs"};
    for (int n = 0; n < 3; n++) {
        json_t *rows = json_object_get(attribution, tables[next_random(random) % 9]);
        json_t *row = json_array_get(rows, next_random(random) % json_array_size(rows));
        size_t cell = next_random(random) % json_array_size(row);
        json_t *old = json_array_get(row, cell);
        if (json_is_integer(old) || json_is_null(old))
            json_array_set_new(row, cell,
                               next_random(random) % 4 == 0
                                   ? json_null()
                                   : json_integer((json_int_t)(next_random(random) % 6)));
    }
}

// Whatever is loaded can be reported in every format.
static void scrambled(void **state)
{
    (void)state;
    dj_profile *profile = hand_profile();
    char *text = saved(profile);
    json_t *root = json_loads(text, 0, NULL);
    uint64_t random = 7;
    unsigned good = 0;
    FILE *out = fopen("/dev/null", "w");
    for (int i = 0; i < 2000; i++) {
        json_t *copy = json_deep_copy(root);
        scramble(json_object_get(copy, "attribution"), &random);
        char *changed = json_dumps(copy, JSON_COMPACT);
        dj_profile *again = NULL;
        int err = loaded(changed, &again);
        assert_true(err == DJ_OK || err == DJ_ERR_INPUT);
        if (!err) {
            good++;
            report_all(again, out);
        }
        dj_profile_destroy(again);
        free(changed);
        json_decref(copy);
    }
    assert_true(good > 500);
    fclose(out);
    free(text);
    json_decref(root);
    dj_profile_destroy(profile);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scrambled),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
