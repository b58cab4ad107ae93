// SPDX-License-Identifier: MIT
// Edge cases of engine fast: the boundary of the window, the boundaries of blocks, groups and levels of
// the timeline, a hash table that grows, overflows or is attacked, and memory.
#include "support/streams.h"

#include <deja/deja.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <setjmp.h>
#include <stdarg.h>
// cmocka needs the four above it
#include <cmocka.h>

#include "support/fast_paths.h"
#include "support/one_hash.h"
#include "support/sanitized.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { CAN_LIMIT = 0 }; // their shadow memory needs terabytes of address space
#else
enum { CAN_LIMIT = 1 };
#endif

// In a cycle over n keys every reuse has distance n − 1.
static void test_cycles_around_the_window(void **state)
{
    (void)state;
    enum { COUNT = 5000 };
    static const size_t pieces[] = {1, 7, 2048, COUNT};
    static uint64_t keys[COUNT], distances[COUNT];
    for (size_t p = 0; p < PATHS; p++)
        for (uint64_t n = 1; n <= 3 * DJ_FAST_WINDOW; n += SANITIZED_STEP)
            for (size_t q = 0; q < sizeof pieces / sizeof pieces[0]; q++) {
                dj_fast *f = make(paths[p], 0);
                if (!f)
                    continue;
                for (uint64_t i = 0; i < COUNT; i++)
                    keys[i] = i % n; // 0 among them
                assert_int_equal(push(f, keys, COUNT, pieces[q], distances), DJ_OK);
                for (uint64_t i = 0; i < COUNT; i++)
                    assert_int_equal(distances[i], i < n ? DJ_COLD : n - 1);
                destroy(f);
            }
}

// A run of every length, and one lag on either side of the boundary of the window.
static void test_runs_of_all_lengths(void **state)
{
    (void)state;
    enum { COUNT = 40000 / SANITIZED_SHARE };
    static uint64_t keys[COUNT];
    uint64_t rng = 5, fresh = 1000;
    for (size_t i = 0; i < COUNT;) {
        size_t lag = 1 + random_below(&rng, DJ_FAST_WINDOW + 2), length = 1 + random_below(&rng, 300);
        uint64_t key = random_below(&rng, 20);
        for (size_t j = 0; j < length && i < COUNT; j++, i++)
            keys[i] = j % lag == 0 ? key : random_below(&rng, 3) ? fresh++ : 100 + random_below(&rng, 400);
    }
    for (size_t p = 0; p < PATHS; p++)
        for (size_t piece = 1; piece <= 16384; piece *= 4) {
            dj_fast *f = make(paths[p], 0);
            if (!f)
                continue;
            check_against_tree(f, keys, COUNT, piece);
            destroy(f);
        }
}

// A timeline without bits has only counts of 0, so it may begin anywhere.
static void begin_at(dj_fast *f, uint32_t block)
{
    dj_fast_timeline_destroy(&f->timeline);
    assert_int_equal(dj_fast_timeline_create(&f->timeline, context, &f->footprint, block + 60), DJ_OK);
    f->timeline.now = block * DJ_FAST_BLOCK_POINTS + 400;
}

static void test_borders_of_the_timeline(void **state)
{
    (void)state;
    enum { COUNT = 12000 };
    // A group, a node and the limits of each level of counts end with these blocks.
    static const uint32_t blocks[] = {0, 31, 63, 511, 2047, 8191, 16383, 32767, 131071, 524287};
    static uint64_t keys[COUNT];
    uint64_t rng = 9;
    order_skewed(keys, COUNT, 900, &rng);
    for (size_t p = 0; p < PATHS; p++)
        for (size_t b = SANITIZED_SHARE > 1 ? p : 0;
             b<sizeof blocks / sizeof blocks[0]; b += SANITIZED_SHARE> 1 ? PATHS : 1) {
            dj_fast *f = make(paths[p], 0);
            if (!f)
                continue;
            begin_at(f, blocks[b]);
            check_against_tree(f, keys, COUNT, 16384);
            assert_true(f->timeline.now / DJ_FAST_BLOCK_POINTS > blocks[b] + 1); // it crossed the boundary
            destroy(f);
        }
}

