// SPDX-License-Identifier: MIT
// Decodes the words of a tracer: cases calculated by hand, and random executions compared with an oracle that
// processes one access at a time.
#include "unit/live.h"

#include "base/random.h"

static void accesses_have_sites_in_modules(void **state)
{
    (void)state;
    words w = {.count = 0};
    next_event = 0;
    put_module(&w, 0x400000, 0x1000, "/bin/program");
    PUT(&w, DJ_RECORD_DEFINE, 1, 0x400100, DJ_ENDING_NONE, 0, 0x400100, describe(8, R, 0), 0x400104,
        describe(4, W, 0));
    PUT(&w, DJ_RECORD_DEFINE, 2, 0x400104, DJ_ENDING_NONE, 0, 0x400104, describe(4, W, 0), 0x999,
        describe(1, R, 0));
    PUT(&w, DJ_RECORD_SEGMENT, 1, 0x7000, 0x7010);
    PUT(&w, DJ_RECORD_SEGMENT, 2, 0x7020, 0x7030);
    PUT(&w, DJ_RECORD_SEGMENT, 1, DJ_RING_SKIPPED, 0x7040);
    PUT(&w, DJ_RECORD_SEGMENT, 1, 0xffffffffff600000, 0x7050);
    feed_well(&w);
    assert_int_equal(batch->count, 7);
    expect_access(0, 0x7000, 8, 0, R);
    expect_access(1, 0x7010, 4, 1, W);
    expect_access(2, 0x7020, 4, 1, W);
    expect_access(3, 0x7030, 1, 2, R);
    expect_access(4, 0x7040, 4, 1, W);
    expect_access(5, 0xffffffffff600000, 8, 0, R);
    expect_access(6, 0x7050, 4, 1, W);
    expect_event(0, DJ_EVENT_MODULE, 0, 0x400000, 0x1000, "/bin/program");
    expect_event(0, DJ_EVENT_SITE, 0, 0, 0x100, "");
    expect_event(0, DJ_EVENT_SITE, 1, 0, 0x104, "");
    expect_event(0, DJ_EVENT_MODULE, 1, 0, 0, "[code in no file]");
    expect_event(0, DJ_EVENT_SITE, 2, 1, 0x999, "");
    expect_no_more_events();
}

// Variables of a frame at 8 and -16 bytes from the first access, then an independent one.
static void relative_addresses_are_resolved(void **state)
{
    (void)state;
    words w = {.count = 0};
    uint64_t above = describe(4, W, DJ_ACCESS_RELATIVE) | UINT64_C(8) << 48;
    uint64_t below = describe(8, R, DJ_ACCESS_RELATIVE) | (uint64_t)(uint16_t)-16 << 48;
    uint64_t next = describe(8, W, DJ_ACCESS_RELATIVE) | (uint64_t)(uint16_t)-8 << 48;
    PUT(&w, DJ_RECORD_DEFINE, 1, 0x100, DJ_ENDING_CALL, 0x900, 0x100, describe(8, R, 0), 0x104, above, 0x108,
        below, 0x10c, describe(1, R, 0), UINT64_C(1) << 48 | 0x110, next);
    feed_well(&w);
    skip_events();
    PUT(&w, DJ_RECORD_SEGMENT, 1, 0x7000, 0x9000, 0x6ff8);
    PUT(&w, DJ_RECORD_SEGMENT, 1, 0x7100, DJ_RING_SKIPPED, 0x6ff8);
    feed_well(&w);
    assert_int_equal(batch->count, 9);
    expect_access(0, 0x7000, 8, 0, R);
    expect_access(1, 0x7008, 4, 1, W);
    expect_access(2, 0x6ff0, 8, 2, R);
    expect_access(3, 0x9000, 1, 3, R);
    expect_access(4, 0x8ff8, 8, 4, W);
    expect_access(5, 0x7100, 8, 0, R);
    expect_access(7, 0x70f0, 8, 2, R);
    expect_event(5, DJ_EVENT_CALL, 4, 0x900, 0x6ff8, "");
}

