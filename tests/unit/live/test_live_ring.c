// SPDX-License-Identifier: MIT
// Streams from rings in files: written by other processes, which end, are killed or continue after a failed
// exec, and malformed ones.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <signal.h>
#include <sys/wait.h>

#include "live/stream.h"
#include "support/context.h"
#include "support/ring.h"

enum { FRAMES = 4, EACH = 1000 };

static test_ring ring;

static int set_up(void **state)
{
    (void)state;
    return make_ring(&ring, FRAMES);
}

static int tear_down(void **state)
{
    (void)state;
    drop_ring(&ring);
    return 0;
}

static void write_beginning(void)
{
    words w = {.count = 0};
    put_text(&w, DJ_RECORD_PROCESS, 0, NULL, 0, "./program\1x");
    PUT(&w, DJ_RECORD_DEFINE, 0, 0x10, DJ_ENDING_NONE, 0, 0x10, describe(8, DJ_KIND_READ, 0));
    write_words(&ring, &w);
}

// A number of accesses, at 8, 16, … times `frame`.
static void write_accesses(uint64_t frame)
{
    words w = {.count = 0};
    for (uint64_t i = 0; i < EACH; i++)
        PUT(&w, DJ_RECORD_SEGMENT, 0, frame << 32 | 8 * i);
    write_words(&ring, &w);
}

typedef struct result {
    uint64_t accesses, gaps;
    uint64_t digest; // Σ address · position
    int err;
} result;

static result read_all(dj_stream *stream)
{
    dj_source *source = NULL;
    result r = {0};
    dj_batch *batch = NULL;
    assert_int_equal(dj_stream_source(stream, context, &source), DJ_OK);
    do {
        r.err = dj_source_next(source, context, &batch);
        for (uint32_t i = 0; batch && i < batch->count; i++)
            r.digest += batch->column.address[i] * ++r.accesses;
        for (uint32_t i = 0; batch && i < batch->event_count; i++)
            r.gaps += batch->events[i].type == DJ_EVENT_GAP;
        dj_batch_release(batch);
    } while (!r.err && batch);
    dj_source_close(source);
    return r;
}

static uint64_t expected_digest(uint64_t frames)
{
    uint64_t digest = 0, position = 0;
    for (uint64_t frame = 0; frame < frames; frame++)
        for (uint64_t i = 0; i < EACH; i++)
            digest += (frame << 32 | 8 * i) * ++position;
    return digest;
}

static dj_stream *open_stream(void)
{
    dj_stream *stream = NULL;
    assert_int_equal(dj_stream_open(context, ring.path, NULL, &stream), DJ_OK);
    return stream;
}

// Many times around the ring, with reader and writer waiting for each other.
static void all_frames_of_a_process_that_ends_are_read(void **state)
{
    (void)state;
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        ring.ring->pid = (uint32_t)getpid();
        write_beginning();
        for (uint64_t frame = 0; frame < 50; frame++) {
            write_accesses(frame);
            publish(&ring);
        }
        set_state(&ring, DJ_RING_ENDED);
        _exit(0);
    }
    for (int i = 0; i < 100000 && __atomic_load_n(&ring.ring->published, __ATOMIC_ACQUIRE) == 0; i++)
        usleep(100);
    dj_stream *stream = open_stream();
    result r = read_all(stream);
    assert_int_equal(r.err, DJ_OK);
    assert_int_equal(r.accesses, 50 * EACH);
    assert_int_equal(r.digest, expected_digest(50));
    assert_int_equal(r.gaps, 0);
    assert_string_equal(dj_stream_get_info(stream).command, "./program x");
    assert_int_equal(dj_stream_get_info(stream).pid, child);
    assert_false(dj_stream_get_info(stream).killed);
    dj_stream_close(stream);
    assert_int_equal(waitpid(child, NULL, 0), child);
}