static void test_timeline_extends_at_borders(void **state)
{
    (void)state;
    for (uint32_t blocks = 1; blocks < 5000; blocks = blocks * 2 + 1) {
        dj_fast_timeline t;
        dj_footprint footprint = {0};
        assert_int_equal(dj_fast_timeline_create(&t, context, &footprint, blocks), DJ_OK);
        uint64_t count = dj_fast_timeline_left(&t), rest = 3 * DJ_FAST_BLOCK_BITS + 17;
        assert_int_equal(count, (uint64_t)blocks * DJ_FAST_BLOCK_BITS - 1);
        dj_fast_timeline_append(&t, count);
        assert_int_equal(dj_fast_timeline_left(&t), 0);
        assert_int_equal(dj_fast_timeline_extend(&t, context, 2 * blocks + 8), DJ_OK);
        dj_fast_timeline_append(&t, rest);
        for (uint64_t i = 0; i < count + rest; i += 1 + i / 7)
            assert_int_equal(dj_fast_timeline_before(&t, dj_fast_timeline_point(i)), i);
        dj_fast_timeline_reset(&t, 5);
        assert_int_equal(dj_fast_timeline_before(&t, t.now), 5);
        dj_fast_timeline_destroy(&t);
        assert_int_equal(footprint.bytes, 0);
    }
}

static void test_keys_of_one_hash(void **state)
{
    (void)state;
    enum { COUNT = 30000, KEYS = 4000 };
    static uint64_t keys[COUNT];
    uint64_t rng = 3;
    for (size_t i = 0; i < COUNT; i++) {
        keys[i] = key_of_hash(0xabcdef01, (uint32_t)random_below(&rng, i < 9000 ? 1 + i / 4 : KEYS));
        assert_int_equal(dj_fast_hash(keys[i], 0), 0xabcdef01);
    }
    for (size_t p = 0; p < PATHS; p++) {
        dj_fast *f = make(paths[p], 0);
        if (!f)
            continue;
        check_against_tree(f, keys, COUNT, 1000);
        assert_int_not_equal(((dj_fast_hashed *)(void *)f)->table.seed, 0); // it was detected
        assert_false(((dj_fast_hashed *)(void *)f)->table.crowded);
        destroy(f);
    }
}

// Full lines at the end of the table overflow to its beginning.
static void test_overflow_at_the_end(void **state)
{
    (void)state;
    enum { COUNT = 2000 };
    static uint64_t keys[COUNT];
    for (uint32_t i = 0; i < COUNT; i++)
        keys[i] = key_of_hash(UINT32_MAX, i % 300);
    for (size_t p = 0; p < PATHS; p++) {
        dj_fast *f = make(paths[p], 0);
        if (!f)
            continue;
        check_against_tree(f, keys, COUNT, 16384);
        assert_int_equal(((dj_fast_hashed *)(void *)f)->table.lines[0].used, DJ_FAST_WAYS);
        destroy(f);
    }
}

// New keys only: at most 40 bytes per key, 64 at any time, and 4 for tags and 8 for times.
static void check_memory(uint32_t use, uint64_t extra)
{
    enum { PIECE = 16384, PIECES = 120 };
    static uint64_t keys[PIECE], distances[PIECE], stamps[PIECE];
    static uint32_t tags[PIECE];
    const dj_engine_ops *engine = dj_engine_find("fast");
    dj_engine_params params = {.use = use};
    void *f = NULL;
    assert_int_equal(engine->create(context, &params, &f), DJ_OK);
    for (uint64_t n = 0; n < PIECES; n++) {
        dj_work work = {.count = PIECE, .key = keys, .tag = tags, .time = stamps};
        work.distance = work.prev_time = distances;
        work.prev_tag = tags;
        for (uint64_t i = 0; i < PIECE; i++)
            keys[i] = n * PIECE + i;
        assert_int_equal(engine->push(f, context, &work), DJ_OK);
        dj_engine_stats stats;
        engine->stats(f, &stats);
        assert_int_equal(stats.keys, (n + 1) * PIECE);
        if (n < 8)
            continue; // constant overhead still dominates
        assert_in_range(stats.bytes, 12 * stats.keys, (40 + extra) * stats.keys);
        assert_in_range(stats.peak_bytes, stats.bytes, (64 + extra) * stats.keys);
    }
    engine->destroy(f);
}

