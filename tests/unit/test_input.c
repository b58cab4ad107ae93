// SPDX-License-Identifier: MIT
// The byte stream under the readers: memory, files, decompression.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <string.h>

#include "trace/input.h"
#include "trace/lines.h"

static dj_context *context;

static int set_up(void **state)
{
    (void)state;
    return dj_context_create(&context);
}

static int tear_down(void **state)
{
    (void)state;
    dj_context_destroy(context);
    return 0;
}

static void lines_are(const char *text, size_t bytes, const char *const *expected, size_t count)
{
    dj_input *input = NULL;
    dj_lines lines;
    dj_line line;
    assert_int_equal(dj_input_open_memory(context, text, bytes, "memory", &input), DJ_OK);
    dj_lines_init(&lines, input);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(dj_lines_next(context, &lines, &line), DJ_OK);
        assert_non_null(line.begin);
        assert_int_equal(line.end - line.begin, strlen(expected[i]));
        assert_memory_equal(line.begin, expected[i], strlen(expected[i]));
        assert_int_equal(lines.number, i + 1);
        assert_ptr_equal(line.begin, text + dj_lines_offset(&lines, line.begin));
    }
    assert_int_equal(dj_lines_next(context, &lines, &line), DJ_OK);
    assert_null(line.begin);
    dj_input_close(input);
}

static void cuts_lines(void **state)
{
    (void)state;
    static const char *const three[] = {"a", "", "bc"};
    lines_are("a\n\nbc\n", 6, three, 3);
    lines_are("a\r\n\r\nbc", 7, three, 3);
    static const char *const nothing[] = {""};
    lines_are("\n", 1, nothing, 1);
    lines_are("", 0, nothing, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cuts_lines),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
