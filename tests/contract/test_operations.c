// SPDX-License-Identifier: MIT
// Every engine either invalidates and removes keys exactly, at all cache sizes, or refuses.
#include "contract/late_engine.h"
#include "support/engine_choice.h"
#include "support/engine_compare.h"
#include "support/operations.h"

#include <setjmp.h>
#include <stdarg.h>
// cmocka needs the four above it
#include <cmocka.h>

#include "support/context.h"

enum { ALL = DJ_CAN_TAGS | DJ_CAN_TIMES, STREAMS = 2000 / TEST_SHARE, MOST_WAYS = 48 };

static size_t engine_count(void)
{
    return dj_engine_count() + 1;
}

static const dj_engine_ops *engine_get(size_t index)
{
    return index < dj_engine_count() ? dj_engine_get(index) : late_engine();
}

static bool can(const dj_engine_ops *engine, uint32_t use)
{
    return engine_is_chosen(engine) && (engine->can & use) == use;
}

static void make_stream(stream *s, uint64_t seed, uint32_t operations, size_t most)
{
    assert_int_equal(stream_make_random(s, seed), 0);
    assert_int_equal(stream_add_operations(s, operations), 0);
    if (s->count > most)
        s->count = most;
}

static void get_answers(answers *a, const dj_engine_ops *engine, const stream *s, uint32_t use)
{
    const char *wrong = answers_get(a, engine, context, s, s->count, use, s->seed);
    if (wrong)
        fail_msg("%s, seed %" PRIu64 ": %s: %s", engine->name, s->seed, wrong, dj_context_message(context));
}

static void check_cache(const cache *c, const stream *s, const answers *a, const char *engine)
{
    for (size_t i = 0; i < s->count; i++) {
        if (s->op[i] != DJ_OP_ACCESS) {
            cache_invalidate(c, s->key[i]);
            assert_true(a->distance[i] == DJ_ABSENT);
        } else if (cache_access(c, s->key[i], i + 1) != (a->distance[i] < c->ways)) {
            fail_msg("%s, seed %" PRIu64 " (%s): access %zu, %zu ways: the distance is %" PRIu64, engine,
                     s->seed, s->order, i, c->ways, a->distance[i]);
        }
    }
}

// For every access and every size of a cache: it hits if and only if the distance is smaller.
static void check_caches(const stream *s, size_t most_ways, size_t step)
{
    for (size_t e = 0; e < engine_count(); e++) {
        const dj_engine_ops *engine = engine_get(e);
        answers a;
        if (!can(engine, DJ_CAN_INVALIDATE))
            continue;
        get_answers(&a, engine, s, DJ_CAN_INVALIDATE);
        for (size_t ways = 1; ways <= most_ways; ways += step) {
            cache c = {.ways = ways, .lines = calloc(ways, sizeof *c.lines)};
            assert_non_null(c.lines);
            check_cache(&c, s, &a, engine->name);
            free(c.lines);
        }
        answers_free(&a);
    }
}

static void test_invalidation_as_in_caches(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= STREAMS; seed++) {
        stream s;
        make_stream(&s, seed, DJ_CAN_INVALIDATE, 400);
        check_caches(&s, MOST_WAYS, 1);
        stream_free(&s);
    }
}

// More keys, so that distances exceed what engines treat specially.
static void test_invalidation_in_large_caches(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 60 / TEST_SHARE; seed++) {
        stream s;
        assert_int_equal(
            stream_make(&s, seed, &stream_orders[seed % 11], &stream_key_kinds[seed % 7], 3000, 700), 0);
        assert_int_equal(stream_add_operations(&s, DJ_CAN_INVALIDATE), 0);
        check_caches(&s, 800, 37);
        stream_free(&s);
    }
}

static void test_removal_by_definition(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= STREAMS; seed++) {
        stream s;
        make_stream(&s, seed, DJ_CAN_REMOVE, 250);
        for (size_t e = 0; e < engine_count(); e++) {
            const dj_engine_ops *engine = engine_get(e);
            answers a;
            if (!can(engine, DJ_CAN_REMOVE))
                continue;
            get_answers(&a, engine, &s, DJ_CAN_REMOVE);
            for (size_t i = 0; i < s.count; i++) {
                uint64_t want = s.op[i] == DJ_OP_ACCESS ? distance_with_removals(&s, i) : DJ_ABSENT;
                if (a.distance[i] != want)
                    fail_msg("%s, seed %" PRIu64 ", %zu: %" PRIu64 ", not %" PRIu64, engine->name, seed, i,
                             a.distance[i], want);
            }
            answers_free(&a);
        }
        stream_free(&s);
    }
}

// Both kinds of operations, tags, times and the order of the keys.
static void compare_all(const char *with, const stream *s, uint32_t use)
{
    const dj_engine_ops *reference = dj_engine_find(with);
    for (size_t e = 0; e < engine_count(); e++) {
        const dj_engine_ops *engine = engine_get(e);
        if (!can(engine, OPERATIONS) || (s->count > 5000 && (engine->find_device || !engine->folds)))
            continue; // stack would take minutes
        difference d = compare_engines(reference, engine, context, s, use | OPERATIONS);
        if (d.what)
            difference_print(&d, engine, s, use);
        assert_null(d.what);
    }
}

