// SPDX-License-Identifier: MIT
// Decodes the records of a recompiled program; the results were calculated by hand.
#include "unit/live.h"

enum { M = DJ_KIND_MODIFY };

static void put_direct(words *w, unsigned type, uint64_t pc, uint64_t word)
{
    w->at[w->count++] = DJ_DIRECT_RECORD(type, pc);
    w->at[w->count++] = word;
}

static void put_access(words *w, unsigned kind, unsigned log2_size, uint64_t pc, uint64_t address)
{
    put_direct(w, DJ_DIRECT_ACCESS | kind << 3 | log2_size, pc, address);
}

static void begin(words *w)
{
    put_module(w, 0x400000, 0x100000, "/bin/program");
    feed_well(w);
    skip_events();
}

// The site is the byte before the pc. 0x400100 and 0x408100 share a cache entry.
static void direct_accesses_have_their_sites(void **state)
{
    (void)state;
    words w = {.count = 0};
    begin(&w);
    put_access(&w, R, 3, 0x400100, 0x7000);
    put_access(&w, W, 0, 0x408100, 0x7008);
    put_access(&w, R, 2, 0x400100, 0x7010);
    put_access(&w, R, 4, 0x400100, 0xffffffffff600000);
    put_access(&w, M, 7, 0x400108, 0x7100);
    feed_well(&w);
    assert_int_equal(batch->count, 5);
    expect_access(0, 0x7000, 8, 0, R);
    expect_access(1, 0x7008, 1, 1, W);
    expect_access(2, 0x7010, 4, 0, R);
    expect_access(3, 0xffffffffff600000, 16, 0, R);
    expect_access(4, 0x7100, 128, 2, M);
    expect_event(0, DJ_EVENT_SITE, 0, 0, 0xff, "");
    expect_event(1, DJ_EVENT_SITE, 1, 0, 0x80ff, "");
    expect_event(4, DJ_EVENT_SITE, 2, 0, 0x107, "");
    expect_no_more_events();
}

// The cached site of a pc is dropped when another object file is mapped there.
static void a_newer_module_has_new_sites(void **state)
{
    (void)state;
    words w = {.count = 0};
    begin(&w);
    put_access(&w, R, 3, 0x400100, 0x7000);
    put_module(&w, 0x400000, 0x1000, "new");
    put_access(&w, R, 3, 0x400100, 0x7000);
    feed_well(&w);
    expect_access(0, 0x7000, 8, 0, R);
    expect_access(1, 0x7000, 8, 1, R);
}

// f at 0x8000 calls g at 0x7f00, which calls h at 0x7e00.
static void enter_three(words *w)
{
    put_direct(w, DJ_DIRECT_ENTRY, 0x400010, 0x8000);
    put_direct(w, DJ_DIRECT_ENTRY, 0x400020, 0x7f00);
    put_direct(w, DJ_DIRECT_ENTRY, 0x400030, 0x7e00);
}

static void entries_and_exits_become_calls_and_returns(void **state)
{
    (void)state;
    words w = {.count = 0};
    begin(&w);
    enter_three(&w);
    put_direct(&w, DJ_DIRECT_EXIT, 0x400040, 0x7d80);
    put_direct(&w, DJ_DIRECT_EXIT, 0x400040, 0x7e40);
    put_direct(&w, DJ_DIRECT_EXIT, 0x400040, 0x7fe0);
    feed_well(&w);
    expect_event(0, DJ_EVENT_SITE, 0, 0, 0xf, "");
    expect_event(0, DJ_EVENT_CALL, 0, 0, 0x8000, "");
    expect_event(0, DJ_EVENT_SITE, 1, 0, 0x1f, "");
    expect_event(0, DJ_EVENT_CALL, 1, 0, 0x7f00, "");
    expect_event(0, DJ_EVENT_SITE, 2, 0, 0x2f, "");
    expect_event(0, DJ_EVENT_CALL, 2, 0, 0x7e00, "");
    expect_event(0, DJ_EVENT_RETURN, 0, 0, 0x7e08, "");
    expect_event(0, DJ_EVENT_RETURN, 0, 0, 0x7f08, "");
    expect_event(0, DJ_EVENT_RETURN, 0, 0, 0x8008, "");
    expect_no_more_events();
    // Exits of functions that were entered before tracing started.
    put_direct(&w, DJ_DIRECT_EXIT, 0x400040, 0x8100);
    put_direct(&w, DJ_DIRECT_EXIT, 0x400040, UINT64_MAX);
    feed_well(&w);
    expect_no_more_events();
}

