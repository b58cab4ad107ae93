// SPDX-License-Identifier: MIT
// The example of docs/adding-a-report.md, in one file and outside src: a report that builds a document
// from a profile, and a renderer that writes any document.
#include <stdarg.h>
#include <stddef.h>

#include <setjmp.h>

#include <cmocka.h>

#include <deja/deja.h>
#include <stdlib.h>
#include <string.h>

// The report: which lanes a profile has, and their longest reuse.
static int dj_document_toy(dj_context *context, const dj_profile *profile, dj_document **out)
{
    static const dj_sheet_column columns[] = {
        {.title = "", .name = "block"},
        {.title = "reuses", .name = "reuses", .width = 8},
        {.title = "longest", .name = "longest", .width = 8, .rank = 1},
        {.name = "mean"}, // for programs only
    };
    dj_document *document = NULL;
    int err = dj_document_create(context, &document);
    if (err)
        return err;
    document->summary = dj_document_format(document, "%zu block sizes.", profile->lane_count);
    dj_document_say(document, DJ_TEXT_TITLE, 0, "toy report of %s", profile->provenance.engine);
    dj_sheet *table = dj_document_table(document, DJ_NODE_TABLE, "lanes");
    dj_sheet_node(table)->data = true;
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
        dj_sheet_add_column(table, columns[i]);
    for (size_t i = 0; i < profile->lane_count; i++) {
        dj_moments m = dj_lane_moments(&profile->lanes[i]);
        dj_sheet_row *row = dj_sheet_add_row(table);
        dj_row_put(table, row, dj_datum_whole(DJ_DATUM_BYTES, profile->lanes[i].id.block_bytes));
        dj_row_put(table, row, dj_datum_whole(DJ_DATUM_SHORT, m.count));
        dj_row_put(table, row, m.count ? dj_datum_count(m.max) : dj_datum_none("-"));
        dj_row_put(table, row, dj_datum_real(DJ_DATUM_REAL, m.mean, 1));
    }
    return dj_document_finish(context, err, document, out);
}

// The renderer: an outline, with what kinds of nodes there are and how many rows.
static int render_outline(dj_context *context, const dj_document *document, const dj_render_options *options,
                          FILE *out)
{
    static const char *const kinds[DJ_NODE_KINDS] = {"text", "facts", "table", "chart",
                                                     "bars", "heat",  "source"};
    (void)context, (void)options;
    for (size_t i = 0; i < document->count; i++) {
        const dj_node *node = document->nodes[i];
        fprintf(out, "%s", kinds[node->kind]);
        if (node->kind == DJ_NODE_TABLE)
            fprintf(out, " %zux%zu", node->table.row_count, node->table.column_count);
        fputc('\n', out);
    }
    return DJ_OK;
}

static const dj_renderer outline = {.name = "outline", .summary = "kinds of nodes", .render = render_outline};

static dj_profile *make(dj_context *context)
{
    dj_profile *profile = NULL;
    assert_int_equal(dj_profile_create(context, 2, &profile), DJ_OK);
    for (size_t i = 0; i < 2; i++) {
        profile->lanes[i].id.block_bytes = UINT64_C(64) << i;
        if (!profile->lanes[i].distance)
            assert_int_equal(dj_histogram_create(context, &profile->lanes[i].distance), DJ_OK);
        for (uint64_t distance = 1; distance <= 3; distance++)
            assert_int_equal(dj_histogram_add(profile->lanes[i].distance, context, distance, 4000), DJ_OK);
    }
    free(profile->provenance.engine);
    profile->provenance.engine = strdup("=a\033[1m|b");
    return profile;
}

static void assert_renders(dj_context *context, const dj_document *document, const dj_renderer *renderer,
                           const char *expected)
{
    static const dj_render_options ascii = {.width = 60};
    char *text = NULL;
    size_t bytes = 0;
    FILE *out = open_memstream(&text, &bytes);
    assert_non_null(out);
    assert_int_equal(dj_render(context, renderer, document, &ascii, out), DJ_OK);
    fclose(out);
    assert_string_equal(text, expected);
    free(text);
}

static void toy_document_by_every_renderer(void **state)
{
    (void)state;
    dj_context *context = NULL;
    dj_document *document = NULL;
    assert_int_equal(dj_context_create(&context), DJ_OK);
    dj_profile *profile = make(context);
    assert_int_equal(dj_document_toy(context, profile, &document), DJ_OK);
    dj_profile_destroy(profile); // the document does not need it
    assert_renders(context, document, dj_renderer_find("text"),
                   "toy report of =a?[1m|b\n"
                   "\n"
                   "2 block sizes.\n"
                   "\n"
                   "  lanes   reuses  longest\n"
                   "   64 B    12.0k        3\n"
                   "  128 B    12.0k        3\n");
    assert_renders(context, document, dj_renderer_find("csv"),
                   "block,reuses,longest,mean\n"
                   "64,12000,3,2\n"
                   "128,12000,3,2\n");
    assert_renders(context, document, dj_renderer_find("markdown"),
                   "**2 block sizes.**\n\n"
                   "### toy report of =a?\\[1m\\|b\n\n"
                   "| lanes | reuses | longest |\n"
                   "|:--|--:|--:|\n"
                   "| 64 B | 12.0k | 3 |\n"
                   "| 128 B | 12.0k | 3 |\n\n");
    assert_renders(context, document, &outline, "text\ntable 2x4\n");
    dj_document_destroy(document);
    dj_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(toy_document_by_every_renderer)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
