// SPDX-License-Identifier: MIT
// Engine parallel with all numbers of threads and sizes of chunks: the same answers, tags, times and
// order as one thread, however rounds and chunks fall.
#include "support/engine_compare.h"

#include "engine/inversions.h"
#include "engine/parallel/parallel.h"
#include "engine/parallel/path.h"

#include <setjmp.h>
#include <stdarg.h>
// cmocka needs the four above it
#include <cmocka.h>

#include "support/engine_check.h"
#include "support/sanitized.h"

enum { ALL = DJ_CAN_TAGS | DJ_CAN_TIMES };

// Like the engine's options.
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

static void test_threads_and_chunks(void **state)
{
    (void)state;
    static const uint64_t threads[] = {1, 2, 3, 5, 9}, chunks[] = {1, 2, 3, 17, 100, 1000, 4096, 1 << 20};
    for (uint64_t seed = 1; seed <= 120; seed += SANITIZED_STEP) {
        stream s;
        choice c = {threads[seed % 5], chunks[seed / 5 % 8]};
        dj_engine_ops engine = variant(&c);
        assert_int_equal(stream_make_random(&s, seed * 15485863), 0);
        compare("stack", &engine, &s, (uint32_t)seed & ALL);
        stream_free(&s);
    }
}

// Long enough for many rounds, for growth, and for frequent compaction of the order.
static void test_many_rounds(void **state)
{
    (void)state;
    enum { COUNT = 150000 / SANITIZED_SHARE };
    static const choice choices[] = {{2, 3000}, {3, 10007}, {9, 2500}};
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

// Chunks that become longer from round to round, as they do if many accesses are open.
static void test_growing_chunks(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 60; seed += SANITIZED_STEP) {
        stream s;
        choice c = {1 + seed % 10, 1 + seed * 7 % 40};
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
    dj_parallel p = {.threads = 2, .chunk_count = 2, .chunk = 500, .most_chunk = 1800};
    dj_parallel_round round = {.accesses = 1100, .chunks = chunks};
    dj_parallel_chunk_adapt(&p, &round);
    assert_int_equal(p.chunk, 500); // 126 of 1100 are less than one in eight
    round.accesses = 1000;
    dj_parallel_chunk_adapt(&p, &round);
    assert_int_equal(p.chunk, 1000);
    dj_parallel_chunk_adapt(&p, &round);
    assert_int_equal(p.chunk, 1800);
    dj_parallel_chunk_adapt(&p, &round);
    assert_int_equal(p.chunk, 1800);
    dj_parallel_chunk_choose(&p, 77); // set by the user
    assert_int_equal(p.chunk, 77);
    assert_int_equal(p.most_chunk, 77);
    dj_parallel_chunk_choose(&p, 0);
    assert_in_range(p.chunk, 1 << 16, 1 << 22);
    assert_in_range(p.most_chunk, p.chunk, 1 << 24);
    p.threads = 1 << 14;
    dj_parallel_chunk_choose(&p, 0);
    assert_int_equal(p.most_chunk, 1 << 16); // no machine has memory for more
    dj_parallel_chunk_choose(&p, 1 << 26);
    assert_int_equal(p.chunk, 1 << 16); // a round has at most 2^30 accesses
}

// Recurring keys, of which a chunk in the middle of the work has all or only some.
static void test_keys_are_expected(void **state)
{
    (void)state;
    enum { ACCESSES = 1 << 20 };
    static const uint64_t counts[] = {1, 100, 30000, 200000, ACCESSES};
    uint64_t *key = malloc(ACCESSES * sizeof *key);
    assert_non_null(key);
    for (size_t k = 0; k < sizeof counts / sizeof *counts; k++) {
        for (size_t i = 0; i < ACCESSES; i++)
            key[i] = i * UINT64_C(7919) % ACCESSES % counts[k] << 6;
        dj_work works[] = {{.count = ACCESSES / 4, .key = key},
                           {.count = ACCESSES - ACCESSES / 4, .key = key + ACCESSES / 4}};
        dj_parallel_part parts[] = {{&works[0], 0, works[0].count, 0},
                                    {&works[1], 0, works[1].count, works[0].count}};
        const dj_parallel_round round = {.parts = parts, .part_count = 2, .accesses = ACCESSES};
        const dj_parallel_chunk chunk = {.first = 1, .end = ACCESSES - 7};
        dj_parallel p = {.threads = 1, .path = dj_parallel_best_path()};
        uint64_t keys = dj_parallel_expect_keys(&p, &round, &chunk);
        if (counts[k] <= 100)
            assert_int_equal(keys, 0);
        else if (counts[k] < ACCESSES)
            assert_in_range(keys, counts[k] / 4 * 3, counts[k] / 2 * 3);
        else
            assert_in_range(keys, ACCESSES / 2 - 16, ACCESSES / 2); // an upper bound
        dj_parallel_chunk none = {.first = 3, .end = 3};
        assert_int_equal(dj_parallel_expect_keys(&p, &round, &none), 0);
    }
    free(key);
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
} counting;

static void count_inversions(void *user, dj_team_member *member)
{
    counting *c = user;
    dj_inversions_run(&c->inversions, c->path, member);
}

enum { SEQUENCES = 3 };

// A line on which only every so many points can be live when the first sequence begins, the lengths of
// the sequences, and about how many of their accesses have a point.
typedef struct line_shape {
    uint64_t places, spread;
    size_t counts[SEQUENCES], with_point;
} line_shape;

static uint32_t point_of(const line_shape *shape, uint64_t place)
{
    return (uint32_t)(place < shape->places ? place * shape->spread
                                            : shape->places * shape->spread + (place - shape->places));
}

// Draws live points for a sequence, without replacement.
static void draw_places(uint8_t *stands, uint64_t places, size_t count, size_t with_point, uint32_t *drawn,
                        uint64_t *seed)
{
    uint32_t *live_points = malloc((places + 1) * sizeof *live_points);
    size_t left = 0;
    assert_non_null(live_points);
    for (uint64_t i = 0; i < places; i++)
        if (stands[i])
            live_points[left++] = (uint32_t)i;
    for (size_t i = 0; i < count; i++) {
        drawn[i] = DJ_LIVE_POINTS_NONE;
        if (random_below(seed, count) >= with_point || left == 0)
            continue;
        size_t chosen = random_below(seed, left);
        drawn[i] = live_points[chosen];
        live_points[chosen] = live_points[--left];
        stands[drawn[i]] = 0;
    }
    memset(stands + places, 1, count);
    free(live_points);
}

typedef struct test_sequence {
    uint32_t *drawn, *point, *place, *at;
    dj_inversion_result *found;
} test_sequence;

static test_sequence make_sequence(size_t count)
{
    test_sequence s = {malloc((count + 1) * 4), malloc((count + 1) * 4), malloc((count + 1) * 4),
                       malloc((count + 1) * 4), malloc((count + 1) * sizeof *s.found)};
    assert_true(s.drawn && s.point && s.place && s.at && s.found);
    return s;
}

static void free_sequence(const test_sequence *s)
{
    free(s->drawn);
    free(s->point);
    free(s->place);
    free(s->at);
    free(s->found);
}

// The results must match a naive count, access by access.
static void check_sequence(const dj_sequence *answered, const test_sequence *s, uint8_t *stands,
                           uint64_t places)
{
    const size_t count = answered->count;
    for (size_t i = 0; i < count; i++) {
        uint32_t after = 0;
        if (s->drawn[i] == DJ_LIVE_POINTS_NONE) {
            assert_int_equal(answered->at[i], DJ_LIVE_POINTS_NONE);
            continue;
        }
        for (uint64_t j = s->drawn[i] + UINT64_C(1); j < places; j++)
            after += stands[j];
        assert_int_equal(answered->found[answered->at[i]].after, after);
        stands[s->drawn[i]] = 0;
    }
    memset(stands + places, 1, count);
}

static void check_line(const dj_live_points *line, const line_shape *shape, const uint8_t *stands,
                       uint64_t total)
{
    uint64_t live = 0, on_line = 0;
    for (uint64_t i = 0; i < total; i++) {
        uint32_t point = point_of(shape, i);
        assert_int_equal(line->words[point / 64] >> point % 64 & 1, stands[i]);
        live += stands[i];
    }
    for (uint64_t i = 0; i <= line->points / 64; i++)
        on_line += (uint64_t)__builtin_popcountll(line->words[i]);
    assert_int_equal(line->points, point_of(shape, total));
    assert_int_equal(line->live, live);
    assert_int_equal(on_line, live);
}

// Three sequences on a line where about half of the points are live; the answers are stored in any
// order.
static void check_inversions(dj_team *team, const dj_parallel_path *path, const line_shape *shape,
                             uint64_t seed)
{
    counting c = {.path = path};
    dj_live_points line = {0};
    test_sequence made[SEQUENCES];
    dj_sequence sequences[SEQUENCES];
    uint64_t total = shape->places + shape->counts[0] + shape->counts[1] + shape->counts[2];
    uint8_t *stands = calloc(total + 1, 1), *left = calloc(total + 1, 1);
    assert_true(stands && left);
    assert_int_equal(dj_live_points_compact(&line, context, point_of(shape, total)), DJ_OK);
    for (uint64_t i = 0; i < shape->places; i++) {
        stands[i] = left[i] = (uint8_t)random_below(&seed, 2);
        line.words[point_of(shape, i) / 64] |= (uint64_t)stands[i] << point_of(shape, i) % 64;
        line.live += stands[i];
    }
    line.points = point_of(shape, shape->places);
    for (uint64_t k = 0, places = shape->places; k < SEQUENCES; places += shape->counts[k++]) {
        size_t count = shape->counts[k];
        made[k] = make_sequence(count);
        draw_places(left, places, count, shape->with_point, made[k].drawn, &seed);
        for (size_t i = 0; i < count; i++) {
            uint32_t drawn = made[k].drawn[i];
            made[k].place[i] = (uint32_t)(count - 1 - i);
            made[k].point[count - 1 - i] = drawn == DJ_LIVE_POINTS_NONE ? drawn : point_of(shape, drawn);
        }
        sequences[k] = (dj_sequence){count, made[k].place, made[k].point, k % 2 ? made[k].place : made[k].at,
                                     made[k].found};
    }
    assert_int_equal(dj_inversions_begin(&c.inversions, context, &line, sequences, SEQUENCES), DJ_OK);
    dj_team_start(team, count_inversions, &c);
    dj_team_wait(team);
    for (uint64_t k = 0, places = shape->places; k < SEQUENCES; places += shape->counts[k++]) {
        check_sequence(&sequences[k], &made[k], stands, places);
        free_sequence(&made[k]);
    }
    check_line(&line, shape, stands, total);
    dj_inversions_free(&c.inversions);
    dj_live_points_destroy(&line);
    free(stands);
    free(left);
}

static void test_inversions(void **state)
{
    (void)state;
    static const line_shape shapes[] = {
        {1, 1, {1, 0, 1}, 1},
        {63, 1, {10, 70, 3}, 70},
        {64, 1, {64, 64, 64}, 64},
        {1000, 3, {0, 300, 5}, 200},
        {9000, 1, {5000, 8192, 0}, 6000},
        {20000, 1, {100, 100, 100}, 60},
        {500, 9999, {600, 9, 70}, 9},
        {3000, 30000, {40, 3000, 50}, 2500}, // many buckets
    };
    dj_team *team = NULL;
    const dj_parallel_path *paths[] = {&dj_parallel_portable, dj_parallel_best_path()};
    unsigned threads = 3;
    assert_int_equal(dj_team_create(context, &threads, &team), DJ_OK);
    for (size_t p = 0; p < 2; p++)
        for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
            check_inversions(team, paths[p], &shapes[i], i + 7);
    dj_team_destroy(team);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_threads_and_chunks),         cmocka_unit_test(test_growing_chunks),
        cmocka_unit_test(test_chunks_follow_what_is_open), cmocka_unit_test(test_many_rounds),
        cmocka_unit_test(test_more_threads_than_accesses), cmocka_unit_test(test_keys_are_expected),
        cmocka_unit_test(test_options_are_checked),        cmocka_unit_test(test_inversions),
    };
    return cmocka_run_group_tests(tests, make_context, drop_context);
}