// The contents of its last, unpublished frame count too.
static void a_killed_process_keeps_its_last_frame(void **state)
{
    (void)state;
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        ring.ring->pid = (uint32_t)getpid();
        write_beginning();
        write_accesses(0);
        publish(&ring);
        write_accesses(1);
        kill(getpid(), SIGKILL);
    }
    siginfo_t info;
    assert_int_equal(waitid(P_PID, (id_t)child, &info, WEXITED | WNOWAIT), 0);
    dj_stream *stream = open_stream();
    result r = read_all(stream);
    assert_int_equal(r.err, DJ_ERR_INPUT);
    assert_non_null(strstr(dj_context_message(context), "./program x"));
    assert_non_null(strstr(dj_context_message(context), "killed"));
    assert_int_equal(r.accesses, 2 * EACH);
    assert_int_equal(r.digest, expected_digest(2));
    assert_int_equal(r.gaps, 1);
    assert_true(dj_stream_get_info(stream).killed);
    dj_stream_close(stream);
    assert_int_equal(waitpid(child, NULL, 0), child);
}

// The process announces that it is being replaced, and then continues.
static void a_failed_exec_continues_the_stream(void **state)
{
    (void)state;
    int ready[2], go[2];
    char byte = 0;
    assert_int_equal(pipe(ready) | pipe(go), 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        ring.ring->pid = (uint32_t)getpid();
        write_beginning();
        write_accesses(0);
        publish(&ring);
        set_state(&ring, DJ_RING_REPLACED);
        if (write(ready[1], &byte, 1) != 1 || read(go[0], &byte, 1) != 1)
            _exit(1);
        usleep(100000);
        set_state(&ring, DJ_RING_RUNNING);
        write_accesses(1);
        publish(&ring);
        set_state(&ring, DJ_RING_REPLACED);
        execl("/bin/sleep", "sleep", "5", (char *)NULL);
        _exit(1);
    }
    assert_int_equal(read(ready[0], &byte, 1), 1);
    dj_stream *stream = open_stream();
    assert_int_equal(write(go[1], &byte, 1), 1);
    result r = read_all(stream); // ends long before sleep does
    assert_int_equal(r.err, DJ_OK);
    assert_int_equal(r.accesses, 2 * EACH);
    assert_int_equal(kill(child, 0), 0);
    dj_stream_close(stream);
    kill(child, SIGKILL);
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status)); // it was still running
    for (int i = 0; i < 2; i++)
        close(ready[i]), close(go[i]);
}

// Publishes frame `frame`, of which `used` words are used.
static void hand_over(uint32_t frame, uint64_t used)
{
    dj_ring *to = ring.ring;
    to->order[to->published % FRAMES] = frame;
    to->used[frame] = (uint32_t)used;
    to->published++;
}

static void write_at(uint32_t frame, uint64_t tag)
{
    ring.ring->writer[0].cursor = (uint64_t)(uintptr_t)ring_frame(&ring, frame);
    if (tag == 0)
        write_beginning();
    write_accesses(tag);
}

static uint64_t words_at(uint32_t frame)
{
    return (ring.ring->writer[0].cursor - (uint64_t)(uintptr_t)ring_frame(&ring, frame)) / sizeof(uint64_t);
}

static void frames_are_read_in_order_of_publication(void **state)
{
    (void)state;
    static const uint32_t turn[] = {2, 0, 3, 1};
    for (uint64_t i = 0; i < FRAMES; i++) {
        write_at(turn[i], i);
        hand_over(turn[i], words_at(turn[i]));
    }
    ring.ring->writer[0].cursor = 0;
    set_state(&ring, DJ_RING_ENDED);
    dj_stream *stream = open_stream();
    result r = read_all(stream);
    assert_int_equal(r.err, DJ_OK);
    assert_int_equal(r.accesses, FRAMES * EACH);
    assert_int_equal(r.digest, expected_digest(FRAMES));
    dj_stream_close(stream);
}

// A process that has already ended.
static uint32_t dead_process(void)
{
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0)
        _exit(0);
    assert_int_equal(waitpid(child, NULL, 0), child);
    return (uint32_t)child;
}

