// SPDX-License-Identifier: MIT
// Engine gpu on an emulated device: the same answers, tags, times, order and totals
// as other engines, however chunks fall, when keys outgrow the device, when its
// memory is short, and when it fails.
#include "support/engine_compare.h"

#include "engine/gpu/worker.h"
#include "engine/registry.h"
#include "gpu/emulate/emulate.h"

#include <setjmp.h>
#include <stdarg.h>
// cmocka needs the four above it
#include <cmocka.h>

#include "support/engine_check.h"

enum { ALL = DJ_CAN_TAGS | DJ_CAN_TIMES };

// Like the engine's options.
typedef struct choice {
    uint64_t chunk;
    const char *memory;
} choice;

static dj_engine_ops variant(const choice *c)
{
    dj_engine_ops engine = dj_engine_gpu;
    assert_int_equal(engine.options_bytes, sizeof *c);
    engine.default_options = c;
    return engine;
}

static const uint64_t plenty = 16 << 20; // for these streams

static int set_up(void **state)
{
    (void)state;
    dj_emulated_memory(plenty);
    dj_emulated_late(false);
    dj_context_destroy(context);
    return dj_context_create(&context);
}

static int check_nothing_is_held(void **state)
{
    (void)state;
    return dj_emulated_held() == 0 && dj_emulated_used() == 0 ? 0 : -1;
}

static void test_chunks(void **state)
{
    (void)state;
    static const uint64_t chunks[] = {1, 2, 3, 17, 100, 1000, 4096, 20000};
    for (uint64_t seed = 1; seed <= 80; seed++) {
        stream s;
        choice c = {.chunk = chunks[seed % 8]};
        dj_engine_ops engine = variant(&c);
        dj_emulated_late(seed / 8 % 2);
        assert_int_equal(stream_make_random(&s, seed * 15485863), 0);
        if (c.chunk < 10 && s.count > 300)
            s.count = 300;
        compare("stack", &engine, &s, (uint32_t)seed & ALL);
        stream_free(&s);
    }
    assert_string_equal(dj_context_warning(context), "");
}

// The answers of `fast`, counted.
static void count_by_fast(const stream *s, dj_histogram *into, uint64_t *cold)
{
    uint64_t *distance = malloc((s->count + 1) * sizeof *distance);
    assert_non_null(distance);
    assert_int_equal(dj_distances(context, &dj_engine_fast, s->key, s->count, distance), DJ_OK);
    assert_int_equal(dj_histogram_add_all(into, context, distance, s->count, cold), DJ_OK);
    free(distance);
}

static void assert_same_counts(const dj_histogram *a, const dj_histogram *b)
{
    uint64_t v = 0, w = 0, n;
    for (; (n = dj_histogram_next(a, &v)) != 0; v++, w++) {
        assert_int_equal(dj_histogram_next(b, &w), n);
        assert_int_equal(v, w);
    }
    assert_int_equal(dj_histogram_next(b, &w), 0);
}

// Totals and order in the middle, twice, and at the end.
static void check_totals(const stream *s, const choice *c, size_t pieces)
{
    dj_engine_ops engine = variant(c);
    dj_engine_params params = {.use = DJ_CAN_TOTALS, .options = c};
    void *made = NULL;
    dj_work works[64];
    assert_int_equal(engine.create(context, &params, &made), DJ_OK);
    for (size_t i = 0, at = 0; i < pieces; i++) {
        size_t end = s->count * (i + 1) / pieces;
        works[i] = (dj_work){.count = end - at, .key = s->key + at};
        assert_int_equal(engine.push(made, context, &works[i]), DJ_OK);
        at = end;
        if (i != pieces / 2 && i + 1 != pieces)
            continue;
        stream so_far = *s;
        so_far.count = end;
        dj_histogram *expected = NULL, *got = NULL;
        uint64_t expected_cold = 0, got_cold = 0;
        assert_int_equal(dj_histogram_create(context, &expected), DJ_OK);
        count_by_fast(&so_far, expected, &expected_cold);
        for (int twice = 0; twice < 2; twice++) {
            assert_int_equal(engine.drain(made, context), DJ_OK);
            assert_int_equal(dj_histogram_create(context, &got), DJ_OK);
            got_cold = 0;
            assert_int_equal(engine.totals(made, context, got, &got_cold), DJ_OK);
            assert_int_equal(got_cold, expected_cold);
            assert_same_counts(expected, got);
            dj_histogram_destroy(got);
        }
        dj_engine_stats stats;
        engine.stats(made, &stats);
        assert_int_equal(stats.keys, expected_cold);
        dj_histogram_destroy(expected);
    }
    for (size_t i = 0; i < pieces; i++) {
        dj_work *back = NULL;
        assert_int_equal(engine.pull(made, context, &back), DJ_OK);
        assert_ptr_equal(back, &works[i]);
    }
    engine.destroy(made);
}