// Code belongs to the newest module at its address.
static void a_new_module_replaces_an_old_one(void **state)
{
    (void)state;
    words w = {.count = 0};
    next_event = 0;
    put_module(&w, 0x400000, 0x1000, "old");
    PUT(&w, DJ_RECORD_DEFINE, 1, 0x400010, DJ_ENDING_NONE, 0, 0x400010, describe(8, R, 0));
    put_module(&w, 0x400000, 0x2000, "new");
    PUT(&w, DJ_RECORD_DEFINE, 2, 0x400010, DJ_ENDING_NONE, 0, 0x400010, describe(8, R, 0));
    feed_well(&w);
    expect_event(0, DJ_EVENT_MODULE, 0, 0x400000, 0x1000, "old");
    expect_event(0, DJ_EVENT_SITE, 0, 0, 0x10, "");
    expect_event(0, DJ_EVENT_MODULE, 1, 0x400000, 0x2000, "new");
    expect_event(0, DJ_EVENT_SITE, 1, 1, 0x10, "");
    expect_no_more_events();
}

static void calls_and_returns_become_events(void **state)
{
    (void)state;
    words w = {.count = 0};
    put_module(&w, 0x1000, 0x1000, "m");
    PUT(&w, DJ_RECORD_DEFINE, 1, 0x1000, DJ_ENDING_CALL, 0x1800, 0x1004, describe(8, W, 0));
    PUT(&w, DJ_RECORD_DEFINE, 2, 0x1010, DJ_ENDING_CALL_INDIRECT, 0, 0x1014, describe(8, W, 0));
    PUT(&w, DJ_RECORD_DEFINE, 3, 0x1800, DJ_ENDING_RETURN, 0, 0x1804, describe(8, R, 0));
    feed_well(&w);
    skip_events();
    PUT(&w, DJ_RECORD_SEGMENT, 1, 0x7ff8, 0x7ff8);
    PUT(&w, DJ_RECORD_SEGMENT, 3, 0x7ff8, 0x8000, 42);
    PUT(&w, DJ_RECORD_SEGMENT, 2, 0x7ff8, 0x7ff8, 0x1900);
    feed_well(&w);
    assert_int_equal(batch->count, 3);
    expect_event(1, DJ_EVENT_CALL, 0, 0x1800, 0x7ff8, "");
    expect_event(2, DJ_EVENT_RETURN, 0, 0, 0x8000, "");
    expect_event(3, DJ_EVENT_CALL, 1, 0x1900, 0x7ff8, "");
    expect_no_more_events();
}

// rep movsb of 100 bytes from 0x1000 to 0x2030.
static void string_copies_are_joined_by_lines(void **state)
{
    (void)state;
    words w = {.count = 0};
    PUT(&w, DJ_RECORD_DEFINE, 1, 0x10, DJ_ENDING_NONE, 0, 0x10, describe(1, R, S), 0x10, describe(1, W, S));
    PUT(&w, DJ_RECORD_DEFINE, 2, 0x20, DJ_ENDING_NONE, 0, 0x20, describe(8, R, 0));
    for (uint64_t i = 0; i < 100; i++)
        PUT(&w, DJ_RECORD_SEGMENT, 1, 0x1000 + i, 0x2030 + i);
    PUT(&w, DJ_RECORD_SEGMENT, 2, 0x5000);
    feed_well(&w);
    assert_int_equal(batch->count, 6);
    expect_access(0, 0x2030, 16, 0, W);
    expect_access(1, 0x1000, 64, 0, R);
    expect_access(2, 0x2040, 64, 0, W);
    expect_access(3, 0x1040, 36, 0, R);
    expect_access(4, 0x2080, 20, 0, W);
    expect_access(5, 0x5000, 8, 1, R);
}

