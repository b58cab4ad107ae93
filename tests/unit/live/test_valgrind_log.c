// SPDX-License-Identifier: MIT
// What a log of Valgrind says about the end of a program. The program can write to it.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "live/valgrind_log.h"

static char folder[64], path[128];

static int set_up(void **state)
{
    (void)state;
    snprintf(folder, sizeof folder, "/tmp/deja-test-XXXXXX");
    int failed = mkdtemp(folder) == NULL;
    snprintf(path, sizeof path, "%s/log.12", folder);
    return failed;
}

static int tear_down(void **state)
{
    (void)state;
    unlink(path);
    return rmdir(folder);
}

// The explanation of a log with this text; "-": there is none.
static const char *explain(const char *text)
{
    static char to[256];
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
    return dj_valgrind_log_explain(path, to, sizeof to) ? to : "-";
}

static void the_first_line_with_text_is_quoted(void **state)
{
    (void)state;
    assert_string_equal(explain("==12== \n==12==\n==12== Broken pipe\n==12== more\n"),
                        "Valgrind says: Broken pipe");
    assert_string_equal(explain("--12-- WARNING"), "Valgrind says: WARNING");
    assert_string_equal(explain("mmap failed\n"), "Valgrind says: mmap failed");
    assert_string_equal(explain("\n\n==odd\n"), "Valgrind says: ==odd");
}

static void nothing_is_quoted_if_there_is_nothing(void **state)
{
    (void)state;
    assert_string_equal(explain(""), "-");
    assert_string_equal(explain("\n"), "-");
    assert_string_equal(explain("==12== \n==12==\n  \n"), "-");
}

static void a_known_problem_is_explained(void **state)
{
    (void)state;
    assert_non_null(strstr(explain("==12== \n==12== Can't extend stack to 0x1\n"), "ulimit -s"));
}

static void another_file_in_its_place_is_not_read(void **state)
{
    (void)state;
    char to[256];
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_false(dj_valgrind_log_explain(path, to, sizeof to));
    assert_int_equal(unlink(path), 0);
    assert_int_equal(symlink("/etc/passwd", path), 0);
    assert_false(dj_valgrind_log_explain(path, to, sizeof to));
    assert_int_equal(unlink(path), 0);
    assert_false(dj_valgrind_log_explain(path, to, sizeof to));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(the_first_line_with_text_is_quoted),
        TEST(nothing_is_quoted_if_there_is_nothing),
        TEST(a_known_problem_is_explained),
        TEST(another_file_in_its_place_is_not_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
