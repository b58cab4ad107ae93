// SPDX-License-Identifier: MIT
// Engine scale: every distance is within its relative error, compared with a naive LRU stack and, on long
// streams, with engine tree; the number of nodes is within its bound; options are checked.
#include "engine/scale/scale.h"
#include "support/engine_compare.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
// cmocka needs the four above it
#include <cmocka.h>

#include "support/context.h"
#include "support/sanitized.h"

#define PPB UINT64_C(1000000000)

static const uint64_t errors[] = {100000, 1000000, 10000000, 50000000, 400000000}; // 0.01% to 40%
enum { ERRORS = sizeof errors / sizeof *errors };

static void *make(uint64_t error, uint32_t use)
{
    const dj_scale_options options = {.error = (double)error / (double)PPB};
    const dj_engine_params params = {.use = use, .options = &options};
    void *state = NULL;
    assert_int_equal(dj_engine_find("scale")->create(context, &params, &state), DJ_OK);
    return state;
}

// d · (1 − error) ≤ d', in integers.
static bool is_within(uint64_t exact, uint64_t got, uint64_t error)
{
    if (exact == DJ_COLD || got == DJ_COLD)
        return exact == got;
    unsigned __int128 least = (unsigned __int128)exact * (PPB - error);
    bool near = (unsigned __int128)got * PPB >= least && got <= exact;
    return near && (exact * error >= PPB || got == exact); // exact below 1 / error
}

// How many nodes can be left after a merge of `keys` keys: see docs/algorithms.md.
static uint64_t most_nodes(uint64_t keys, uint64_t error)
{
    double rate = (double)error / (double)(PPB - error);
    return 2 + 2 * (uint64_t)ceil(log1p(rate * (double)keys) / log1p(rate));
}

static void check_nodes(dj_scale *s, uint64_t error)
{
    const uint64_t keys = s->hashed->fast.keys, most = most_nodes(keys, error);
    dj_scale_nodes *n = &s->nodes;
    assert_true(n->capacity <= DJ_SCALE_LEAST || n->capacity <= 8 * most);
    dj_scale_nodes_merge(n, keys - n->keys);
    if (n->count > most)
        fail_msg("%u nodes for %llu keys, at most %llu are allowed", n->count, (unsigned long long)keys,
                 (unsigned long long)most);
}

static void check_with(const stream *s, const uint64_t *exact, uint64_t error, uint64_t most_points)
{
    const dj_engine_ops *engine = dj_engine_find("scale");
    dj_scale *state = make(error, 0);
    uint64_t *got = malloc((s->count + 1) * sizeof *got), rng = s->seed;
    assert_non_null(got);
    if (most_points)
        state->most_points = most_points;
    for (size_t at = 0; at < s->count;) {
        size_t piece = 1 + random_below(&rng, 6000), left = s->count - at;
        dj_work work = {.count = piece < left ? piece : left, .key = s->key + at, .distance = got + at};
        dj_work *back = NULL;
        assert_int_equal(engine->push(state, context, &work), DJ_OK);
        assert_int_equal(engine->pull(state, context, &back), DJ_OK);
        assert_ptr_equal(back, &work);
        at += work.count;
    }
    for (size_t i = 0; i < s->count; i++)
        if (!is_within(exact[i], got[i], error))
            fail_msg("%s, %s, error %g: access %zu has distance %llu, not %llu", s->order, s->keys,
                     (double)error / (double)PPB, i, (unsigned long long)got[i],
                     (unsigned long long)exact[i]);
    check_nodes(state, error);
    engine->destroy(state);
    free(got);
}

static void check(const stream *s, const uint64_t *exact)
{
    for (size_t e = 0; e < ERRORS; e++)
        check_with(s, exact, errors[e], 0);
}

// The definition: keys in one array, most recent last.
static void naive_distances(const stream *s, uint64_t *out)
{
    uint64_t *order = malloc((s->count + 1) * sizeof *order);
    size_t count = 0;
    assert_non_null(order);
    for (size_t i = 0; i < s->count; i++) {
        size_t at = count;
        while (at > 0 && order[at - 1] != s->key[i])
            at--;
        out[i] = at == 0 ? DJ_COLD : count - at;
        if (at > 0)
            memmove(&order[at - 1], &order[at], (count-- - at) * sizeof *order);
        order[count++] = s->key[i];
    }
    free(order);
}

static void test_against_a_stack(void **state)
{
    (void)state;
    static uint64_t exact[6000];
    for (uint64_t seed = 0; seed < 400; seed += SANITIZED_STEP) {
        stream s;
        assert_int_equal(stream_make_random(&s, seed), 0);
        naive_distances(&s, exact);
        check(&s, exact);
        stream_free(&s);
    }
}

static void order_zipf(uint64_t *to, size_t count, uint64_t range, uint64_t *rng)
{
    for (size_t i = 0; i < count; i++) // the logarithm of the rank is uniform
        to[i] = (uint64_t)pow((double)range, (double)(random_next(rng) >> 11) * 0x1p-53) - 1;
}

static void order_stencil(uint64_t *to, size_t count, uint64_t range, uint64_t *rng)
{
    (void)rng;
    for (size_t i = 0; i < count; i++) {
        uint64_t at = 1 + i / 4 % (range / 2 - 2);
        to[i] = i % 4 == 3 ? range / 2 + at : at - 1 + i % 4;
    }
}

// Always the oldest key of one node, or the newest: the largest error that a node can have.
static void order_edges(uint64_t *to, size_t count, uint64_t range, uint64_t *rng)
{
    for (size_t i = 0; i < count; i++)
        to[i] = i < range ? i : random_below(rng, 8) ? i % range : (i * 7 + range / 3) % range;
}