// The same copy, recorded line by line, and its last step.
static void string_steps_recorded_together_decode_the_same(void **state)
{
    (void)state;
    words w = {.count = 0};
    PUT(&w, DJ_RECORD_DEFINE, 1, 0x10, DJ_ENDING_NONE, 0, 0x10, describe(1, R, S), 0x10, describe(1, W, S));
    PUT(&w, DJ_RECORD_DEFINE, 2, 0x20, DJ_ENDING_NONE, 0, 0x20, describe(8, R, 0));
    PUT(&w, DJ_RECORD_STRING, 1, 0x1000, 0x2030, 16);
    PUT(&w, DJ_RECORD_STRING, 1, 0x1010, 0x2040, 64);
    PUT(&w, DJ_RECORD_STRING, 1, 0x1050, 0x2080, 19);
    PUT(&w, DJ_RECORD_SEGMENT, 1, 0x1063, 0x2093);
    PUT(&w, DJ_RECORD_SEGMENT, 2, 0x5000);
    feed_well(&w);
    assert_int_equal(batch->count, 6);
    expect_access(0, 0x2030, 16, 0, W);
    expect_access(1, 0x1000, 64, 0, R);
    expect_access(2, 0x2040, 64, 0, W);
    expect_access(3, 0x1040, 36, 0, R);
    expect_access(4, 0x2080, 20, 0, W);
    expect_access(5, 0x5000, 8, 1, R);
}

// std, rep stosq; then repe cmpsb, whose two loads are separate runs.
static void strings_may_run_downwards_and_compare(void **state)
{
    (void)state;
    words w = {.count = 0};
    PUT(&w, DJ_RECORD_DEFINE, 1, 0x10, DJ_ENDING_NONE, 0, 0x10, describe(8, W, S));
    PUT(&w, DJ_RECORD_DEFINE, 2, 0x20, DJ_ENDING_NONE, 0, 0x20, describe(1, R, S), 0x20, describe(1, R, S));
    for (uint64_t i = 0; i < 10; i++)
        PUT(&w, DJ_RECORD_SEGMENT, 1, 0x1078 - 8 * i);
    PUT(&w, DJ_RECORD_THREAD, 7, 0x100, 0x200);
    for (uint64_t i = 0; i < 5; i++)
        PUT(&w, DJ_RECORD_SEGMENT, 2, 0x3000 + i, 0x4000 + i);
    feed_well(&w);
    assert_int_equal(dj_decoder_finish(&decoder, context, batch), DJ_OK);
    assert_int_equal(batch->count, 4);
    expect_access(0, 0x1040, 64, 0, W);
    expect_access(1, 0x1030, 16, 0, W);
    expect_access(2, 0x3000, 5, 1, R);
    expect_access(3, 0x4000, 5, 1, R);
    assert_int_equal(batch->events[batch->event_count - 1].index, 2); // the thread, between them
}

static void texts_are_made_printable(void **state)
{
    (void)state;
    words w = {.count = 0};
    put_text(&w, DJ_RECORD_PROCESS, 0, NULL, 0, "./a\1b\1\033[2J");
    put_text(&w, DJ_RECORD_MESSAGE, 0, NULL, 0, "one");
    put_text(&w, DJ_RECORD_MESSAGE, 0, NULL, 0, "two");
    PUT(&w, DJ_RECORD_END, 9, 0);
    PUT(&w, DJ_RECORD_FORK, 1234, 0);
    PUT(&w, 200, 1, 2, 3); // from a newer tracer
    feed_well(&w);
    assert_string_equal(decoder.command, "./a b '?[2J'");
    assert_string_equal(decoder.message, "one\ntwo");
    assert_int_equal(decoder.status, 9);
    assert_int_equal(decoder.child_count, 1);
    assert_int_equal(decoder.children[0], 1234);
}

