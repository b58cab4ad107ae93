// SPDX-License-Identifier: MIT
// Engines that can remove many keys at once answer afterwards as if only the others had ever been accessed,
// and stay within the memory that they announce.
#include "support/engine_choice.h"
#include "support/streams.h"

#include <deja/deja.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
// cmocka needs the four above it
#include <cmocka.h>

#include "support/context.h"

enum { MOST = 400000, MOST_ROUNDS = 6 };

// In round r, the keys whose hash has r zero bits are left.
static bool is_in(uint64_t key, unsigned round)
{
    uint64_t rng = key;
    return (random_below(&rng, UINT64_C(1) << 32) & ((UINT64_C(1) << round) - 1)) == 0;
}

static bool keeps(void *user, uint64_t key)
{
    return is_in(key, *(const unsigned *)user);
}

typedef struct run {
    const dj_engine_ops *engine;
    void *state;
    const stream *s;
    uint32_t use;
    uint64_t distance[MOST], prev_time[MOST], byte_distance[MOST];
    uint32_t prev_tag[MOST];
} run;

static void push(run *r, const stream *s, size_t from, size_t count)
{
    dj_work work = {.count = count, .key = s->key + from, .distance = r->distance + from}, *back = NULL;
    if (r->use & DJ_CAN_TAGS) {
        work.tag = s->tag + from;
        work.prev_tag = r->prev_tag + from;
    }
    if (r->use & DJ_CAN_TIMES) {
        work.time = s->time + from;
        work.prev_time = r->prev_time + from;
    }
    if (r->use & DJ_CAN_WEIGHTS) { // any number that changes
        work.weight = s->time + from;
        work.byte_distance = r->byte_distance + from;
    }
    assert_int_equal(r->engine->push(r->state, context, &work), DJ_OK);
    assert_int_equal(r->engine->drain(r->state, context), DJ_OK);
    assert_int_equal(r->engine->pull(r->state, context, &back), DJ_OK);
    assert_ptr_equal(back, &work);
}

// The answers for the accesses from `from` on, by a fresh stack engine that sees the keys of a round alone.
static void expect_as_if_alone(const run *r, size_t from, size_t end, unsigned round)
{
    static run alone;
    static uint64_t key[MOST], time[MOST];
    static uint32_t tag[MOST];
    static size_t at[MOST];
    stream left = {.key = key, .tag = tag, .time = time};
    for (size_t i = 0; i < end; i++)
        if (is_in(r->s->key[i], round)) {
            key[left.count] = r->s->key[i];
            tag[left.count] = r->s->tag[i];
            time[left.count] = r->s->time[i];
            at[left.count++] = i;
        }
    alone.engine = dj_engine_find(left.count > 5000 ? "tree" : "stack");
    alone.use = r->use;
    const dj_engine_params params = {.use = r->use & (DJ_CAN_TAGS | DJ_CAN_TIMES | DJ_CAN_WEIGHTS)};
    assert_int_equal(alone.engine->create(context, &params, &alone.state), DJ_OK);
    push(&alone, &left, 0, left.count);
    for (size_t i = 0; i < left.count; i++)
        if (at[i] >= from) {
            assert_int_equal(r->distance[at[i]], alone.distance[i]);
            if (r->use & DJ_CAN_TAGS)
                assert_int_equal(r->prev_tag[at[i]], alone.prev_tag[i]);
            if (r->use & DJ_CAN_TIMES)
                assert_int_equal(r->prev_time[at[i]], alone.prev_time[i]);
            if (r->use & DJ_CAN_WEIGHTS)
                assert_int_equal(r->byte_distance[at[i]], alone.byte_distance[i]);
        }
    dj_engine_stats kept, all;
    r->engine->stats(r->state, &kept);
    alone.engine->stats(alone.state, &all);
    assert_int_equal(kept.keys, all.keys);
    alone.engine->destroy(alone.state);
}

