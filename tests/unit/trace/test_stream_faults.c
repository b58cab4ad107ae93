// SPDX-License-Identifier: MIT
// The Deja stream with errors: truncated, damaged, hostile, its writer killed, the disk full.
#include "unit/stream.h"

#include "base/little_endian.h"
#include "trace/stream/format.h"

#include <signal.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static dj_context *context;
static dj_pool *pool;

static int set_up(void **state)
{
    (void)state;
    return dj_context_create(&context) || dj_pool_create(context, &pool);
}

static int tear_down(void **state)
{
    (void)state;
    dj_pool_destroy(pool);
    dj_context_destroy(context);
    return 0;
}

// Several frames: the columns change from batch to batch.
static void write_small(uint64_t seed, uint32_t batches, uint32_t most, memory *to, trace *expected)
{
    const uint32_t columns[] = {DJ_COLUMN_SITE | DJ_COLUMN_SIZE | DJ_COLUMN_KIND, 0, ALL_COLUMNS,
                                DJ_COLUMN_DEVICE, DJ_COLUMN_SITE};
    dj_random random;
    dj_random_seed(&random, seed);
    shape s = {.address = seed % 4, .sites = 5, .sizes = 3};
    dj_sink *sink = open_stream(context, to);
    *expected = (trace){0};
    for (uint32_t i = 0; i < batches; i++) {
        dj_batch *batch = NULL;
        assert_int_equal(dj_pool_take(context, pool, &batch), DJ_OK);
        fill_batch(&random, &s, batch, 1 + (uint32_t)dj_random_below(&random, most), columns[i % 5]);
        add_events(&random, context, batch, 3);
        trace_add(expected, batch);
        assert_int_equal(dj_sink_write(sink, context, batch), DJ_OK);
        dj_batch_release(batch);
    }
    assert_int_equal(dj_sink_finish(sink, context), DJ_OK);
    dj_sink_destroy(sink);
}

// Accesses in the complete frames of the first `bytes` bytes.
static uint64_t whole_accesses(const memory *stream, size_t bytes)
{
    size_t at = dj_read_le32(stream->data + 12);
    uint64_t accesses = 0;
    while (at + DJ_FRAME_HEADER_BYTES <= bytes) {
        dj_frame_header header;
        assert_int_equal(dj_frame_header_unpack(context, stream->data + at, &header), DJ_OK);
        at += DJ_FRAME_HEADER_BYTES + header.payload_bytes;
        if (at <= bytes && header.type == DJ_FRAME_ACCESSES)
            accesses += header.count;
    }
    return accesses;
}

static void a_stream_cut_anywhere_is_refused_after_its_complete_frames(void **state)
{
    (void)state;
    memory stream;
    trace expected, got;
    write_small(1, 5, 12, &stream, &expected);
    for (size_t bytes = 0; bytes < stream.bytes; bytes++) {
        uint8_t *copy = malloc(bytes + 1); // the exact size, so that a sanitizer detects reads beyond it
        assert_non_null(copy);
        memcpy(copy, stream.data, bytes);
        int err = read_stream(context, copy, bytes, &got);
        assert_int_equal(err, DJ_ERR_INPUT);
        assert_non_null(strstr(dj_context_message(context), "stream: "));
        expect_trace(&got, &expected, false);
        if (bytes > DJ_STREAM_HEADER_BYTES)
            assert_int_equal(got.count, whole_accesses(&stream, bytes));
        trace_free(&got);
        free(copy);
    }
    trace_free(&expected);
    free(stream.data);
}

static void bytes_after_the_end_are_refused(void **state)
{
    (void)state;
    memory stream;
    trace expected, got;
    write_small(2, 3, 9, &stream, &expected);
    append(&stream, context, "x", 1);
    assert_int_equal(read_stream(context, stream.data, stream.bytes, &got), DJ_ERR_INPUT);
    assert_non_null(strstr(dj_context_message(context), "after the end"));
    expect_trace(&got, &expected, true);
    trace_free(&got);
    trace_free(&expected);
    free(stream.data);
}

// Every bit of the stream matters, and each wrong one is detected.
static void every_flipped_bit_is_detected(void **state)
{
    (void)state;
    memory stream;
    trace expected, got;
    write_small(3, 5, 12, &stream, &expected);
    for (size_t bit = 0; bit < 8 * stream.bytes; bit++) {
        stream.data[bit / 8] ^= (uint8_t)(1u << bit % 8);
        assert_int_equal(read_stream(context, stream.data, stream.bytes, &got), DJ_ERR_INPUT);
        expect_trace(&got, &expected, false);
        trace_free(&got);
        stream.data[bit / 8] ^= (uint8_t)(1u << bit % 8);
    }
    trace_free(&expected);
    free(stream.data);
}

// Corrects the checksums of a damaged stream, as far as its frames can be followed.
static void forge_checksums(memory *stream)
{
    size_t header = dj_read_le32(stream->data + 12);
    if (header < 64 || header > stream->bytes)
        return;
    dj_write_le64(stream->data + header - 8, dj_stream_checksum(stream->data, header - 8));
    for (size_t at = header; at + DJ_FRAME_HEADER_BYTES <= stream->bytes;) {
        uint8_t *frame = stream->data + at;
        size_t payload = dj_read_le32(frame + 8);
        if (payload <= stream->bytes - at - DJ_FRAME_HEADER_BYTES)
            dj_write_le64(frame + 32, dj_stream_checksum(frame + DJ_FRAME_HEADER_BYTES, payload));
        dj_write_le64(frame + 40, dj_stream_checksum(frame, 40));
        at += DJ_FRAME_HEADER_BYTES + payload;
    }
}