static void test_totals(void **state)
{
    (void)state;
    static const uint64_t chunks[] = {1, 7, 64, 1000, 30000};
    for (uint64_t seed = 1; seed <= 60; seed++) {
        stream s;
        choice c = {.chunk = chunks[seed % 5]};
        dj_emulated_late(seed & 1);
        assert_int_equal(stream_make_random(&s, seed * 32452843), 0);
        if (c.chunk < 10 && s.count > 300)
            s.count = 300;
        check_totals(&s, &c, 1 + seed % 40);
        stream_free(&s);
    }
}

static uint64_t bytes_for(uint64_t chunk, uint64_t carried, uint32_t use)
{
    return dj_gpu_bytes(&(dj_gpu_config){.chunk = chunk, .key_capacity = carried, .use = use});
}

// Many consecutive chunks, and keys that repeatedly outgrow the capacity.
static void test_growth(void **state)
{
    (void)state;
    enum { COUNT = 60000 };
    for (size_t order = 0; order < sizeof stream_orders / sizeof *stream_orders; order++) {
        stream s;
        choice c = {.chunk = 900 + 500 * order};
        dj_engine_ops engine = variant(&c);
        dj_emulated_late(order & 1);
        assert_int_equal(
            stream_make(&s, order, &stream_orders[order], &stream_key_kinds[order % 3], COUNT, 20000), 0);
        // Memory for 16384 keys at first, and for all of them in the end.
        dj_emulated_memory(16 * bytes_for(c.chunk, 4096, DJ_CAN_TOTALS));
        check_totals(&s, &c, 23);
        dj_emulated_memory(16 * bytes_for(c.chunk, 4096, ALL));
        if (order % 3 == 0)
            compare("fast", &engine, &s, ALL);
        stream_free(&s);
    }
    assert_string_equal(dj_context_warning(context), "");
}

// Memory for shorter chunks than requested, but for all keys.
static void test_short_memory_shrinks_chunks(void **state)
{
    (void)state;
    stream s;
    choice c = {.chunk = 20000};
    dj_engine_ops engine = variant(&c);
    assert_int_equal(stream_make(&s, 5, &stream_orders[0], &stream_key_kinds[2], 30000, 300), 0);
    for (uint32_t use = 0; use < 2; use++) {
        dj_emulated_memory(bytes_for(9000, 1000, use ? ALL : DJ_CAN_TOTALS));
        if (use)
            compare("fast", &engine, &s, ALL);
        else
            check_totals(&s, &c, 7);
        assert_string_equal(dj_context_warning(context), "");
    }
    dj_emulated_memory(plenty);
    char text[32];
    snprintf(text, sizeof text, "%" PRIu64, bytes_for(9000, 1000, DJ_CAN_TOTALS));
    check_totals(&s, &(choice){.chunk = 20000, .memory = text}, 7);
    assert_string_equal(dj_context_warning(context), "");
    stream_free(&s);
}

// Not enough memory for all keys: the processor continues from the same order, with a warning.
static void test_short_memory_falls_back(void **state)
{
    (void)state;
    for (size_t order = 0; order < 8; order++) {
        stream s;
        choice c = {.chunk = order % 2 ? 700 : 3000};
        dj_engine_ops engine = variant(&c);
        assert_int_equal(stream_make(&s, order, &stream_orders[0], &stream_key_kinds[2], 20000, 6000), 0);
        set_up(state);
        dj_emulated_memory(bytes_for(3000, 2500, DJ_CAN_TOTALS));
        check_totals(&s, &c, 11);
        assert_non_null(strstr(dj_context_warning(context), "engine fast"));
        set_up(state);
        dj_emulated_memory(bytes_for(3000, 2500, ALL));
        compare("fast", &engine, &s, ALL);
        assert_non_null(strstr(dj_context_warning(context), "engine fast"));
        stream_free(&s);
    }
    stream s;
    assert_int_equal(stream_make(&s, 1, &stream_orders[0], &stream_key_kinds[2], 5000, 100), 0);
    dj_emulated_memory(100); // not even for one
    check_totals(&s, &(choice){.chunk = 1000}, 3);
    stream_free(&s);
}

