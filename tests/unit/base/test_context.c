// SPDX-License-Identifier: MIT
// Messages: quotes from hostile files do not reach the terminal unchanged.
#include <deja/error.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void test_no_control_characters(void **state)
{
    (void)state;
    dj_context *context = NULL;
    assert_int_equal(dj_context_create(&context), DJ_OK);
    assert_int_equal(dj_fail(context, DJ_ERR_INPUT, "bad '%s'", "a\x1b[31m\x07\x7fü\nb\tc"), DJ_ERR_INPUT);
    assert_string_equal(dj_context_message(context), "bad 'a?[31m??ü?b?c'");
    assert_int_equal(dj_fail_within(context, DJ_ERR_INPUT, "%s", "file\r\x1b"), DJ_ERR_INPUT);
    assert_string_equal(dj_context_message(context), "file??: bad 'a?[31m??ü?b?c'");
    dj_context_destroy(context);
}

static void test_first_warning_is_kept(void **state)
{
    (void)state;
    dj_context *context = NULL;
    assert_int_equal(dj_context_create(&context), DJ_OK);
    assert_string_equal(dj_context_warning(context), "");
    dj_warn(context, "%d keys\x1b", 7);
    dj_warn(context, "another one");
    assert_string_equal(dj_context_warning(context), "7 keys?");
    assert_string_equal(dj_context_message(context), ""); // it is not an error
    dj_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_no_control_characters),
                                       cmocka_unit_test(test_first_warning_is_kept)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