static uint8_t damaged(dj_random *random, uint8_t byte)
{
    switch (dj_random_below(random, 3)) {
    case 0:
        return (uint8_t)dj_random_next(random);
    case 1:
        return (uint8_t)(byte ^ (1u << dj_random_below(random, 8)));
    default:
        return dj_random_below(random, 2) ? 0xff : 0;
    }
}

// With valid checksums anything may be read, but nothing bad may happen (under a sanitizer).
static void hostile_streams_are_read_or_refused(void **state)
{
    (void)state;
    dj_random random;
    dj_random_seed(&random, 42);
    unsigned good = 0, bad = 0;
    for (unsigned round = 0; round < 40; round++) {
        memory stream;
        trace expected, got;
        write_small(round, 1 + round % 5, 60, &stream, &expected);
        trace_free(&expected);
        for (unsigned trial = 0; trial < 200; trial++) {
            memory copy = {0};
            append(&copy, context, stream.data, stream.bytes);
            for (uint64_t n = 1 + dj_random_below(&random, 4); n > 0; n--) {
                uint8_t *at = &copy.data[dj_random_below(&random, copy.bytes)];
                *at = damaged(&random, *at);
            }
            forge_checksums(&copy);
            int err = read_stream(context, copy.data, copy.bytes, &got);
            assert_true(err == DJ_OK || err == DJ_ERR_INPUT);
            *(err ? &bad : &good) += 1;
            trace_free(&got);
            free(copy.data);
        }
        free(stream.data);
    }
    assert_true(good > 100 && bad > 100);
}

static dj_batch *numbered_batch(uint64_t first)
{
    dj_batch *batch = NULL;
    assert_int_equal(dj_pool_take(context, pool, &batch), DJ_OK);
    for (uint32_t i = 0; i < DJ_BATCH_CAPACITY; i++)
        dj_batch_writable(batch).address[i] = dj_random_mix(first + i);
    batch->count = DJ_BATCH_CAPACITY;
    dj_batch_set_columns(batch, 0);
    return batch;
}

static int write_for_ever(FILE *file)
{
    dj_sink_output output = dj_sink_output_file(file);
    dj_source_info info = {.format = "test", .kind = DJ_CLASS_KEYS, .default_block = 1};
    dj_sink *sink = NULL;
    int err = dj_sink_create(context, "deja", &output, &info, NULL, &sink);
    for (uint64_t first = 0; !err; first += DJ_BATCH_CAPACITY) {
        dj_batch *batch = numbered_batch(first);
        err = dj_sink_write(sink, context, batch);
        dj_batch_release(batch);
    }
    dj_sink_destroy(sink);
    return err;
}

static void a_killed_writer_leaves_its_complete_frames(void **state)
{
    (void)state;
    char path[] = "/tmp/deja-killed-XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0)
        _exit(write_for_ever(fdopen(fd, "wb")) != DJ_OK);
    struct stat file = {0};
    while (file.st_size < 20 << 20 && waitpid(child, NULL, WNOHANG) == 0) {
        usleep(1000);
        assert_int_equal(fstat(fd, &file), 0);
    }
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);

    dj_source *source = NULL;
    dj_batch *batch = NULL;
    const char *paths[] = {path};
    uint64_t count = 0;
    assert_int_equal(dj_source_open(context, paths, 1, NULL, &source), DJ_OK);
    int err;
    while ((err = dj_source_next(source, context, &batch)) == DJ_OK && batch) {
        for (uint32_t i = 0; i < batch->count; i++)
            assert_true(batch->column.address[i] == dj_random_mix(count + i));
        count += batch->count;
        dj_batch_release(batch);
    }
    assert_int_equal(err, DJ_ERR_INPUT);
    assert_non_null(strstr(dj_context_message(context), "cut short"));
    assert_true(count >= 8 << 18); // 20 MiB of incompressible keys, minus what was in flight
    dj_source_close(source);
    close(fd);
    unlink(path);
}

static void a_full_disk_is_reported(void **state)
{
    (void)state;
    FILE *full = fopen("/dev/full", "wb");
    if (!full)
        skip();
    assert_int_equal(write_for_ever(full), DJ_ERR_IO);
    assert_non_null(strstr(dj_context_message(context), "No space left"));
    fclose(full);
}

static void a_closed_pipe_is_reported(void **state)
{
    (void)state;
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    close(ends[0]);
    signal(SIGPIPE, SIG_IGN);
    FILE *file = fdopen(ends[1], "wb");
    assert_int_equal(write_for_ever(file), DJ_ERR_IO);
    assert_non_null(strstr(dj_context_message(context), "Broken pipe"));
    fclose(file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_stream_cut_anywhere_is_refused_after_its_complete_frames),
        cmocka_unit_test(bytes_after_the_end_are_refused),
        cmocka_unit_test(every_flipped_bit_is_detected),
        cmocka_unit_test(hostile_streams_are_read_or_refused),

        cmocka_unit_test(a_killed_writer_leaves_its_complete_frames),
        cmocka_unit_test(a_full_disk_is_reported),
        cmocka_unit_test(a_closed_pipe_is_reported),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
