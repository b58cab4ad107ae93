// SPDX-License-Identifier: MIT
// Decodes the records of a program that is traced in bursts; the results were calculated by hand.
#include "unit/live.h"

static void put_direct(words *w, unsigned type, uint64_t pc, uint64_t word)
{
    w->at[w->count++] = DJ_DIRECT_RECORD(type, pc);
    w->at[w->count++] = word;
}

static void begin(words *w)
{
    put_module(w, 0x400000, 0x1000, "/bin/program");
    feed_well(w);
    skip_events();
}

static void bursts_and_gaps_have_lengths(void **state)
{
    (void)state;
    words w = {.count = 0};
    begin(&w);
    put_direct(&w, DJ_DIRECT_ACCESS | 3, 0x400100, 0x7000);
    PUT(&w, DJ_RECORD_BURST, 1, 500);
    PUT(&w, DJ_RECORD_BURST, 0, 9500);
    put_direct(&w, DJ_DIRECT_ACCESS | 3, 0x400100, 0x7000);
    feed_well(&w);
    assert_int_equal(batch->count, 2);
    expect_event(0, DJ_EVENT_SITE, 0, 0, 0xff, "");
    expect_event(1, DJ_EVENT_GAP, 0, 0, 500, "");
    expect_event(1, DJ_EVENT_GAP, 0, 9500, 0, "");
    expect_no_more_events();
}

// Everything that was known returns; then main, called from 0x400010, calls from 0x400200 a function.
static void a_stack_replaces_what_was_known(void **state)
{
    (void)state;
    words w = {.count = 0};
    begin(&w);
    put_direct(&w, DJ_DIRECT_ENTRY, 0x400500, 0x6000);
    PUT(&w, DJ_RECORD_STACK, 1, 0x400010, 0x9000, 0x400200, 0x8000);
    put_direct(&w, DJ_DIRECT_EXIT, 0x400300, 0x7ff0);
    put_direct(&w, DJ_DIRECT_EXIT, 0x400210, 0x8ff0);
    put_direct(&w, DJ_DIRECT_EXIT, 0x400020, 0xa000); // nothing is left
    feed_well(&w);
    expect_event(0, DJ_EVENT_SITE, 0, 0, 0x4ff, "");
    expect_event(0, DJ_EVENT_CALL, 0, 0, 0x6000, "");
    expect_event(0, DJ_EVENT_RETURN, 0, 0, UINT64_MAX, "");
    expect_event(0, DJ_EVENT_SITE, 1, 0, 0xf, "");
    expect_event(0, DJ_EVENT_CALL, 1, 0, 0x8ff8, "");
    expect_event(0, DJ_EVENT_SITE, 2, 0, 0x1ff, "");
    expect_event(0, DJ_EVENT_CALL, 2, 0, 0x7ff8, "");
    expect_event(0, DJ_EVENT_RETURN, 0, 0, 0x8000, "");
    expect_event(0, DJ_EVENT_RETURN, 0, 0, 0x9000, "");
    expect_no_more_events();
}

// A recompiled program also says which function was called.
static void a_stack_names_its_functions(void **state)
{
    (void)state;
    words w = {.count = 0};
    begin(&w);
    PUT(&w, DJ_RECORD_STACK, 2, 0x400010, 0x9000, 0x400101, 0x400200, 0x8000, 0x400301);
    put_direct(&w, DJ_DIRECT_EXIT, 0x400300, 0x7ff0);
    feed_well(&w);
    expect_event(0, DJ_EVENT_RETURN, 0, 0, UINT64_MAX, "");
    expect_event(0, DJ_EVENT_SITE, 0, 0, 0xf, "");
    expect_event(0, DJ_EVENT_CALL, 0, 0, 0x8ff8, "");
    expect_event(0, DJ_EVENT_SITE, 1, 0, 0x100, "");
    expect_event(0, DJ_EVENT_ENTERED, 1, 0, 0, "");
    expect_event(0, DJ_EVENT_SITE, 2, 0, 0x1ff, "");
    expect_event(0, DJ_EVENT_CALL, 2, 0, 0x7ff8, "");
    expect_event(0, DJ_EVENT_SITE, 3, 0, 0x300, "");
    expect_event(0, DJ_EVENT_ENTERED, 3, 0, 0, "");
    expect_event(0, DJ_EVENT_RETURN, 0, 0, 0x8000, "");
    expect_no_more_events();
}

// A record without words looks like no access that was seen before.
static void an_empty_stack_follows_accesses(void **state)
{
    (void)state;
    words w = {.count = 0};
    begin(&w);
    put_direct(&w, DJ_DIRECT_ACCESS | 3, 0x400100, 0x7000);
    w.at[w.count++] = DJ_RECORD(DJ_RECORD_STACK, 0, 1);
    put_direct(&w, DJ_DIRECT_ACCESS | 3, 0x400100, 0x7008);
    feed_well(&w);
    assert_int_equal(batch->count, 2);
    expect_access(1, 0x7008, 8, 0, R);
}

static void a_burst_without_a_length_is_refused(void **state)
{
    (void)state;
    words w = {.count = 0};
    w.at[w.count++] = DJ_RECORD(DJ_RECORD_BURST, 0, 1);
    feed_badly(&w, "the record of a burst lacks its length");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(bursts_and_gaps_have_lengths),        TEST(a_stack_replaces_what_was_known),
        TEST(a_stack_names_its_functions),         TEST(an_empty_stack_follows_accesses),
        TEST(a_burst_without_a_length_is_refused),
    };
    return cmocka_run_group_tests(tests, make_context, drop_context);
}
