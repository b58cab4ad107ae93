// SPDX-License-Identifier: MIT
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cli/progress.h"

static char line[128];

static void shows_percent_rate_and_time_left(void **state)
{
    (void)state;
    dj_progress quarter = {250, 1000};
    dj_meter_format(line, sizeof line, 30, &quarter, 60000000); // 2 M/s, three quarters left: 90 s
    assert_string_equal(line, " 25 %, 60.0 M accesses, 2.0 M accesses/s, 1:30 left");
    dj_progress one_percent = {1, 100};
    dj_meter_format(line, sizeof line, 60, &one_percent, 6000000); // 99 minutes left
    assert_string_equal(line, "  1 %, 6.0 M accesses, 0.1 M accesses/s, 1:39:00 left");
    dj_progress all = {1001, 1000}; // a file that grew
    dj_meter_format(line, sizeof line, 10, &all, 10000000);
    assert_string_equal(line, "all bytes read, 10.0 M accesses, 1.0 M accesses/s");
}

static void without_a_total_it_shows_only_the_progress_so_far(void **state)
{
    (void)state;
    dj_progress pipe = {12345, 0};
    dj_meter_format(line, sizeof line, 4, &pipe, 10000000);
    assert_string_equal(line, "10.0 M accesses, 2.5 M accesses/s");
    dj_progress nothing_yet = {0, 1000};
    dj_meter_format(line, sizeof line, 0, &nothing_yet, 0);
    assert_string_equal(line, "0.0 M accesses, 0.0 M accesses/s");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shows_percent_rate_and_time_left),
        cmocka_unit_test(without_a_total_it_shows_only_the_progress_so_far),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