// longjmp from h to f, which is left afterwards, or calls another function.
static void functions_left_by_longjmp_return_later(void **state)
{
    (void)state;
    words w = {.count = 0};
    begin(&w);
    enter_three(&w);
    feed_well(&w);
    skip_events();
    put_direct(&w, DJ_DIRECT_EXIT, 0x400040, 0x7fe0);
    feed_well(&w);
    expect_event(0, DJ_EVENT_RETURN, 0, 0, 0x8008, "");
    enter_three(&w);
    feed_well(&w);
    skip_events();
    put_direct(&w, DJ_DIRECT_ENTRY, 0x400010, 0x7f00); // instead of g and h
    put_direct(&w, DJ_DIRECT_EXIT, 0x400040, 0x7e80);
    put_direct(&w, DJ_DIRECT_EXIT, 0x400040, 0x7fe0);
    feed_well(&w);
    expect_event(0, DJ_EVENT_CALL, 0, 0, 0x7f00, "");
    expect_event(0, DJ_EVENT_RETURN, 0, 0, 0x7f08, "");
    expect_event(0, DJ_EVENT_RETURN, 0, 0, 0x8008, "");
    expect_no_more_events();
}

// h ends with a jump to the tracer, which then sees h's return address; then g, from whose frame another
// function was called and left by longjmp.
static void functions_that_jump_out_return_correctly(void **state)
{
    (void)state;
    words w = {.count = 0};
    begin(&w);
    enter_three(&w);
    feed_well(&w);
    skip_events();
    put_direct(&w, DJ_DIRECT_EXIT, 0x400030, 0x7e08);
    feed_well(&w);
    expect_event(0, DJ_EVENT_RETURN, 0, 0, 0x7e08, "");
    put_direct(&w, DJ_DIRECT_ENTRY, 0x400034, 0x7e00);
    feed_well(&w);
    skip_events();
    put_direct(&w, DJ_DIRECT_EXIT, 0x400040, 0x7e08);
    feed_well(&w);
    expect_event(0, DJ_EVENT_RETURN, 0, 0, 0x7f08, "");
    put_direct(&w, DJ_DIRECT_EXIT, 0x400010, 0x8008);
    put_direct(&w, DJ_DIRECT_EXIT, 0x400010, 0);
    feed_well(&w);
    expect_event(0, DJ_EVENT_RETURN, 0, 0, 0x8008, "");
    expect_no_more_events();
}

// Every frame names its thread. Each thread has its own stack.
static void each_thread_has_its_own_stack(void **state)
{
    (void)state;
    words w = {.count = 0};
    begin(&w);
    PUT(&w, DJ_RECORD_THREAD, 1, 0x7000, 0x9000);
    PUT(&w, DJ_RECORD_THREAD, 1, 0x7000, 0x9000);
    put_direct(&w, DJ_DIRECT_ENTRY, 0x400010, 0x8000);
    PUT(&w, DJ_RECORD_THREAD, 2, 0x1000, 0x3000);
    put_direct(&w, DJ_DIRECT_EXIT, 0x400010, 0x1000);
    PUT(&w, DJ_RECORD_THREAD, 1, 0x7000, 0x9000);
    put_direct(&w, DJ_DIRECT_EXIT, 0x400010, 0x7000);
    PUT(&w, DJ_RECORD_THREAD, 1, 0x6000, 0x9000);
    feed_well(&w);
    expect_event(0, DJ_EVENT_THREAD, 1, 0x7000, 0x9000, "");
    expect_event(0, DJ_EVENT_SITE, 0, 0, 0xf, "");
    expect_event(0, DJ_EVENT_CALL, 0, 0, 0x8000, "");
    expect_event(0, DJ_EVENT_THREAD, 2, 0x1000, 0x3000, "");
    expect_event(0, DJ_EVENT_THREAD, 1, 0x7000, 0x9000, "");
    expect_event(0, DJ_EVENT_RETURN, 0, 0, 0x8008, "");
    expect_event(0, DJ_EVENT_THREAD, 1, 0x6000, 0x9000, "");
    expect_no_more_events();
}

