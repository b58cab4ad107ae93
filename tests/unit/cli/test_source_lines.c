// SPDX-License-Identifier: MIT
#include <deja/deja.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "cli/source_lines.h"

static void lines_are_read_once_and_kept(void **state)
{
    (void)state;
    char path[] = "/tmp/deja-lines-XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    FILE *file = fdopen(fd, "w");
    fputs("one\n\ttwo\r\nthree", file);
    fclose(file);
    dj_context *context = NULL;
    assert_int_equal(dj_context_create(&context), DJ_OK);
    dj_source_lines lines = {.context = context, .scope = {.anywhere = true}};
    assert_string_equal(dj_source_lines_get(&lines, path, 2), "\ttwo");
    assert_string_equal(dj_source_lines_get(&lines, path, 3), "three");
    assert_null(dj_source_lines_get(&lines, path, 4));
    assert_null(dj_source_lines_get(&lines, path, 0));
    assert_null(dj_source_lines_get(&lines, "/nowhere/at/all.c", 1));
    assert_null(dj_source_lines_get(&lines, "/tmp", 1));
    unlink(path); // the file is already read
    assert_string_equal(dj_source_lines_get(&lines, path, 1), "one");
    dj_source_lines_close(&lines);
    assert_null(dj_source_lines_get(&lines, path, 1));
    dj_source_lines_close(&lines);
    dj_context_destroy(context);
}

static dj_context *write_one_line(char *path)
{
    dj_context *context = NULL;
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, "one\n", 4), 4);
    close(fd);
    assert_int_equal(dj_context_create(&context), DJ_OK);
    return context;
}

// Lines may have moved in such a file.
static void a_file_changed_after_the_profile_has_no_lines(void **state)
{
    (void)state;
    char path[] = "/tmp/deja-lines-XXXXXX";
    dj_context *context = write_one_line(path);
    dj_source_lines before = {.context = context, .scope = {.folders = "/tmp"}, .created = 1},
                    after = {.context = context, .scope = {.folders = "/tmp"}, .created = time(NULL) + 9};
    assert_null(dj_source_lines_get(&before, path, 1));
    assert_string_equal(dj_source_lines_get(&after, path, 1), "one");
    dj_source_lines_close(&before);
    dj_source_lines_close(&after);
    unlink(path);
    dj_context_destroy(context);
}

// Whoever wrote the profile chose the names in it.
static void a_file_elsewhere_has_no_lines(void **state)
{
    (void)state;
    char path[] = "/tmp/deja-lines-XXXXXX";
    dj_context *context = write_one_line(path);
    assert_int_equal(chdir("/usr"), 0);
    dj_source_lines outside = {.context = context},
                    named = {.context = context, .scope = {.folders = "/tmp"}};
    assert_null(dj_source_lines_get(&outside, path, 1));
    assert_string_equal(dj_source_lines_get(&named, path, 1), "one");
    assert_int_equal(chdir("/tmp"), 0);
    dj_source_lines inside = {.context = context};
    assert_string_equal(dj_source_lines_get(&inside, path, 1), "one");
    dj_source_lines_close(&outside);
    dj_source_lines_close(&named);
    dj_source_lines_close(&inside);
    unlink(path);
    dj_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(lines_are_read_once_and_kept),
                                       cmocka_unit_test(a_file_changed_after_the_profile_has_no_lines),
                                       cmocka_unit_test(a_file_elsewhere_has_no_lines)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