// Between rounds, only keys of the round are accessed, as behind a filter.
static void check_rounds(const dj_engine_ops *engine, stream *s, uint32_t use, uint64_t seed)
{
    static run r;
    uint64_t rng = seed;
    r.engine = engine;
    r.s = s;
    r.use = use;
    const dj_engine_params params = {.use = use, .most_keys = s->count};
    assert_int_equal(engine->create(context, &params, &r.state), DJ_OK);
    size_t at = 0;
    for (unsigned round = 0; round < MOST_ROUNDS; round++) {
        size_t end = round + 1 < MOST_ROUNDS ? at + (size_t)random_below(&rng, s->count - at + 1) : s->count;
        size_t from = at;
        if (round > 0)
            assert_int_equal(engine->keep(r.state, context, keeps, &round), DJ_OK);
        for (size_t i = at; i < end; i++) // drops the others
            if (is_in(s->key[i], round)) {
                s->key[at] = s->key[i];
                s->tag[at] = s->tag[i];
                s->time[at++] = s->time[i];
            }
        for (size_t i = from; i < at;) {
            size_t some = 1 + (size_t)random_below(&rng, 5000);
            some = some < at - i ? some : at - i;
            push(&r, s, i, some);
            i += some;
        }
        expect_as_if_alone(&r, from, at, round);
        memmove(s->key + at, s->key + end, (s->count - end) * sizeof *s->key);
        memmove(s->tag + at, s->tag + end, (s->count - end) * sizeof *s->tag);
        memmove(s->time + at, s->time + end, (s->count - end) * sizeof *s->time);
        s->count -= end - at;
    }
    engine->destroy(r.state);
}

static void test_as_if_alone(void **state)
{
    (void)state;
    static const uint32_t uses[] = {0, DJ_CAN_TAGS, DJ_CAN_TAGS | DJ_CAN_TIMES, DJ_CAN_WEIGHTS};
    for (size_t e = 0; e < dj_engine_count(); e++) {
        const dj_engine_ops *engine = dj_engine_get(e);
        for (uint64_t seed = 1; engine->keep && engine_is_chosen(engine) && seed <= 300 / TEST_SHARE;
             seed++) {
            stream s;
            assert_int_equal(stream_make_random(&s, seed), 0);
            if (s.count <= (engine->folds ? MOST : 4000))
                check_rounds(engine, &s, DJ_CAN_REMOVE | (uses[seed % 4] & engine->can), seed);
            stream_free(&s);
        }
    }
}

static void test_many_keys(void **state)
{
    (void)state;
    const dj_engine_ops *engine = dj_engine_find("fast");
    for (uint64_t seed = 1; seed <= 4; seed++) {
        stream s;
        assert_int_equal(
            stream_make(&s, seed, &stream_orders[seed % 2 ? 6 : 8], &stream_key_kinds[2], MOST, MOST / 3), 0);
        check_rounds(engine, &s, DJ_CAN_REMOVE, seed);
        stream_free(&s);
    }
}

// A scan: the engine is full again and again, and memory must not exceed what was announced.
static void test_memory_is_as_announced(void **state)
{
    (void)state;
    enum { WORK = 1000, FULL = 100000, LIMIT = FULL + WORK };
    static uint64_t key[WORK], distance[WORK], bytes[WORK];
    for (size_t e = 0; e < dj_engine_count(); e++) {
        const dj_engine_ops *engine = dj_engine_get(e);
        const uint32_t weights = engine->can & DJ_CAN_WEIGHTS;
        const dj_engine_params params = {.use = DJ_CAN_REMOVE | weights, .most_keys = LIMIT};
        unsigned round = 0;
        uint64_t next = 1;
        void *made = NULL;
        dj_engine_stats stats = {0};
        if (!engine->keep || engine == dj_engine_find("stack")) // which would take minutes
            continue;
        assert_non_null(engine->bytes_for);
        assert_int_equal(engine->create(context, &params, &made), DJ_OK);
        while (round < 5) {
            dj_work work = {.count = 0,
                            .key = key,
                            .weight = weights ? key : NULL,
                            .distance = distance,
                            .byte_distance = weights ? bytes : NULL},
                    *back;
            for (; work.count < WORK; next++)
                if (is_in(next, round))
                    key[work.count++] = next;
            assert_int_equal(engine->push(made, context, &work), DJ_OK);
            assert_int_equal(engine->pull(made, context, &back), DJ_OK);
            engine->stats(made, &stats);
            assert_true(stats.bytes <= engine->bytes_for(&params, 1, LIMIT));
            if (stats.keys > FULL) {
                round++;
                assert_int_equal(engine->keep(made, context, keeps, &round), DJ_OK);
                engine->stats(made, &stats);
                assert_in_range(stats.keys, FULL * 2 / 5, FULL * 3 / 5);
                assert_true(stats.bytes <= engine->bytes_for(&params, 1, LIMIT));
            }
        }
        engine->destroy(made);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_as_if_alone),
        cmocka_unit_test(test_many_keys),
        cmocka_unit_test(test_memory_is_as_announced),
    };
    return engines_are_here() ? cmocka_run_group_tests(tests, make_context, drop_context) : 77;
}
