// SPDX-License-Identifier: MIT
// Engine parallel with all numbers of threads and sizes of chunks: the same
// answers, tags, times and order as one thread, however rounds and chunks fall.
#include "support/engine_compare.h"

#include "engine/inversions.h"
#include "engine/parallel.h"
#include "engine/parallel_path.h"

#include <setjmp.h>
#include <stdarg.h>
// cmocka needs the four above it
#include <cmocka.h>

#include "support/context.h"

enum { ALL = DJ_CAN_TAGS | DJ_CAN_TIMES };

// As the engine's own.
typedef struct choice {
    uint64_t threads, chunk;
} choice;

static dj_engine_ops variant(const choice *c)
{
    dj_engine_ops engine = *dj_engine_find("parallel");
    assert_int_equal(engine.options_bytes, sizeof *c);
    engine.default_options = c;
    return engine;
}

static void compare(const char *oracle, const dj_engine_ops *engine, const stream *s, uint32_t use)
{
    difference d = compare_engines(dj_engine_find(oracle), engine, context, s, use);
    if (d.what)
        difference_print(&d, engine, s, use);
    assert_null(d.what);
}

static void test_threads_and_chunks(void **state)
{
    (void)state;
    static const uint64_t threads[] = {1, 2, 3, 5, 8}, chunks[] = {1, 2, 3, 17, 100, 1000, 4096, 1 << 20};
    for (uint64_t seed = 1; seed <= 120; seed++) {
        stream s;
        choice c = {threads[seed % 5], chunks[seed / 5 % 8]};
        dj_engine_ops engine = variant(&c);
        assert_int_equal(stream_make_random(&s, seed * 15485863), 0);
        compare("stack", &engine, &s, (uint32_t)seed & ALL);
        stream_free(&s);
    }
}

// Long enough for many rounds, for growth, and for the order to be closed up often.
static void test_many_rounds(void **state)
{
    (void)state;
    enum { COUNT = 150000 };
    static const choice choices[] = {{2, 3000}, {3, 10007}, {5, 2500}};
    for (size_t i = 0; i < sizeof choices / sizeof *choices; i++)
        for (size_t order = 0; order < sizeof stream_orders / sizeof *stream_orders; order++) {
            stream s;
            dj_engine_ops engine = variant(&choices[i]);
            assert_int_equal(stream_make(&s, order + 77 * i, &stream_orders[order], &stream_key_kinds[0],
                                         COUNT, i % 2 ? 50000 : 3000),
                             0);
            compare("fast", &engine, &s, ALL);
            stream_free(&s);
        }
}

static void test_more_threads_than_accesses(void **state)
{
    (void)state;
    static const choice c = {64, 10};
    dj_engine_ops engine = variant(&c);
    for (size_t count = 0; count < 70; count += 7) {
        stream s;
        assert_int_equal(stream_make(&s, count, &stream_orders[0], &stream_key_kinds[0], count, 5), 0);
        compare("stack", &engine, &s, ALL);
        stream_free(&s);
    }
}

static int create_growing(dj_context *c, const dj_engine_params *params, void **state)
{
    int err = dj_engine_find("parallel")->create(c, params, state);
    if (!err)
        ((dj_parallel *)*state)->most_chunk = 2500;
    return err;
}

// Chunks that become longer from round to round, as they do where much is open.
static void test_growing_chunks(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 60; seed++) {
        stream s;
        choice c = {1 + seed % 4, 1 + seed * 7 % 40};
        dj_engine_ops engine = variant(&c);
        engine.create = create_growing;
        assert_int_equal(stream_make_random(&s, seed * 32452843), 0);
        compare("stack", &engine, &s, (uint32_t)seed & ALL);
        stream_free(&s);
    }
}