static void heap_blocks_become_events(void **state)
{
    (void)state;
    words w = {.count = 0};
    begin(&w);
    PUT(&w, DJ_RECORD_ALLOC, 0, 0x400010, 0x7f00, 0x5000, 100, 0);
    PUT(&w, DJ_RECORD_ALLOC, 0, 0x400010, 0x7f00, 0x6000, 200, 0x5000);
    PUT(&w, DJ_RECORD_FREE, 0, 0x6000);
    PUT(&w, DJ_RECORD_FREE, 0, 0x6000);
    put_text(&w, DJ_RECORD_DATA, 0, (const uint64_t[]){0x400800, 80, 8}, 3, "ta\tble");
    feed_well(&w);
    expect_event(0, DJ_EVENT_SITE, 0, 0, 0xf, "");
    expect_event(0, DJ_EVENT_CALL, 0, 0, 0x7ef8, "");
    expect_event(0, DJ_EVENT_RETURN, 0, 0, 0x7f00, "");
    expect_event(0, DJ_EVENT_ALLOC, 1, 0x5000, 100, "");
    expect_event(0, DJ_EVENT_CALL, 0, 0, 0x7ef8, "");
    expect_event(0, DJ_EVENT_RETURN, 0, 0, 0x7f00, "");
    expect_event(0, DJ_EVENT_FREE, 1, 0x5000, 0, "");
    expect_event(0, DJ_EVENT_ALLOC, 2, 0x6000, 200, "");
    expect_event(0, DJ_EVENT_FREE, 2, 0x6000, 0, "");
    expect_event(0, DJ_EVENT_ALLOC, 3, 0x400800, 80, "ta?ble");
    expect_no_more_events();
}

static void ranges_are_split_at_lines(void **state)
{
    (void)state;
    words w = {.count = 0};
    begin(&w);
    PUT(&w, DJ_RECORD_RANGE, W, 0x400010, 0x1030, 100);
    PUT(&w, DJ_RECORD_COPY, 0, 0x400020, 0x2030, 0x3000, 80);
    PUT(&w, DJ_RECORD_RANGE, R, 0x400010, 0x1030, 0);
    feed_well(&w);
    assert_int_equal(batch->count, 7);
    expect_access(0, 0x1030, 16, 0, W);
    expect_access(1, 0x1040, 64, 0, W);
    expect_access(2, 0x1080, 20, 0, W);
    expect_access(3, 0x3000, 64, 1, R);
    expect_access(4, 0x2030, 16, 1, W);
    expect_access(5, 0x3040, 16, 1, R);
    expect_access(6, 0x2040, 64, 1, W);
    assert_int_equal(dj_decoder_pause(&decoder, context, batch, true), DJ_OK);
    PUT(&w, DJ_RECORD_COPY, 0, 0x400020, 0x2030, 0x3000, 80);
    put_access(&w, R, 3, 0x400100, 0x7000);
    feed_well(&w);
    assert_int_equal(batch->count, 7);
    assert_int_equal(decoder.left_out, 5);
}

// A range that spans several batches.
static void a_large_range_spans_batches(void **state)
{
    (void)state;
    words w = {.count = 0};
    uint64_t lines = 40000, seen = 0;
    size_t at = 0;
    bool full = true;
    begin(&w);
    PUT(&w, DJ_RECORD_RANGE, R, 0x400010, 0x100000, lines * 64);
    put_access(&w, W, 3, 0x400100, 0x7000);
    while (full) {
        assert_int_equal(dj_decoder_feed(&decoder, context, w.at, w.count, &at, batch, &full), DJ_OK);
        for (uint32_t i = 0; i < batch->count && seen < lines; i++, seen++)
            expect_access(i, 0x100000 + 64 * seen, 64, 0, R);
        if (full)
            batch->count = 0;
    }
    assert_int_equal(seen, lines);
    assert_int_equal(at, w.count);
    expect_access(batch->count - 1, 0x7000, 8, 1, W);
}