// Whichever CUDA call fails, the engine reports it or still answers correctly, and releases everything.
static void test_failures(void **state)
{
    (void)state;
    stream s;
    choice c = {.chunk = 400};
    dj_engine_ops engine = variant(&c);
    assert_int_equal(stream_make(&s, 5, &stream_orders[0], &stream_key_kinds[2], 3000, 900), 0);
    dj_engine_params params = {.use = ALL, .options = &c};
    enum { WORKS = 10, INVALID_DEVICE = 101 };
    unsigned failed = 0, worked = 0;
    for (uint64_t after = 1; after < 2000; after = after + 1 + after / 8) {
        answers a;
        dj_work works[WORKS];
        void *made = NULL;
        assert_int_equal(answers_allocate(&a, s.count, ALL), 0);
        dj_emulated_fail(after, INVALID_DEVICE);
        int err = engine.create(context, &params, &made);
        for (size_t i = 0; !err && i < WORKS; i++) {
            works[i] = make_work(&s, &a, i * s.count / WORKS, s.count / WORKS);
            err = engine.push(made, context, &works[i]);
        }
        int drained = made ? engine.drain(made, context) : DJ_OK;
        assert_true(!err || !made || drained); // it stays in this state
        err = err ? err : drained;
        dj_emulated_fail(0, 0);
        if (err) {
            assert_true(err == DJ_ERR_DEVICE || err == DJ_ERR_MEMORY);
            assert_string_not_equal(dj_context_message(context), "");
            failed++;
        } else {
            worked++;
        }
        if (made)
            engine.destroy(made);
        answers_free(&a);
        assert_int_equal(dj_emulated_held(), 0);
    }
    assert_true(failed > 5 && worked > 5);
    stream_free(&s);
}

static void test_without_a_device(void **state)
{
    (void)state;
    void *made = NULL;
    dj_engine_params params = {0};
    dj_emulated_absent(true);
    assert_int_equal(dj_engine_gpu.find_device(context), DJ_ERR_DEVICE);
    assert_int_equal(dj_engine_gpu.create(context, &params, &made), DJ_ERR_DEVICE);
    assert_non_null(strstr(dj_context_message(context), "engine gpu"));
    assert_null(made);
    dj_emulated_absent(false);
    assert_int_equal(dj_engine_gpu.find_device(context), DJ_OK);
}

static void test_options_are_checked(void **state)
{
    (void)state;
    static const choice bad[] = {{UINT64_C(1) << 40, NULL}, {0, "much"}, {0, "0"}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        void *made = NULL;
        dj_engine_params params = {.options = &bad[i]};
        assert_int_equal(dj_engine_gpu.create(context, &params, &made), DJ_ERR_USAGE);
        assert_null(made);
    }
}

// Destroyed with work that was never drained.
static void test_left_alone(void **state)
{
    (void)state;
    stream s;
    choice c = {.chunk = 500};
    dj_engine_ops engine = variant(&c);
    assert_int_equal(stream_make(&s, 5, &stream_orders[0], &stream_key_kinds[2], 8000, 900), 0);
    for (size_t count = 1; count <= s.count; count = count * 3) {
        answers a;
        void *made = NULL;
        dj_engine_params params = {.use = ALL, .options = &c};
        assert_int_equal(answers_allocate(&a, s.count, ALL), 0);
        dj_work work = make_work(&s, &a, 0, count);
        assert_int_equal(engine.create(context, &params, &made), DJ_OK);
        assert_int_equal(engine.push(made, context, &work), DJ_OK);
        engine.destroy(made);
        answers_free(&a);
    }
    stream_free(&s);
}

static void *attend(void *worker)
{
    dj_gpu_worker_run(worker);
    return NULL;
}

