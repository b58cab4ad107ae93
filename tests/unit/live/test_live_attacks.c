// SPDX-License-Identifier: MIT
// Rings that are truncated, overwritten or grown at random times while a stream is read from them. The stream
// ends, with an error that has a message, or without one, and never touches memory that is not there.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>

#include "live/stream.h"
#include "support/context.h"
#include "support/ring.h"

enum { FRAMES = 4, EACH = 1000, ROUNDS = 20, WRITER_MS = 400 };

static test_ring ring;
static size_t accesses; // that read_all returned

static uint64_t next_random(uint64_t *random)
{
    *random = *random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return *random >> 33;
}

static int64_t now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

// Publishes frames until nobody reads any more, for WRITER_MS at most.
static void run_writer(void)
{
    words w = {.count = 0};
    static const int fatal[] = {SIGBUS, SIGFPE, SIGSEGV, SIGILL}; // cmocka would go on with the next test
    for (size_t i = 0; i < sizeof fatal / sizeof *fatal; i++)
        signal(fatal[i], SIG_DFL);
    ring.ring->pid = (uint32_t)getpid();
    put_text(&w, DJ_RECORD_PROCESS, 0, NULL, 0, "./program");
    PUT(&w, DJ_RECORD_DEFINE, 0, 0x10, DJ_ENDING_NONE, 0, 0x10, describe(8, DJ_KIND_READ, 0));
    int64_t end = now_ms() + WRITER_MS;
    do {
        for (uint64_t i = 0; i < EACH; i++)
            PUT(&w, DJ_RECORD_SEGMENT, 0, 8 * i);
        write_words(&ring, &w);
        publish(&ring);
        w.count = 0;
    } while (!__atomic_load_n(&ring.ring->detach, __ATOMIC_SEQ_CST) && now_ms() < end);
    set_state(&ring, DJ_RING_ENDED);
    _exit(0);
}

static pid_t start_writer(void)
{
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0)
        run_writer();
    for (int i = 0; i < 100000 && __atomic_load_n(&ring.ring->published, __ATOMIC_ACQUIRE) == 0; i++)
        usleep(100);
    return child;
}

// In a process of its own: it may touch what it has cut off itself.
static pid_t start_attacker(void (*attack)(int fd, uint64_t *random), uint64_t seed)
{
    pid_t child = fork();
    assert_true(child >= 0);
    if (child != 0)
        return child;
    uint64_t random = seed;
    int fd = open(ring.path, O_RDWR);
    usleep((useconds_t)(next_random(&random) % 20000));
    attack(fd, &random);
    _exit(0);
}

static int read_all(dj_stream *stream)
{
    dj_source *source = NULL;
    dj_batch *batch = NULL;
    int err;
    accesses = 0;
    assert_int_equal(dj_stream_source(stream, context, &source), DJ_OK);
    do {
        err = dj_source_next(source, context, &batch);
        accesses += batch ? batch->count : 0;
        dj_batch_release(batch);
    } while (!err && batch);
    dj_source_close(source);
    return err;
}

static void cut(int fd, uint64_t *random)
{
    static const off_t lengths[] = {0, 64, 4096, 98304, DJ_RING_HEADER_BYTES, DJ_RING_HEADER_BYTES + 4096};
    if (ftruncate(fd, lengths[next_random(random) % (sizeof lengths / sizeof *lengths)]) != 0)
        abort();
}

static void cut_and_restore(int fd, uint64_t *random)
{
    cut(fd, random);
    if (ftruncate(fd, (off_t)ring.bytes) != 0)
        abort();
}

static void overwrite(int fd, uint64_t *random)
{
    for (int i = 0; i < 200; i++) {
        uint64_t noise = next_random(random) << 32 | next_random(random);
        size_t within = next_random(random) % 2 ? DJ_RING_HEADER_BYTES : ring.bytes - sizeof noise;
        off_t at = (off_t)(next_random(random) % within);
        if (pwrite(fd, &noise, 1 + next_random(random) % sizeof noise, at) < 0)
            abort();
        usleep(20);
    }
}