static const stream_order long_orders[] = {
    {"zipf", order_zipf},         {"stencil", order_stencil},   {"edges", order_edges},
    {"uniform", order_uniform},   {"sawtooth", order_sawtooth}, {"phases", order_phases},
    {"all cold", order_all_cold}, {"one key", order_one_key},   {"by distance", order_by_distance},
};

static void check_long(const stream_order *order, size_t count, uint64_t range)
{
    stream s;
    uint64_t *exact = malloc(count * sizeof *exact);
    assert_non_null(exact);
    assert_int_equal(stream_make(&s, range, order, &stream_key_kinds[2], count, range), 0);
    assert_int_equal(dj_distances(context, dj_engine_find("tree"), s.key, count, exact), DJ_OK);
    check(&s, exact);
    stream_free(&s);
    free(exact);
}

static void test_long_streams(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof long_orders / sizeof *long_orders; i++)
        check_long(&long_orders[i], 120000, 30000);
    check_long(&long_orders[0], (1 << 20) + 5000, 200000);
    check_long(&long_orders[3], (1 << 20) + 5000, 200000);
}

// In a cycle over n keys every reuse has distance n − 1; a reversed one has the same.
static void test_cycles_around_powers_of_two(void **state)
{
    (void)state;
    enum { COUNT = 40000, STEP = SANITIZED_SHARE > 1 ? 32 : 4 };
    static uint64_t exact[COUNT];
    for (uint64_t power = 16; power <= 16384; power *= STEP)
        for (uint64_t n = power - 1; n <= power + 1; n++)
            for (size_t backwards = 0; backwards < 2; backwards++) {
                stream s;
                assert_int_equal(
                    stream_make(&s, n, &stream_orders[1 + backwards], &stream_key_kinds[0], COUNT, n), 0);
                for (size_t i = 0; i < COUNT; i++)
                    exact[i] = i < n ? DJ_COLD : n - 1;
                check(&s, exact);
                stream_free(&s);
            }
}

// Times are renumbered when there are no more points; here there are few.
static void test_renumbering(void **state)
{
    (void)state;
    enum { COUNT = 100000, RANGE = 6000 };
    static uint64_t exact[COUNT];
    for (size_t o = 0; o < 4; o++) {
        stream s;
        assert_int_equal(stream_make(&s, o, &long_orders[o], &stream_key_kinds[4], COUNT, RANGE), 0);
        assert_int_equal(dj_distances(context, dj_engine_find("tree"), s.key, COUNT, exact), DJ_OK);
        for (size_t e = 0; e < ERRORS; e++)
            check_with(&s, exact, errors[e], 3 * RANGE);
        stream_free(&s);
    }
}

static void test_tags_and_times(void **state)
{
    (void)state;
    const uint32_t use = DJ_CAN_TAGS | DJ_CAN_TIMES;
    for (uint64_t seed = 1000; seed < 1300; seed += SANITIZED_STEP) {
        stream s;
        answers expected, got;
        assert_int_equal(stream_make_random(&s, seed), 0);
        assert_null(answers_get(&expected, dj_engine_find("stack"), context, &s, s.count, use, seed));
        assert_null(answers_get(&got, dj_engine_find("scale"), context, &s, s.count, use, ~seed));
        for (size_t i = 0; i < s.count; i++) {
            assert_true(is_within(expected.distance[i], got.distance[i], 1000000)); // the default
            assert_int_equal(got.prev_tag[i], expected.prev_tag[i]);
            assert_int_equal(got.prev_time[i], expected.prev_time[i]);
        }
        answers_free(&expected);
        answers_free(&got);
        stream_free(&s);
    }
}

// The same works give the same distances.
static void test_same_again(void **state)
{
    (void)state;
    stream s;
    answers a, b;
    assert_int_equal(stream_make(&s, 3, &long_orders[0], &stream_key_kinds[2], 60000, 20000), 0);
    assert_null(answers_get(&a, dj_engine_find("scale"), context, &s, s.count, 0, 1));
    assert_null(answers_get(&b, dj_engine_find("scale"), context, &s, s.count, 0, 1));
    assert_memory_equal(a.distance, b.distance, s.count * sizeof *a.distance);
    answers_free(&a);
    answers_free(&b);
    stream_free(&s);
}

static void test_options(void **state)
{
    (void)state;
    const dj_engine_ops *engine = dj_engine_find("scale");
    static const double bad[] = {0, 1e-9, 0.5, 0.75, 1, 1e300};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        const dj_scale_options options = {.error = bad[i]};
        const dj_engine_params params = {.options = &options};
        void *unused = NULL;
        assert_int_equal(engine->create(context, &params, &unused), DJ_ERR_USAGE);
        assert_non_null(strstr(dj_context_message(context), "--error"));
    }
    const dj_scale_options one = {.error = 0.01};
    assert_true(engine->distance_error(NULL) == 0.001);
    assert_true(engine->distance_error(engine->default_options) == 0.001);
    assert_true(engine->distance_error(&one) == 0.01);
    const dj_engine_params exact = {.use = DJ_CAN_EXACT};
    void *unused = NULL;
    assert_int_equal(engine->create(context, &exact, &unused), DJ_ERR_UNSUPPORTED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_against_a_stack),
        cmocka_unit_test(test_long_streams),
        cmocka_unit_test(test_cycles_around_powers_of_two),
        cmocka_unit_test(test_renumbering),
        cmocka_unit_test(test_tags_and_times),
        cmocka_unit_test(test_same_again),
        cmocka_unit_test(test_options),
    };
    return cmocka_run_group_tests(tests, make_context, drop_context);
}