// One frame was published by a writer that got no further; two others were writing to theirs, and one has a
// frame that it has not begun.
static void unpublished_frames_of_all_writers_are_read(void **state)
{
    (void)state;
    static const uint32_t frame[] = {3, 0, 2};
    ring.ring->pid = dead_process();
    for (uint32_t i = 0; i < 3; i++) {
        write_at(frame[i], i);
        ring.ring->writer[100 + i].cursor = ring.ring->writer[0].cursor;
    }
    ring.ring->writer[DJ_RING_WRITERS - 1].cursor = (uint64_t)(uintptr_t)ring_frame(&ring, 1);
    ring.ring->writer[0].cursor = 0;
    hand_over(3, (ring.ring->writer[100].cursor - (uint64_t)(uintptr_t)ring_frame(&ring, 3)) / 8);
    for (int replaced = 0; replaced < 2; replaced++) {
        char kept[sizeof ring.path + 8];
        snprintf(kept, sizeof kept, "%s.kept", ring.path);
        assert_int_equal(link(ring.path, kept), 0);
        set_state(&ring, replaced ? DJ_RING_REPLACED : DJ_RING_RUNNING);
        dj_stream *stream = open_stream();
        result r = read_all(stream);
        assert_int_equal(r.err, replaced ? DJ_OK : DJ_ERR_INPUT);
        assert_int_equal(r.accesses, 3 * EACH);
        assert_int_equal(r.digest, expected_digest(3));
        dj_stream_close(stream);
        assert_int_equal(rename(kept, ring.path), 0);
    }
}

// Another program replaces the one that wrote, and records nothing.
static void an_exec_that_is_not_announced_ends_the_stream(void **state)
{
    (void)state;
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        ring.ring->pid = (uint32_t)getpid();
        write_beginning();
        write_accesses(0);
        publish(&ring);
        write_accesses(1);
        execl("/bin/sleep", "sleep", "5", (char *)NULL);
        _exit(1);
    }
    for (int i = 0; i < 100000 && __atomic_load_n(&ring.ring->published, __ATOMIC_ACQUIRE) == 0; i++)
        usleep(100);
    dj_stream *stream = open_stream();
    result r = read_all(stream); // ends long before sleep does
    assert_int_equal(r.err, DJ_OK);
    assert_int_equal(r.accesses, 2 * EACH);
    assert_int_equal(kill(child, 0), 0);
    dj_stream_close(stream);
    kill(child, SIGKILL);
    assert_int_equal(waitpid(child, NULL, 0), child);
}

static void closing_detaches_the_program(void **state)
{
    (void)state;
    dj_stream *stream = open_stream();
    assert_int_equal(ring.ring->analyzer_pid, getpid());
    assert_int_equal(ring.ring->detach, 0);
    dj_stream_close(stream);
    assert_int_equal(ring.ring->detach, 1);
    assert_int_not_equal(access(ring.path, F_OK), 0); // the file is no longer needed
}

static bool always(void *user)
{
    (void)user;
    return true;
}

// A full ring of paused and unpaused frames.
static void a_pause_omits_accesses(void **state)
{
    (void)state;
    dj_stream_options options = {.is_paused = always};
    dj_stream *stream = NULL;
    write_beginning();
    write_accesses(0);
    publish(&ring);
    set_state(&ring, DJ_RING_ENDED);
    assert_int_equal(dj_stream_open(context, ring.path, &options, &stream), DJ_OK);
    result r = read_all(stream);
    assert_int_equal(r.err, DJ_OK);
    assert_int_equal(r.accesses, 0);
    assert_int_equal(dj_stream_get_info(stream).left_out, EACH);
    dj_stream_close(stream);
}

static void expect_refusal(const char *message)
{
    dj_stream *stream = NULL;
    assert_int_equal(dj_stream_open(context, ring.path, NULL, &stream), DJ_ERR_INPUT);
    assert_non_null(strstr(dj_context_message(context), message));
}