// Many short buffers per chunk. A device that copies late still has to copy some when others are needed
// again.
static void test_buffers_wait_for_the_device(void **state)
{
    (void)state;
    enum { BUFFER = 50, CHUNK = 2000, COUNT = 7000 };
    const dj_gpu_limits limits = {.asked_chunk = CHUNK, .most_chunk = CHUNK};
    stream s;
    answers a, expected;
    dj_gpu_queue queue;
    dj_gpu_worker side;
    pthread_t thread;
    assert_int_equal(stream_make(&s, 7, &stream_orders[0], &stream_key_kinds[2], COUNT, 300), 0);
    assert_int_equal(answers_allocate(&a, COUNT, 0), 0);
    assert_int_equal(answers_allocate(&expected, COUNT, 0), 0);
    assert_int_equal(dj_distances(context, &dj_engine_fast, s.key, COUNT, expected.distance), DJ_OK);
    dj_emulated_late(true);
    dj_work work = make_work(&s, &a, 0, COUNT);
    assert_int_equal(dj_gpu_queue_create(&queue, context, 0, BUFFER, 1), DJ_OK);
    assert_int_equal(dj_gpu_worker_create(&side, context, &queue, 0, &limits), DJ_OK);
    assert_int_equal(pthread_create(&thread, NULL, attend, &side), 0);
    assert_int_equal(dj_gpu_queue_push(&queue, context, &work), DJ_OK);
    assert_int_equal(dj_gpu_queue_flush(&queue), DJ_OK);
    assert_memory_equal(a.distance, expected.distance, COUNT * sizeof *a.distance);
    dj_gpu_queue_end(&queue);
    pthread_join(thread, NULL);
    dj_gpu_worker_destroy(&side);
    dj_gpu_queue_destroy(&queue);
    answers_free(&expected);
    answers_free(&a);
    stream_free(&s);
}

static void test_sizes(void **state)
{
    (void)state;
    const uint64_t many = 1 << 26;
    dj_gpu_limits limits = {.most_chunk = DJ_GPU_MOST};
    dj_gpu_config first = {.use = DJ_CAN_TOTALS}, answered = {0};
    dj_gpu_size_first(&limits, &first);
    dj_gpu_size_first(&limits, &answered);
    assert_true(dj_gpu_bytes(&first) < UINT64_C(2) << 30); // others need some, too
    assert_true(answered.chunk < first.chunk);
    // More keys: capacity for at least twice as many, or the next chunk could be too much again.
    dj_gpu_config small = first;
    dj_gpu_size_more(&limits, many, &small);
    assert_true(small.key_capacity > 2 * many && small.chunk >= small.key_capacity);
    // The length in use follows the keys.
    uint64_t few = dj_gpu_size_chunk(&limits, &small, 1000);
    assert_int_equal(few, first.chunk);
    assert_int_equal(dj_gpu_size_chunk(&limits, &small, few / 4), few);
    assert_int_equal(dj_gpu_size_chunk(&limits, &small, few / 2), 2 * few);
    assert_int_equal(dj_gpu_size_chunk(&limits, &small, small.key_capacity), small.chunk);
    limits.most_chunk = 1 << 20;
    assert_int_equal(dj_gpu_size_chunk(&limits, &small, many), 1 << 20);
    limits.most_chunk = DJ_GPU_MOST;
    // Answers need pinned memory, so their chunks stay short.
    dj_gpu_size_more(&limits, many, &answered);
    assert_true(answered.key_capacity > 2 * many && answered.chunk <= many);
    // Shrinks to what still holds the keys, then stops.
    unsigned steps = 0;
    for (dj_gpu_config before = small; dj_gpu_size_shrink(&limits, many, &small); before = small) {
        assert_true(small.chunk + small.key_capacity < before.chunk + before.key_capacity);
        assert_true(small.key_capacity > many && small.chunk > 0);
        assert_true(++steps < 64);
    }
    assert_true(steps > 3);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, check_nothing_is_held)
    const struct CMUnitTest tests[] = {
        TEST(test_chunks),
        TEST(test_totals),
        TEST(test_growth),
        TEST(test_short_memory_shrinks_chunks),
        TEST(test_short_memory_falls_back),
        TEST(test_failures),
        TEST(test_without_a_device),
        TEST(test_options_are_checked),
        TEST(test_left_alone),
        TEST(test_buffers_wait_for_the_device),
        TEST(test_sizes),
    };
    return cmocka_run_group_tests(tests, make_context, drop_context);
}