// Returns how many streams ended with an error.
static int repeat(void (*attack)(int fd, uint64_t *random))
{
    int failed = 0;
    for (uint64_t seed = 1; seed <= ROUNDS; seed++) {
        dj_stream *stream = NULL;
        assert_int_equal(make_ring(&ring, FRAMES), 0);
        pid_t writer = start_writer(), attacker = start_attacker(attack, seed);
        int err = dj_stream_open(context, ring.path, NULL, &stream);
        if (!err)
            err = read_all(stream);
        dj_stream_close(stream);
        failed += err != DJ_OK;
        assert_true(err == DJ_OK || err == DJ_ERR_INPUT);
        if (err)
            assert_int_not_equal(strlen(dj_context_message(context)), 0);
        kill(writer, SIGKILL);
        assert_int_equal(waitpid(writer, NULL, 0), writer);
        int status;
        assert_int_equal(waitpid(attacker, &status, 0), attacker);
        assert_int_equal(status, 0);
        drop_ring(&ring);
    }
    return failed;
}

static void a_truncated_ring_ends_the_stream(void **state)
{
    (void)state;
    assert_int_equal(repeat(cut), ROUNDS);
    assert_true(repeat(cut_and_restore) > ROUNDS / 2); // unless nothing was lost
}

static void an_overwritten_ring_ends_the_stream(void **state)
{
    (void)state;
    assert_true(repeat(overwrite) > ROUNDS / 2);
}

// Without a writer, so that the time of the attack is exact.
static void the_message_names_the_process(void **state)
{
    (void)state;
    dj_stream *stream = NULL;
    assert_int_equal(make_ring(&ring, FRAMES), 0);
    assert_int_equal(dj_stream_open(context, ring.path, NULL, &stream), DJ_OK);
    assert_int_equal(truncate(ring.path, 100), 0);
    assert_int_equal(read_all(stream), DJ_ERR_INPUT);
    char expected[64];
    snprintf(expected, sizeof expected, "process %d is traced was truncated", (int)getpid());
    assert_non_null(strstr(dj_context_message(context), expected));
    dj_stream_close(stream);
    drop_ring(&ring);
}

// Cuts the last words off a published frame, and nothing else of its last page: reading it does not fault.
static void the_end_of_a_page_is_missed(void **state)
{
    (void)state;
    enum { LOST_MOST = 3 };
    for (off_t lost = 1; lost <= LOST_MOST; lost++) {
        dj_stream *stream = NULL;
        words w = {.count = 0};
        assert_int_equal(make_ring(&ring, FRAMES), 0);
        put_text(&w, DJ_RECORD_PROCESS, 0, NULL, 0, "./program");
        PUT(&w, DJ_RECORD_DEFINE, 0, 0x10, DJ_ENDING_NONE, 0, 0x10, describe(8, DJ_KIND_READ, 0));
        for (uint64_t i = 0; i < EACH; i++)
            PUT(&w, DJ_RECORD_SEGMENT, 0, 8 * i + 8);
        off_t end = DJ_RING_HEADER_BYTES + (off_t)(w.count * sizeof(uint64_t));
        assert_true(end % 4096 > LOST_MOST * 8);
        write_words(&ring, &w);
        publish(&ring);
        assert_int_equal(dj_stream_open(context, ring.path, NULL, &stream), DJ_OK);
        assert_int_equal(truncate(ring.path, end - 8 * lost), 0);
        assert_int_equal(read_all(stream), DJ_ERR_INPUT);
        assert_non_null(strstr(dj_context_message(context), "was truncated"));
        assert_int_equal(accesses, 0);
        dj_stream_close(stream);
        drop_ring(&ring);
    }
}

// A tracer waits for space because the count of the analyzer was overwritten.
static void a_count_that_the_program_changed_is_restored(void **state)
{
    (void)state;
    dj_stream *stream = NULL;
    assert_int_equal(make_ring(&ring, FRAMES), 0);
    pid_t child = start_writer();
    assert_int_equal(dj_stream_open(context, ring.path, NULL, &stream), DJ_OK);
    for (int i = 0; i < 20; i++) {
        __atomic_store_n(&ring.ring->consumed, 0, __ATOMIC_SEQ_CST);
        usleep(1000);
    }
    assert_int_equal(read_all(stream), DJ_OK); // the writer ends after WRITER_MS
    dj_stream_close(stream);
    assert_int_equal(waitpid(child, NULL, 0), child);
    drop_ring(&ring);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_truncated_ring_ends_the_stream),
        cmocka_unit_test(an_overwritten_ring_ends_the_stream),
        cmocka_unit_test(the_message_names_the_process),
        cmocka_unit_test(the_end_of_a_page_is_missed),
        cmocka_unit_test(a_count_that_the_program_changed_is_restored),
    };
    return cmocka_run_group_tests(tests, make_context, drop_context);
}
