// SPDX-License-Identifier: MIT
// The rate that a budget for bursts allows; the results were calculated by hand.
#include "unit/live.h"

#include "tracer/budget.h"

// A gap takes 2 ns for each unit, a burst 42 ns: 21 times as long. In 1000 units, 10 % in bursts cost
// 900 · 2 + 100 · 42 = 6000 ns in place of 2000, three times as much: 200 % in addition.
static const dj_burst_budget measured = {.factor = 3000, .burst = {420000, 10000}, .gaps = {200000, 100000}};

static void the_rate_fits_the_budget(void **state)
{
    (void)state;
    assert_int_equal(dj_budget_slower(&measured), 21000);
    assert_int_equal(dj_budget_rate(&measured, 2000, 500000), 100000);
    assert_int_equal(dj_budget_rate(&measured, 1000, 500000), 50000);
}

static void the_rate_has_limits(void **state)
{
    (void)state;
    const dj_burst_budget as_fast = {.burst = {200, 100}, .gaps = {200, 100}},
                          unknown = {.burst = {200, 100}};
    assert_int_equal(dj_budget_rate(&measured, 2000, 70000), 70000);
    assert_int_equal(dj_budget_rate(&measured, 1, 500000), DJ_BUDGET_RATE_LEAST);
    assert_int_equal(dj_budget_rate(&as_fast, 1, 500000), 500000);
    assert_int_equal(dj_budget_rate(&unknown, 1, 500000), 500000);
}

// From 1000 ns and 500 units on: 6000 ns for 1000 units, which take 2000 ns in gaps.
static void the_whole_run_counts(void **state)
{
    (void)state;
    dj_burst_budget budget = measured;
    const dj_burst_budget unknown = {.factor = 3000};
    budget.began = (dj_burst_cost){1000, 500};
    assert_int_equal(dj_budget_reached(&budget, (dj_burst_cost){7000, 1500}), 3000);
    assert_int_equal(dj_budget_reached(&unknown, (dj_burst_cost){7000, 1500}), 0);
}

static void long_runs_do_not_overflow(void **state)
{
    (void)state;
    const uint64_t day_ns = UINT64_C(86400) * 1000000000, length = day_ns / 4;
    const dj_burst_budget budget = {.gaps = {day_ns, length}};
    assert_int_equal(dj_budget_reached(&budget, (dj_burst_cost){2 * day_ns, length}), 2000);
}

static void records_become_events(void **state)
{
    (void)state;
    words w = {.count = 0};
    PUT(&w, DJ_RECORD_BUDGET, 0, 5000, 73000, 12345);
    PUT(&w, DJ_RECORD_BUDGET, 1, 4100);
    feed_well(&w);
    expect_event(0, DJ_EVENT_BUDGET, 5000, 73000, 12345, "");
    expect_event(0, DJ_EVENT_COST, 4100, 0, 0, "");
    expect_no_more_events();
}

static void short_records_are_refused(void **state)
{
    (void)state;
    words w = {.count = 0};
    PUT(&w, DJ_RECORD_BUDGET, 0, 5000, 73000);
    feed_badly(&w, "the record of a budget has 2 words");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(the_rate_fits_the_budget),  TEST(the_rate_has_limits),   TEST(the_whole_run_counts),
        TEST(long_runs_do_not_overflow), TEST(records_become_events), TEST(short_records_are_refused),
    };
    return cmocka_run_group_tests(tests, make_context, drop_context);
}
