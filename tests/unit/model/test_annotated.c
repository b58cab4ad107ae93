// SPDX-License-Identifier: MIT
// Costs by source line, and finding source files.
#include "unit/lane.h"

#include <sys/stat.h>
#include <unistd.h>

#include "cli/source_text.h"
#include "support/hand_made.h"

static dj_context *context;
static dj_attribution *a;
static dj_annotated *made;

static int begin(void **state)
{
    (void)state;
    context = make_context();
    a = hand_made(context);
    made = NULL;
    return 0;
}

static int end(void **state)
{
    (void)state;
    dj_annotated_destroy(made);
    dj_attribution_destroy(a);
    dj_context_destroy(context);
    return 0;
}

static void assert_row(const dj_annotated_row *row, uint32_t line, uint32_t inlined, uint64_t accesses,
                       uint64_t heat)
{
    assert_int_equal(row->line, line);
    assert_int_equal(row->inlined, inlined);
    assert_int_equal(row->tally.accesses, accesses);
    assert_int_equal(row->heat, heat);
}

// The numbers of the comment in hand_made.h; L2, at which 900 of 1,021 misses are reuses, is the most
// informative cache.
static void rows(void **state)
{
    (void)state;
    assert_int_equal(dj_annotated_create(context, a, &made), DJ_OK);
    assert_int_equal(made->cut, 1);
    assert_int_equal(made->heat, 1021);
    assert_int_equal(made->file_count, 1);
    const dj_annotated_file *file = &made->files[0];
    assert_int_equal(file->row_count, 5);
    assert_int_equal(file->heat, 1021);
    assert_row(&file->rows[0], 5, DJ_NOWHERE, 1000, 1000);
    assert_row(&file->rows[1], 10, DJ_NOWHERE, 1000, 1);
    assert_row(&file->rows[2], 10, HAND_GET, 1000, 1000);
    assert_row(&file->rows[3], 14, DJ_NOWHERE, 40, 20);
    assert_row(&file->rows[4], 23, DJ_NOWHERE, 20, 0);
    assert_true(dj_annotated_is_hot(made, 11));
    assert_false(dj_annotated_is_hot(made, 10));
}

// get is inlined into get at line 5, and that into sweep at line 10: an access in get twice counts once for
// its line.
static void inlined_into_itself(void **state)
{
    (void)state;
    uint32_t around = a->sites[0].inlined;
    a->sites[0].inlined = hand_inlined(a, HAND_GET, 5, hand_inlined(a, HAND_GET, 5, around));
    assert_int_equal(dj_annotated_create(context, a, &made), DJ_OK);
    const dj_annotated_file *file = &made->files[0];
    assert_row(&file->rows[0], 5, DJ_NOWHERE, 1000, 1000);
    assert_row(&file->rows[1], 5, HAND_GET, 1000, 1000);
    assert_row(&file->rows[3], 10, HAND_GET, 1000, 1000);
    assert_int_equal(file->heat, 1021);
}

static void hottest_file_first(void **state)
{
    (void)state;
    a->sites[0].file = hand_file(a, "/usr/include/get.h");
    hand_file(a, "/src/unused.c");
    assert_int_equal(dj_annotated_create(context, a, &made), DJ_OK);
    assert_int_equal(made->file_count, 2);
    assert_string_equal(a->files[made->files[0].file], "/usr/include/get.h");
    assert_int_equal(made->files[0].heat, 1000);
    assert_int_equal(made->files[1].heat, 21);
}

static void assert_match(const char *typed, const char *expected)
{
    const dj_annotated_file *file = NULL;
    int err = dj_source_text_match(context, made, typed, &file);
    assert_int_equal(err, expected ? DJ_OK : DJ_ERR_USAGE);
    if (expected)
        assert_string_equal(a->files[file->file], expected);
}

static void names_by_their_ends(void **state)
{
    (void)state;
    a->sites[1].file = hand_file(a, "/lib/grid.c");
    a->sites[2].file = hand_file(a, "mesh/part.c");
    assert_int_equal(dj_annotated_create(context, a, &made), DJ_OK);
    assert_match("/src/grid.c", "/src/grid.c");
    assert_match("src/grid.c", "/src/grid.c");
    assert_match("./lib/grid.c", "/lib/grid.c");
    assert_match("part.c", "mesh/part.c");
    assert_match("/home/me/mesh/part.c", "mesh/part.c");
    assert_match("grid.c", NULL);
    assert_non_null(strstr(dj_context_message(context), "may be "));
    assert_match("rid.c", NULL);
    assert_match("mesh/other.c", NULL);
    assert_match("elsewhere/part.c", NULL);
    assert_match("", NULL);
}

// A folder of sources, a file without a final newline, a missing file.
static void texts(void **state)
{
    (void)state;
    char folder[] = "/tmp/deja-sources.XXXXXX", path[64];
    dj_annotated_text text;
    const dj_source_scope none = {.folders = NULL};
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/part.c", folder);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs("one\r\n\n\tthree", file);
    fclose(file);
    assert_int_equal(dj_source_text_read(context, "/gone/mesh/part.c", NULL,
                                         &(dj_source_scope){.folders = folder}, 1, &text),
                     DJ_OK);
    assert_null(text.fault);
    assert_string_equal(text.path, path);
    assert_true(text.newer);
    assert_int_equal(text.line_count, 3);
    assert_string_equal(text.lines[0], "one");
    assert_string_equal(text.lines[1], "");
    assert_string_equal(text.lines[2], "\tthree");
    dj_source_text_free(&text);
    assert_int_equal(dj_source_text_read(context, "/gone/mesh/part.c", NULL, &none, 0, &text), DJ_OK);
    assert_non_null(text.fault);
    assert_string_equal(text.path, "/gone/mesh/part.c");
    dj_source_text_free(&text);
    assert_int_equal(dj_source_text_read(context, folder, NULL, &none, 0, &text), DJ_OK);
    assert_string_equal(text.fault, "not a regular file");
    dj_source_text_free(&text);
    unlink(path);
    rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(rows, begin, end),
        cmocka_unit_test_setup_teardown(inlined_into_itself, begin, end),
        cmocka_unit_test_setup_teardown(hottest_file_first, begin, end),
        cmocka_unit_test_setup_teardown(names_by_their_ends, begin, end),
        cmocka_unit_test_setup_teardown(texts, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