static void statements_become_events_and_passes_are_counted(void **state)
{
    (void)state;
    words w = {.count = 0};
    begin(&w);
    PUT(&w, DJ_RECORD_STATEMENT, 0, 0x400010);
    put_access(&w, R, 3, 0x400100, 0x7000);
    put_direct(&w, DJ_DIRECT_PASS, 0x400020, 0);
    put_direct(&w, DJ_DIRECT_PASS, 0x400020, 0);
    PUT(&w, DJ_RECORD_STATEMENT, 0, 0x400010);
    put_direct(&w, DJ_DIRECT_PASS + 1, 0x400020, 0); // from a newer tracer
    PUT(&w, DJ_RECORD_UNUSED, 1, 1, 2, 3);
    feed_well(&w);
    assert_int_equal(batch->count, 1);
    expect_event(0, DJ_EVENT_SITE, 0, 0, 0xf, "");
    expect_event(0, DJ_EVENT_STATEMENT, 0, 0, 0, "");
    expect_event(0, DJ_EVENT_SITE, 1, 0, 0xff, "");
    expect_event(1, DJ_EVENT_SITE, 2, 0, 0x1f, "");
    expect_event(1, DJ_EVENT_STATEMENT, 0, 1, 0, "");
    expect_no_more_events();
    assert_int_equal(decoder.passes[2], 2);
}

static void synchronization_becomes_events(void **state)
{
    (void)state;
    words w = {.count = 0};
    begin(&w);
    PUT(&w, DJ_RECORD_SYNC, DJ_SYNC_RELEASE | DJ_SYNC_THREAD, 7);
    put_access(&w, R, 3, 0x400100, 0x7000);
    PUT(&w, DJ_RECORD_SYNC, DJ_SYNC_ACQUIRE, 0x7010);
    put_access(&w, W, 3, 0x400100, 0x7000);
    PUT(&w, DJ_RECORD_SYNC, DJ_SYNC_RELEASE, 0x7010);
    PUT(&w, DJ_RECORD_SYNC, DJ_SYNC_ACQUIRE | DJ_SYNC_RELEASE, UINT64_MAX);
    feed_well(&w);
    assert_int_equal(batch->count, 2);
    expect_event(0, DJ_EVENT_SYNC, 6, 7, 0, "");
    expect_event(0, DJ_EVENT_SITE, 0, 0, 0xff, "");
    expect_event(1, DJ_EVENT_SYNC, 1, 0x7010, 0, "");
    expect_event(2, DJ_EVENT_SYNC, 2, 0x7010, 0, "");
    expect_event(2, DJ_EVENT_SYNC, 3, UINT64_MAX, 0, "");
    expect_no_more_events();
}

static void invalid_words_are_refused(void **state)
{
    (void)state;
    words w = {.count = 0};
    begin(&w);
    w.at[w.count++] = DJ_DIRECT_RECORD(DJ_DIRECT_ACCESS, 0x400100);
    feed_badly(&w, "a record lacks its second word");
    PUT(&w, DJ_RECORD_RANGE, R, 0x400010, 0x1000, UINT64_C(1) << 48);
    feed_badly(&w, "the record of a range of 281474976710656 bytes has 3 words");
    PUT(&w, DJ_RECORD_RANGE, 5, 0x400010, 0x1000, 1);
    feed_badly(&w, "the record of a range of 1 bytes has 3 words");
    PUT(&w, DJ_RECORD_COPY, 0, 0x400010, 0x1000, 1);
    feed_badly(&w, "the record of a range of 0 bytes has 3 words");
    PUT(&w, DJ_RECORD_ALLOC, 0, 1, 2, 3, 4);
    feed_badly(&w, "the record of a block has 4 words");
    put_list(&w, DJ_RECORD_FREE, 0, w.at, 0);
    feed_badly(&w, "a block is freed without its address");
    PUT(&w, DJ_RECORD_DATA, 0, 1, 2);
    feed_badly(&w, "the record of data has 2 words");
    put_list(&w, DJ_RECORD_STATEMENT, 0, w.at, 0);
    feed_badly(&w, "the record of a statement lacks its location");
    put_list(&w, DJ_RECORD_SYNC, DJ_SYNC_ACQUIRE, w.at, 0);
    feed_badly(&w, "the record of a synchronization of type 1 has 0 words");
    PUT(&w, DJ_RECORD_SYNC, DJ_SYNC_THREAD, 1);
    feed_badly(&w, "the record of a synchronization of type 4 has 1 words");
    PUT(&w, DJ_RECORD_SYNC, DJ_SYNC_ACQUIRE | 8, 1);
    feed_badly(&w, "the record of a synchronization of type 9 has 1 words");
}