static void test_engines_agree(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= STREAMS; seed++) {
        stream s;
        make_stream(&s, seed * 31, seed % 3 ? OPERATIONS : DJ_CAN_INVALIDATE, SIZE_MAX);
        compare_all("stack", &s, (uint32_t)(seed / 3) << 2 & ALL);
        stream_free(&s);
    }
}

static void test_long_streams(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 8; seed++) {
        stream s;
        assert_int_equal(stream_make(&s, seed, &stream_orders[seed % 2 ? 6 : 8], &stream_key_kinds[2],
                                     300000 / TEST_SHARE, 60000 / TEST_SHARE),
                         0);
        assert_int_equal(stream_add_operations(&s, seed % 3 ? OPERATIONS : DJ_CAN_INVALIDATE), 0);
        compare_all("tree", &s, seed % 4 ? 0 : ALL);
        stream_free(&s);
    }
}

// New keys all the time, each lost 100 accesses later: memory must not grow with the length of the trace.
static void test_memory_follows_the_keys(void **state)
{
    (void)state;
    enum { LENGTH = 200000, START = 40000, KEPT = 100 };
    stream s;
    assert_int_equal(stream_make(&s, 7, &stream_orders[5], &stream_key_kinds[2], LENGTH, LENGTH), 0);
    for (int op = DJ_OP_INVALIDATE; op <= DJ_OP_REMOVE; op++) {
        assert_non_null(s.op = s.op ? s.op : calloc(LENGTH, sizeof *s.op));
        for (size_t i = 1; i < LENGTH; i += 2) {
            s.op[i] = (uint8_t)op;
            s.key[i] = i > 2 * KEPT ? s.key[i - 1 - 2 * (size_t)KEPT] : 1;
        }
        for (size_t e = 0; e < engine_count(); e++) {
            const dj_engine_ops *engine = engine_get(e);
            answers start, whole;
            if (!can(engine, OPERATIONS))
                continue;
            const char *wrong = answers_get(&start, engine, context, &s, START, OPERATIONS, 7);
            assert_null(wrong);
            get_answers(&whole, engine, &s, OPERATIONS);
            assert_int_equal(start.stats.keys, KEPT);
            assert_int_equal(whole.stats.keys, KEPT);
            assert_int_equal(whole.stats.peak_bytes, start.stats.peak_bytes);
            answers_free(&start);
            answers_free(&whole);
        }
    }
    stream_free(&s);
}

// Operations that were not requested are accesses; and without a column all are.
static void test_only_if_requested(void **state)
{
    (void)state;
    const uint64_t key[] = {1, 2, 1};
    const uint8_t op[] = {DJ_OP_ACCESS, DJ_OP_ACCESS, DJ_OP_REMOVE};
    for (size_t e = 0; e < engine_count(); e++) {
        const dj_engine_ops *engine = engine_get(e);
        for (int requested = 0; can(engine, OPERATIONS) && requested < 2; requested++) {
            dj_engine_params params = {.use = requested ? OPERATIONS : 0, .options = engine->default_options};
            uint64_t distance[3];
            dj_work work = {.count = 3, .key = key, .op = requested ? NULL : op, .distance = distance};
            void *made = NULL;
            assert_int_equal(engine->create(context, &params, &made), DJ_OK);
            assert_int_equal(engine->push(made, context, &work), DJ_OK);
            assert_int_equal(engine->drain(made, context), DJ_OK);
            assert_int_equal(distance[2], 1);
            engine->destroy(made);
        }
    }
}

static void refuses(const dj_engine_ops *engine, uint32_t use, uint32_t coarser, const char *why)
{
    dj_engine_params params = {.use = use, .coarser = coarser, .options = engine->default_options};
    void *made = NULL;
    assert_int_equal(engine->create(context, &params, &made), DJ_ERR_UNSUPPORTED);
    assert_null(made);
    if (!strstr(dj_context_message(context), why) || !strstr(dj_context_message(context), engine->name))
        fail_msg("%s", dj_context_message(context));
}

static void test_refusals(void **state)
{
    (void)state;
    for (size_t e = 0; e < dj_engine_count(); e++) {
        const dj_engine_ops *engine = dj_engine_get(e);
        if (!(engine->can & DJ_CAN_INVALIDATE))
            refuses(engine, DJ_CAN_INVALIDATE, 0, "invalidation");
        if (!(engine->can & DJ_CAN_REMOVE))
            refuses(engine, DJ_CAN_REMOVE, 0, "removal");
        if (engine->can & DJ_CAN_INVALIDATE && engine->can & DJ_CAN_WEIGHTS)
            refuses(engine, DJ_CAN_INVALIDATE | DJ_CAN_WEIGHTS, 0, "byte distances");
        if (engine->can & OPERATIONS)
            refuses(engine, engine->can & OPERATIONS, 1, "block size");
    }
    assert_true(can(dj_engine_find("stack"), OPERATIONS));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_invalidation_as_in_caches),
        cmocka_unit_test(test_invalidation_in_large_caches),
        cmocka_unit_test(test_removal_by_definition),
        cmocka_unit_test(test_engines_agree),
        cmocka_unit_test(test_long_streams),
        cmocka_unit_test(test_memory_follows_the_keys),
        cmocka_unit_test(test_only_if_requested),
        cmocka_unit_test(test_refusals),
    };
    return engines_are_here() ? cmocka_run_group_tests(tests, make_context, drop_context) : 77;
}
