// SPDX-License-Identifier: MIT
// Speeds of threads are relative to the first one that the main thread created.
#include "model/thread_speed.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
// cmocka needs the three above it
#include <cmocka.h>

static void the_first_created_thread_is_the_reference(void **state)
{
    (void)state;
    const dj_thread_work alone[] = {{.thread = 1}},
                         unordered[] = {{.thread = 4}, {.thread = 1}, {.thread = 3}},
                         later[] = {{.thread = 1}, {.thread = 3}, {.thread = 2}},
                         sources[] = {{.thread = 0}, {.thread = 0}};
    assert_int_equal(dj_thread_reference(alone, 1), 0);
    assert_int_equal(dj_thread_reference(unordered, 3), 2);
    assert_int_equal(dj_thread_reference(later, 3), 2);
    assert_int_equal(dj_thread_reference(sources, 2), 0);
}

static void speeds_are_accesses_per_second(void **state)
{
    (void)state;
    const dj_thread_work reference = {.accesses = 100, .cpu_seconds = 1, .native_cpu_seconds = 0.5},
                         other = {.accesses = 300, .cpu_seconds = 2, .native_cpu_seconds = 0.25},
                         brief = {.accesses = 300, .cpu_seconds = 2, .native_cpu_seconds = 0.001};
    assert_true(dj_thread_speed(&reference, &reference, false) == 1);
    assert_true(dj_thread_speed(&other, &reference, false) == 1.5);
    assert_true(dj_thread_speed(&other, &reference, true) == 6);
    assert_true(dj_thread_speed(&brief, &reference, true) == 0);
    assert_true(dj_thread_speed(&reference, &brief, true) == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_created_thread_is_the_reference),
        cmocka_unit_test(speeds_are_accesses_per_second),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