// Of a program that reports its annotations: nothing is renumbered, and accesses have the size 1.
static void events_and_elements_are_passed_on(void **state)
{
    (void)state;
    words w = {.count = 0};
    skip_events();
    put_text(&w, DJ_RECORD_EVENT, DJ_EVENT_ALLOC, (const uint64_t[]){0, 100, 7}, 3, "a name");
    PUT(&w, DJ_RECORD_EVENT, DJ_EVENT_STATEMENT, 5, 1, 0);
    PUT(&w, DJ_RECORD_ELEMENTS, 0, 106, 9 | (uint64_t)W << 32, 100, 8 | (uint64_t)R << 32);
    PUT(&w, DJ_RECORD_EVENT, DJ_EVENT_STATEMENT, 6, 2, 0);
    PUT(&w, DJ_RECORD_EVENT, DJ_EVENT_OUTSIDE, 3, 0, 0);
    feed_well(&w);
    assert_int_equal(batch->count, 2);
    expect_access(0, 106, 1, 9, W);
    expect_access(1, 100, 1, 8, R);
    expect_event(0, DJ_EVENT_ALLOC, 0, 100, 7, "a name");
    expect_event(0, DJ_EVENT_STATEMENT, 5, 1, 0, "");
    expect_event(2, DJ_EVENT_STATEMENT, 6, 2, 0, "");
    expect_event(2, DJ_EVENT_OUTSIDE, 3, 0, 0, "");
}

// Events go on while accesses do not count.
static void paused_elements_are_left_out(void **state)
{
    (void)state;
    words w = {.count = 0};
    assert_int_equal(dj_decoder_pause(&decoder, context, batch, true), DJ_OK);
    skip_events();
    PUT(&w, DJ_RECORD_ELEMENTS, 0, 1, 0, 2, 0);
    PUT(&w, DJ_RECORD_EVENT, DJ_EVENT_FREE, 0, 1, 0);
    feed_well(&w);
    assert_int_equal(batch->count, 0);
    assert_int_equal(decoder.left_out, 2);
    expect_event(0, DJ_EVENT_FREE, 0, 1, 0, "");
}

static void impossible_elements_are_refused(void **state)
{
    (void)state;
    words w = {.count = 0};
    PUT(&w, DJ_RECORD_EVENT, DJ_EVENT_ALLOC, 0, 100);
    feed_badly(&w, "the record of an event of type 5 has 2 words");
    PUT(&w, DJ_RECORD_EVENT, 0, 1, 2, 3);
    feed_badly(&w, "the record of an event of type 0 has 3 words");
    PUT(&w, DJ_RECORD_EVENT, DJ_EVENT_FILE, 1, 2, 3);
    feed_badly(&w, "the record of an event of type 64 has 3 words");
    PUT(&w, DJ_RECORD_ELEMENTS, 0, 1, (uint64_t)(DJ_KIND_OTHER + 1) << 32);
    feed_badly(&w, "a record has an access of an unknown kind");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(direct_accesses_have_their_sites),
        TEST(a_newer_module_has_new_sites),
        TEST(entries_and_exits_become_calls_and_returns),
        TEST(functions_left_by_longjmp_return_later),
        TEST(functions_that_jump_out_return_correctly),
        TEST(each_thread_has_its_own_stack),
        TEST(heap_blocks_become_events),
        TEST(ranges_are_split_at_lines),
        TEST(a_large_range_spans_batches),
        TEST(statements_become_events_and_passes_are_counted),
        TEST(synchronization_becomes_events),
        TEST(invalid_words_are_refused),
        TEST(events_and_elements_are_passed_on),
        TEST(paused_elements_are_left_out),
        TEST(impossible_elements_are_refused),
    };
    return cmocka_run_group_tests(tests, make_context, drop_context);
}