static void test_memory(void **state)
{
    (void)state;
    check_memory(0, 0);
    check_memory(DJ_CAN_TAGS, 4);
    check_memory(DJ_CAN_TIMES, 8);
    check_memory(DJ_CAN_TAGS | DJ_CAN_TIMES, 12);
}

static void test_too_many_keys(void **state)
{
    (void)state;
    dj_fast_table table;
    dj_footprint footprint = {0};
    bool moved = true;
    assert_int_equal(dj_fast_table_create(&table, context, &footprint, &(dj_engine_params){0}), DJ_OK);
    const dj_fast_line *lines = table.lines;
    assert_int_equal(dj_fast_table_reserve(&table, context, UINT64_C(1) << 31, &moved), DJ_ERR_MEMORY);
    assert_non_null(strstr(dj_context_message(context), "distinct keys"));
    assert_false(moved);
    assert_ptr_equal(table.lines, lines);
    dj_fast_table_destroy(&table);
    assert_int_equal(footprint.bytes, 0);
}

// 0 if the engine reports that it is out of memory and can be destroyed.
static int exhaust(uint32_t use, rlim_t more_bytes)
{
    static uint64_t keys[DJ_BATCH_CAPACITY], answers[DJ_BATCH_CAPACITY];
    static uint32_t tags[DJ_BATCH_CAPACITY];
    const dj_engine_ops *engine = dj_engine_find("fast");
    unsigned long long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (!file || fscanf(file, "%llu", &pages) != 1)
        return 1;
    fclose(file);
    const rlim_t most = (rlim_t)pages * (rlim_t)sysconf(_SC_PAGESIZE) + more_bytes;
    const struct rlimit limit = {.rlim_cur = most, .rlim_max = most};
    if (setrlimit(RLIMIT_AS, &limit) != 0)
        return 1;
    dj_engine_params params = {.use = use};
    void *f = NULL;
    int err = engine->create(context, &params, &f);
    for (uint64_t n = 0; err == DJ_OK && n < 4000; n++) {
        dj_work work = {.count = DJ_BATCH_CAPACITY, .key = keys, .tag = tags, .time = keys};
        work.distance = work.prev_time = answers;
        work.prev_tag = tags;
        for (uint64_t i = 0; i < DJ_BATCH_CAPACITY; i++)
            keys[i] = n * DJ_BATCH_CAPACITY + i;
        err = engine->push(f, context, &work);
    }
    engine->destroy(f);
    return err == DJ_ERR_MEMORY && strstr(dj_context_message(context), "memory") ? 0 : 2;
}

static void test_out_of_memory(void **state)
{
    (void)state;
    if (!CAN_LIMIT)
        skip();
    for (uint32_t use = 0; use < 4; use++)
        for (rlim_t more = 0; more < 60 << 20; more += 3 << 20) { // each ends in a different allocation
            int status = -1;
            pid_t child = fork();
            assert_true(child >= 0);
            if (child == 0)
                _exit(exhaust((use & 1 ? DJ_CAN_TAGS : 0) | (use & 2 ? DJ_CAN_TIMES : 0), more));
            assert_int_equal(waitpid(child, &status, 0), child);
            assert_int_equal(status, 0);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cycles_around_the_window),
        cmocka_unit_test(test_runs_of_all_lengths),
        cmocka_unit_test(test_borders_of_the_timeline),
        cmocka_unit_test(test_timeline_extends_at_borders),
        cmocka_unit_test(test_keys_of_one_hash),
        cmocka_unit_test(test_overflow_at_the_end),
        cmocka_unit_test(test_memory),
        cmocka_unit_test(test_too_many_keys),
        cmocka_unit_test(test_out_of_memory),
    };
    return cmocka_run_group_tests(tests, make_context, drop_context);
}