static void invalid_headers_are_refused(void **state)
{
    (void)state;
    const dj_ring good = *ring.ring;
    ring.ring->magic++;
    expect_refusal("not a ring");
    *ring.ring = good;
    ring.ring->version = DJ_RING_VERSION + 1;
    expect_refusal("version 3");
    *ring.ring = good;
    ring.ring->frames = 1;
    expect_refusal("does not fit");
    ring.ring->frames = DJ_RING_FRAMES_MOST;
    expect_refusal("does not fit");
    ring.ring->frames = UINT32_MAX;
    expect_refusal("does not fit");
    *ring.ring = good;
    ring.ring->frame_words = UINT32_MAX;
    expect_refusal("does not fit");
    ring.ring->frame_words = 0;
    expect_refusal("does not fit");
    *ring.ring = good;
    ring.ring->header_bytes = 64;
    expect_refusal("does not fit");
    ring.ring->header_bytes = UINT32_MAX - 63;
    expect_refusal("does not fit");
    *ring.ring = good;
    assert_int_equal(truncate(ring.path, 100), 0);
    expect_refusal("not a ring");
}

// The ring can be read again afterwards.
static void expect_bad(const char *message, uint64_t accesses)
{
    char kept[sizeof ring.path + 8];
    snprintf(kept, sizeof kept, "%s.kept", ring.path);
    assert_int_equal(link(ring.path, kept), 0);
    dj_stream *stream = open_stream();
    result r = read_all(stream);
    assert_int_equal(r.err, DJ_ERR_INPUT);
    assert_int_equal(r.accesses, accesses);
    if (!strstr(dj_context_message(context), message))
        fail_msg("'%s' is not in '%s'", message, dj_context_message(context));
    dj_stream_close(stream);
    assert_int_equal(rename(kept, ring.path), 0);
}

static void invalid_counts_are_refused(void **state)
{
    (void)state;
    ring.ring->published = FRAMES + 1;
    expect_bad("5 frames at once in a ring of 4", 0);
    ring.ring->published = 1;
    ring.ring->used[0] = FRAME_WORDS + 1;
    expect_bad("8193 words of a frame of 8192", 0);
    ring.ring->order[0] = FRAMES;
    expect_bad("frame 4 of a ring of 4", 0);
}

static void a_bad_word_ends_the_stream_after_good_ones(void **state)
{
    (void)state;
    words w = {.count = 0};
    write_beginning();
    write_accesses(0);
    PUT(&w, DJ_RECORD_SEGMENT, 99, 1);
    write_words(&ring, &w);
    publish(&ring);
    expect_bad("./program x: frame 0, word 2009: segment 99 was never described", EACH);
}

// From a dead process, whose words can only be used as they are.
static void cursors_outside_the_frames_are_ignored(void **state)
{
    (void)state;
    static const uint64_t off[] = {1, UINT64_MAX, FRAMES * FRAME_WORDS * 8 + 8, UINT64_MAX / 2};
    ring.ring->pid = dead_process();
    for (size_t i = 0; i < sizeof off / sizeof *off; i++) {
        ring.ring->writer[0].cursor = ring.ring->base + off[i];
        expect_bad("killed", 0);
    }
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(all_frames_of_a_process_that_ends_are_read),
        TEST(a_killed_process_keeps_its_last_frame),
        TEST(a_failed_exec_continues_the_stream),
        TEST(closing_detaches_the_program),
        TEST(a_pause_omits_accesses),
        TEST(invalid_headers_are_refused),
        TEST(invalid_counts_are_refused),
        TEST(a_bad_word_ends_the_stream_after_good_ones),
        TEST(cursors_outside_the_frames_are_ignored),
        TEST(frames_are_read_in_order_of_publication),
        TEST(unpublished_frames_of_all_writers_are_read),
        TEST(an_exec_that_is_not_announced_ends_the_stream),
    };
    return cmocka_run_group_tests(tests, make_context, drop_context);
}
