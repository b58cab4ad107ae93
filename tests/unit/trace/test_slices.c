// SPDX-License-Identifier: MIT
// Files of keys read by several threads produce the same batches as with one thread.
#include <deja/source.h>

#include <endian.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "support/context.h"

enum { BATCH = DJ_BATCH_CAPACITY, LEAST = 4 * BATCH };

typedef struct shape {
    const char *format;
    unsigned width;
    bool big;
} shape;

static const shape shapes[] = {
    {"u64le", 8, false}, {"u64be", 8, true}, {"u32le", 4, false}, {"u32be", 4, true}};

static uint64_t key_of(uint64_t position, unsigned width)
{
    uint64_t key = (position + 1) * UINT64_C(0x9e3779b97f4a7c15);
    return width == 8 ? key : key >> 32;
}

static void write_file(char *path, const shape *s, uint64_t first, uint64_t count, size_t rest)
{
    strcpy(path, "/tmp/deja-test-XXXXXX");
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    FILE *file = fdopen(fd, "w");
    assert_non_null(file);
    for (uint64_t i = 0; i < count; i++) {
        uint64_t key = key_of(first + i, s->width);
        uint64_t wide = s->big ? htobe64(key) : htole64(key);
        uint32_t narrow = s->big ? htobe32((uint32_t)key) : htole32((uint32_t)key);
        assert_int_equal(fwrite(s->width == 8 ? (void *)&wide : (void *)&narrow, s->width, 1, file), 1);
    }
    assert_int_equal(fwrite("rests", 1, rest, file), rest);
    assert_int_equal(fclose(file), 0);
}

static dj_source *open_files(const char *const *paths, size_t count, const char *format, unsigned threads)
{
    const dj_source_options options = {.format = format};
    dj_source *source = NULL;
    assert_int_equal(dj_source_open(context, paths, count, &options, &source), DJ_OK);
    dj_source_use_threads(source, threads);
    return source;
}

// Reads to the end and holds some batches for a while.
static int read_all(dj_source *source, unsigned width, uint64_t *count)
{
    enum { HELD = 5 };
    dj_batch *held[HELD] = {0}, *batch = NULL;
    int err;
    *count = 0;
    for (size_t n = 0; (err = dj_source_next(source, context, &batch)) == DJ_OK && batch; n++) {
        assert_int_equal(batch->first, *count);
        for (uint32_t i = 0; i < batch->count; i++)
            assert_true(batch->column.address[i] == key_of((*count)++, width));
        const dj_batch *old = held[n % HELD];
        if (old)
            assert_true(old->column.address[0] == key_of(old->first, width));
        dj_batch_release(held[n % HELD]);
        held[n % HELD] = batch;
    }
    for (size_t i = 0; i < HELD; i++)
        dj_batch_release(held[i]);
    return err;
}

static void batches_arrive_in_order(void **state)
{
    (void)state;
    static const uint64_t counts[] = {1, LEAST - 1, LEAST, LEAST + 1, 11 * BATCH - 1, 40 * BATCH};
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
        for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
            char path[32];
            const char *const paths[] = {path};
            write_file(path, &shapes[s], 0, counts[i], 0);
            for (unsigned threads = 0; threads < 5; threads += 2 - threads % 2) {
                dj_source *source = open_files(paths, 1, shapes[s].format, threads);
                dj_progress progress;
                uint64_t read = 0;
                assert_int_equal(read_all(source, shapes[s].width, &read), DJ_OK);
                assert_int_equal(read, counts[i]);
                dj_source_progress(source, &progress);
                assert_int_equal(progress.bytes_read, counts[i] * shapes[s].width);
                assert_int_equal(progress.bytes_total, counts[i] * shapes[s].width);
                dj_source_close(source);
            }
            unlink(path);
        }
}

static void files_are_read_in_order(void **state)
{
    (void)state;
    char path[3][32];
    const char *const paths[] = {path[0], path[1], path[2]};
    write_file(path[0], &shapes[0], 0, LEAST + 5, 0);
    write_file(path[1], &shapes[0], LEAST + 5, 3, 0);
    write_file(path[2], &shapes[0], LEAST + 8, LEAST, 0);
    dj_source *source = open_files(paths, 3, "u64le", 3);
    dj_progress progress;
    uint64_t read;
    assert_int_equal(read_all(source, 8, &read), DJ_OK);
    assert_int_equal(read, 2 * LEAST + 8);
    dj_source_progress(source, &progress);
    assert_int_equal(progress.bytes_read, read * 8);
    dj_source_close(source);
    for (size_t i = 0; i < 3; i++)
        unlink(paths[i]);
}

// Complete records count, and the message is the same as with one thread.
static void a_record_cut_short_is_bad_input(void **state)
{
    (void)state;
    static const uint64_t counts[] = {LEAST, LEAST + 7};
    for (size_t i = 0; i < 2; i++) {
        char path[32], message[200];
        const char *const paths[] = {path};
        write_file(path, &shapes[0], 0, counts[i], 5);
        for (unsigned threads = 0; threads < 3; threads++) {
            dj_source *source = open_files(paths, 1, "u64le", threads);
            uint64_t read;
            assert_int_equal(read_all(source, 8, &read), DJ_ERR_INPUT);
            assert_int_equal(read, counts[i]);
            if (threads == 0)
                snprintf(message, sizeof message, "%s", dj_context_message(context));
            assert_string_equal(dj_context_message(context), message);
            dj_source_close(source);
        }
        unlink(path);
    }
}

static void closing_or_truncation_may_end_it_at_any_time(void **state)
{
    (void)state;
    char path[32];
    const char *const paths[] = {path};
    write_file(path, &shapes[0], 0, 100 * BATCH, 0);
    for (unsigned batches = 0; batches < 30; batches += 7) {
        dj_source *source = open_files(paths, 1, "u64le", 2);
        for (unsigned i = 0; i < batches; i++) {
            dj_batch *batch = NULL;
            assert_int_equal(dj_source_next(source, context, &batch), DJ_OK);
            assert_int_equal(batch->count, BATCH);
            dj_batch_release(batch);
        }
        dj_source_close(source);
    }
    // A file that is truncated while it is read ends there, or where it was read ahead to.
    dj_source *source = open_files(paths, 1, "u64le", 2);
    dj_batch *batch = NULL;
    uint64_t read;
    assert_int_equal(dj_source_next(source, context, &batch), DJ_OK);
    dj_batch_release(batch);
    assert_int_equal(truncate(path, 8 * 30 * BATCH), 0);
    for (read = BATCH; dj_source_next(source, context, &batch) == DJ_OK && batch; dj_batch_release(batch))
        read += batch->count;
    assert_true(read >= 30 * BATCH && read < 100 * BATCH);
    dj_source_close(source);
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(batches_arrive_in_order),
        cmocka_unit_test(files_are_read_in_order),
        cmocka_unit_test(a_record_cut_short_is_bad_input),
        cmocka_unit_test(closing_or_truncation_may_end_it_at_any_time),
    };
    return cmocka_run_group_tests(tests, make_context, drop_context);
}