static void test_chunks_follow_what_is_open(void **state)
{
    (void)state;
    dj_parallel_chunk chunks[2] = {{.open = 60}, {.open = 66}};
    dj_parallel p = {.threads = 2, .chunks = chunks, .chunk = 500, .most_chunk = 1800};
    dj_parallel_chunk_adapt(&p, 1100);
    assert_int_equal(p.chunk, 500); // 126 of 1100 are less than one in eight
    dj_parallel_chunk_adapt(&p, 1000);
    assert_int_equal(p.chunk, 1000);
    dj_parallel_chunk_adapt(&p, 1000);
    assert_int_equal(p.chunk, 1800);
    dj_parallel_chunk_adapt(&p, 1000);
    assert_int_equal(p.chunk, 1800);
    dj_parallel_chunk_choose(&p, 77); // the user's word
    assert_int_equal(p.chunk, 77);
    assert_int_equal(p.most_chunk, 77);
    dj_parallel_chunk_choose(&p, 0);
    assert_in_range(p.chunk, 1 << 16, 1 << 22);
    assert_in_range(p.most_chunk, p.chunk, 1 << 24);
    p.threads = 1 << 20;
    dj_parallel_chunk_choose(&p, 0);
    assert_int_equal(p.most_chunk, 1 << 16); // no machine holds more for so many
}

static void test_options_are_checked(void **state)
{
    (void)state;
    static const choice bad[] = {{100000, 1000}, {2, UINT64_C(1) << 40}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        void *engine = NULL;
        dj_engine_params params = {.options = &bad[i]};
        assert_int_equal(dj_engine_find("parallel")->create(context, &params, &engine), DJ_ERR_USAGE);
        assert_null(engine);
    }
}

typedef struct counting {
    dj_inversions inversions;
    const dj_parallel_path *path;
    uint32_t *value, *place;
} counting;

static void count_inversions(void *user, dj_member *member)
{
    counting *c = user;
    dj_inversions_run(&c->inversions, c->path, member, c->value, c->place);
}

// A permutation with gaps, against the sum over all pairs.
static void check_inversions(dj_team *team, const dj_parallel_path *path, size_t count, size_t values,
                             uint64_t seed)
{
    counting c = {.path = path};
    c.value = malloc((count + 1) * sizeof *c.value);
    c.place = malloc((count + 1) * sizeof *c.place);
    assert_true(c.value && c.place);
    for (size_t i = 0; i < count; i++)
        c.value[i] = i < values ? (uint32_t)i : DJ_INVERSION_NONE;
    for (size_t i = count; i > 1; i--) {
        size_t other = random_below(&seed, i);
        uint32_t value = c.value[i - 1];
        c.value[i - 1] = c.value[other];
        c.value[other] = value;
    }
    assert_int_equal(dj_inversions_begin(&c.inversions, context, count, values), DJ_OK);
    dj_team_start(team, count_inversions, &c);
    dj_team_wait(team);
    for (size_t i = 0; i < count; i++) {
        uint32_t larger = 0;
        for (size_t j = 0; j < i; j++)
            larger += c.value[j] != DJ_INVERSION_NONE && c.value[j] > c.value[i];
        if (c.value[i] != DJ_INVERSION_NONE)
            assert_int_equal(c.inversions.larger[c.place[i]], larger);
    }
    dj_inversions_free(&c.inversions);
    free(c.value);
    free(c.place);
}

static void test_inversions(void **state)
{
    (void)state;
    dj_team *team = NULL;
    const dj_parallel_path *paths[] = {&dj_parallel_portable, dj_parallel_best_path()};
    assert_int_equal(dj_team_create(context, 3, &team), DJ_OK);
    for (size_t p = 0; p < 2; p++) {
        for (size_t values = 0; values < 200; values += 13)
            check_inversions(team, paths[p], values + values % 5, values, values + 1);
        check_inversions(team, paths[p], 9000, 8192, 5);
        check_inversions(team, paths[p], 20000, 17001, 6);
    }
    dj_team_destroy(team);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_threads_and_chunks),
        cmocka_unit_test(test_growing_chunks),
        cmocka_unit_test(test_chunks_follow_what_is_open),
        cmocka_unit_test(test_many_rounds),
        cmocka_unit_test(test_more_threads_than_accesses),
        cmocka_unit_test(test_options_are_checked),
        cmocka_unit_test(test_inversions),
    };
    return cmocka_run_group_tests(tests, make_context, drop_context);
}