static void a_pause_omits_only_accesses(void **state)
{
    (void)state;
    words w = {.count = 0};
    PUT(&w, DJ_RECORD_DEFINE, 1, 0x20, DJ_ENDING_CALL, 0x30, 0x20, describe(8, W, 0));
    PUT(&w, DJ_RECORD_SEGMENT, 1, 0x9000, 0x9000);
    feed_well(&w);
    skip_events();
    assert_int_equal(dj_decoder_pause(&decoder, context, batch, true), DJ_OK);
    PUT(&w, DJ_RECORD_SEGMENT, 1, 0x8000, 0x8000);
    feed_well(&w);
    assert_int_equal(dj_decoder_pause(&decoder, context, batch, false), DJ_OK);
    PUT(&w, DJ_RECORD_SEGMENT, 1, 0x7000, 0x7000);
    feed_well(&w);
    assert_int_equal(batch->count, 2);
    assert_int_equal(decoder.left_out, 1);
    expect_event(1, DJ_EVENT_REGION, 0, 0, 0, "");
    expect_event(1, DJ_EVENT_CALL, 0, 0x30, 0x8000, "");
    expect_event(1, DJ_EVENT_REGION, 1, 0, 0, "");
    expect_event(2, DJ_EVENT_CALL, 0, 0x30, 0x7000, "");
    expect_no_more_events();
}

static void invalid_words_are_refused(void **state)
{
    (void)state;
    words w = {.count = 0};
    PUT(&w, DJ_RECORD_SEGMENT, 5, 0x9000);
    feed_badly(&w, "segment 5 was never described");
    PUT(&w, DJ_RECORD_DEFINE, 1, 0x20, DJ_ENDING_NONE, 0, 0x20, describe(8, W, 0));
    feed_well(&w);
    PUT(&w, DJ_RECORD_SEGMENT, 1, 0x9000, 0x9000);
    feed_badly(&w, "segment 1 has 2 words instead of 1");
    PUT(&w, DJ_RECORD_DEFINE, 1, 0x20, DJ_ENDING_NONE, 0);
    feed_badly(&w, "segment 1 is described twice");
    PUT(&w, DJ_RECORD_DEFINE, UINT32_MAX, 0x20, DJ_ENDING_NONE, 0);
    feed_badly(&w, "the number of segment 4294967295 is too far from the previous ones");
    PUT(&w, DJ_RECORD_DEFINE, 2, 0x20, DJ_ENDING_NONE);
    feed_badly(&w, "segment 2 is described in 2 words");
    PUT(&w, DJ_RECORD_DEFINE, 2, 0x20, 4, 0);
    feed_badly(&w, "segment 2 is described in 3 words");
    PUT(&w, DJ_RECORD_DEFINE, 2, 0x20, 0, 0, 0x20, describe(8, 77, 0));
    feed_badly(&w, "an access of 8 bytes and kind 77 is described");
    PUT(&w, DJ_RECORD_DEFINE, 2, 0x20, 0, 0, 0x20, describe(0, R, 0));
    feed_badly(&w, "an access of 0 bytes and kind 0 is described");
    PUT(&w, DJ_RECORD_MODULE, 0, 1);
    feed_badly(&w, "the record of an object file has 1 words");
    PUT(&w, DJ_RECORD_ALLOCATOR, 1, 1, 2, 3);
    feed_badly(&w, "the record of an allocation has 3 words");
    w.at[w.count++] = DJ_RECORD(DJ_RECORD_SEGMENT, 0xffffff, 1);
    feed_badly(&w, "a record of 16777215 words begins where only 0 are left");
    assert_int_equal(batch->count, 0);
}

// Random segments in random order: the accesses are the same, in the same order, as one by one, over many
// batches and frames.
enum { SEGMENTS = 40, LONGEST = 37, FRAMES = 60 };

typedef struct oracle {
    uint64_t address, size, pc;
    uint8_t kind;
} oracle;

static oracle expected[FRAMES * FRAME_WORDS];
static size_t expected_count;

