// SPDX-License-Identifier: MIT
// The format of every real trace in $DEJA_TRACES/EXPECTED.tsv is detected without --format, except
// fixed-width keys, which cannot be recognized.
#include "support/reading.h"

static char folder[4096];

// Opens `path` in the folder; returns the name of its format, or "" on an error.
static void detect(const char *path, char *out, size_t bytes)
{
    char whole[8192];
    const char *paths[] = {whole};
    dj_context *context = NULL;
    dj_source *source = NULL;
    snprintf(whole, sizeof whole, "%s/%s", folder, path);
    assert_int_equal(dj_context_create(&context), DJ_OK);
    int err = dj_source_open(context, paths, 1, &(dj_source_options){0}, &source);
    if (err)
        assert_int_equal(err, DJ_ERR_INPUT);
    snprintf(out, bytes, "%s", err ? "" : dj_source_get_info(source)->format);
    dj_source_close(source);
    dj_context_destroy(context);
}

static void every_listed_trace_has_its_format_detected(void **state)
{
    (void)state;
    char name[8192], row[4096], path[256], format[64], found[64];
    unsigned rows = 0;
    snprintf(name, sizeof name, "%s/EXPECTED.tsv", folder);
    FILE *in = fopen(name, "r");
    assert_non_null(in);
    while (fgets(row, sizeof row, in)) {
        if (sscanf(row, "%255[^\t]\t--format %63s", path, format) != 2)
            continue;
        bool hidden = strncmp(format, "u32", 3) == 0 || strncmp(format, "u64", 3) == 0;
        detect(path, found, sizeof found);
        if (strcmp(found, hidden ? "" : format) != 0)
            print_error("%s: %s, not %s\n", path, found, format);
        assert_string_equal(found, hidden ? "" : format);
        rows++;
    }
    fclose(in);
    assert_true(rows > 0);
}

int main(void)
{
    const char *traces = getenv("DEJA_TRACES");
    if (!traces || !*traces)
        return 77;
    snprintf(folder, sizeof folder, "%s", traces);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_listed_trace_has_its_format_detected),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