static void put_random_frame(words *w, dj_random *random, const uint32_t *lengths, oracle shapes[][LONGEST])
{
    w->count = 0;
    for (;;) {
        uint32_t id = (uint32_t)dj_random_below(random, SEGMENTS);
        uint64_t list[LONGEST];
        if (w->count + lengths[id] + 1 > FRAME_WORDS)
            return;
        for (uint32_t i = 0; i < lengths[id]; i++) {
            bool skipped = dj_random_below(random, 50) == 0;
            list[i] = skipped ? DJ_RING_SKIPPED : dj_random_below(random, UINT64_C(1) << 47);
            if (skipped)
                continue;
            expected[expected_count] = shapes[id][i];
            expected[expected_count++].address = list[i];
        }
        put_list(w, DJ_RECORD_SEGMENT, id, list, lengths[id]);
    }
}

static void compare_batch(const uint64_t *site_pc, size_t *at)
{
    for (uint32_t i = 0; i < batch->count; i++, (*at)++) {
        assert_true(*at < expected_count);
        assert_int_equal(batch->column.address[i], expected[*at].address);
        assert_int_equal(batch->column.size[i], expected[*at].size);
        assert_int_equal(batch->column.kind[i], expected[*at].kind);
        assert_int_equal(site_pc[batch->column.site[i]], expected[*at].pc);
    }
}

static void random_executions_decode_exactly(void **state)
{
    (void)state;
    static oracle shapes[SEGMENTS][LONGEST];
    static uint64_t site_pc[SEGMENTS * LONGEST];
    uint32_t lengths[SEGMENTS];
    dj_random random;
    dj_random_seed(&random, 7);
    words w = {.count = 0};
    put_module(&w, 0, 1 << 20, "m");
    for (uint32_t id = 0; id < SEGMENTS; id++) {
        uint64_t list[3 + 2 * LONGEST] = {0x100 * id, DJ_ENDING_NONE, 0};
        lengths[id] = id % LONGEST;
        for (uint32_t i = 0; i < lengths[id]; i++) {
            oracle *o = &shapes[id][i];
            *o = (oracle){0, 1 + dj_random_below(&random, 64), 0x100 * id + i,
                          (uint8_t)dj_random_below(&random, 3)};
            list[3 + 2 * i] = o->pc;
            list[4 + 2 * i] = describe(o->size, o->kind, 0);
        }
        put_list(&w, DJ_RECORD_DEFINE, id, list, 3 + 2 * lengths[id]);
    }
    feed_well(&w);
    for (uint32_t i = 0; i < batch->event_count; i++)
        if (batch->events[i].type == DJ_EVENT_SITE)
            site_pc[batch->events[i].a] = batch->events[i].c;
    size_t compared = 0, batches = 0;
    expected_count = 0;
    for (int frame = 0; frame < FRAMES; frame++) {
        size_t at = 0;
        put_random_frame(&w, &random, lengths, shapes);
        while (at < w.count) {
            bool full = false;
            assert_int_equal(dj_decoder_feed(&decoder, context, w.at, w.count, &at, batch, &full), DJ_OK);
            if (!full)
                continue;
            assert_true(batch->count > DJ_BATCH_CAPACITY - LONGEST - 16);
            compare_batch(site_pc, &compared);
            dj_batch_release(batch);
            assert_int_equal(dj_pool_take(context, pool, &batch), DJ_OK);
            dj_decoder_prepare(batch);
            batches++;
        }
    }
    compare_batch(site_pc, &compared);
    assert_int_equal(compared, expected_count);
    assert_true(batches > 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(accesses_have_sites_in_modules),        TEST(a_new_module_replaces_an_old_one),
        TEST(calls_and_returns_become_events),       TEST(relative_addresses_are_resolved),
        TEST(string_copies_are_joined_by_lines),     TEST(string_steps_recorded_together_decode_the_same),
        TEST(strings_may_run_downwards_and_compare), TEST(texts_are_made_printable),
        TEST(a_pause_omits_only_accesses),           TEST(invalid_words_are_refused),
        TEST(random_executions_decode_exactly),
    };
    return cmocka_run_group_tests(tests, make_context, drop_context);
}
