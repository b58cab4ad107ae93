// SPDX-License-Identifier: MIT
// Sources over files and pipes that grow: what is incomplete is held back, and nothing is lost or read twice.
#include <deja/source.h>

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
// cmocka needs the four above it
#include <cmocka.h>

#include "support/context.h"

static char folder[] = "/tmp/deja-test-growing-XXXXXX";
static char path[64];

static int set_up(void **state)
{
    if (!mkdtemp(folder))
        return -1;
    snprintf(path, sizeof path, "%s/trace", folder);
    return make_context(state);
}

static int tear_down(void **state)
{
    unlink(path);
    rmdir(folder);
    return drop_context(state);
}

static void append(const char *text, size_t bytes)
{
    FILE *file = fopen(path, "a");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, bytes, file), bytes);
    assert_int_equal(fclose(file), 0);
}

static dj_source *open_as(const char *format)
{
    const dj_source_options options = {.format = format, .follow = true};
    const char *paths[] = {path};
    dj_source *source = NULL;
    assert_int_equal(dj_source_open(context, paths, 1, &options, &source), DJ_OK);
    return source;
}

// The next batch, or the next with accesses, has exactly these addresses.
static void expect(dj_source *source, const uint64_t *addresses, uint32_t count)
{
    dj_batch *batch = NULL;
    do {
        dj_batch_release(batch);
        assert_int_equal(dj_source_next(source, context, &batch), DJ_OK);
        assert_non_null(batch);
    } while (batch->count == 0 && count > 0);
    assert_int_equal(batch->count, count);
    for (uint32_t i = 0; i < count; i++)
        assert_int_equal(batch->column.address[i], addresses[i]);
    dj_batch_release(batch);
}

static void lines_are_read_when_they_are_complete(void **state)
{
    (void)state;
    unlink(path);
    append("1\n2\n3", 5);
    dj_source *source = open_as(NULL);
    expect(source, (const uint64_t[]){1, 2}, 2);
    expect(source, NULL, 0); // 3 may be the beginning of a longer number
    append("4\n", 2);
    expect(source, (const uint64_t[]){34}, 1);
    append("\n5\n6\n7\n", 7);
    expect(source, (const uint64_t[]){5, 6, 7}, 3);
    dj_source_close(source);
}

static void records_are_read_when_they_are_complete(void **state)
{
    (void)state;
    unlink(path);
    append("\1\0\0\0\n\0", 6);
    dj_source *source = open_as("u32le");
    expect(source, (const uint64_t[]){1}, 1);
    expect(source, NULL, 0);
    append("\0\1", 2);
    expect(source, (const uint64_t[]){0x0100000a}, 1);
    dj_source_close(source);
}

// All bytes arrive, in many small pieces.
static void every_piece_is_read_once(void **state)
{
    (void)state;
    unlink(path);
    append("0\n", 2);
    dj_source *source = open_as("text");
    uint64_t next = 0;
    for (uint64_t written = 1; next < 300;) {
        dj_batch *batch = NULL;
        assert_int_equal(dj_source_next(source, context, &batch), DJ_OK);
        for (uint32_t i = 0; i < batch->count; i++)
            assert_int_equal(batch->column.address[i], next++);
        dj_batch_release(batch);
        for (int i = 0; i < 30 && written < 300; i++, written++) {
            char line[16];
            int bytes = snprintf(line, sizeof line, "%llu\n", (unsigned long long)written);
            append(line, (size_t)bytes);
        }
    }
    dj_source_close(source);
}

static void a_closed_pipe_ends_the_trace(void **state)
{
    (void)state;
    unlink(path);
    assert_int_equal(mkfifo(path, 0600), 0);
    int both = open(path, O_RDWR); // so that opening it does not wait
    assert_true(both >= 0);
    assert_int_equal(write(both, "1\n2", 3), 3);
    dj_source *source = open_as("text");
    expect(source, (const uint64_t[]){1}, 1);
    expect(source, NULL, 0);
    assert_int_equal(close(both), 0);
    expect(source, (const uint64_t[]){2}, 1); // the last line has no newline
    dj_batch *batch = NULL;
    assert_int_equal(dj_source_next(source, context, &batch), DJ_OK);
    assert_null(batch);
    dj_source_close(source);
}

static void what_was_read_must_stay(void **state)
{
    (void)state;
    dj_batch *batch = NULL;
    unlink(path);
    append("1\n2\n", 4);
    dj_source *source = open_as("text");
    expect(source, (const uint64_t[]){1, 2}, 2);
    assert_int_equal(truncate(path, 2), 0);
    assert_int_equal(dj_source_next(source, context, &batch), DJ_ERR_INPUT);
    assert_non_null(strstr(dj_context_message(context), "shortened to 2 bytes"));
    dj_source_close(source);

    source = open_as("text");
    expect(source, (const uint64_t[]){1}, 1);
    unlink(path);
    assert_int_equal(dj_source_next(source, context, &batch), DJ_ERR_INPUT);
    assert_non_null(strstr(dj_context_message(context), "removed"));
    dj_source_close(source);
}

static void an_endless_line_is_an_error(void **state)
{
    (void)state;
    dj_batch *batch = NULL;
    const size_t bytes = 1800000; // more than a line may have
    char *text = malloc(bytes);
    assert_non_null(text);
    memset(text, '1', bytes);
    unlink(path);
    append("1\n", 2);
    dj_source *source = open_as("text");
    append(text, bytes);
    int err = DJ_OK;
    for (int i = 0; err == DJ_OK && i < 10; i++) {
        err = dj_source_next(source, context, &batch);
        dj_batch_release(batch);
        batch = NULL;
    }
    assert_int_equal(err, DJ_ERR_INPUT);
    assert_non_null(strstr(dj_context_message(context), "longer than 1 MiB"));
    dj_source_close(source);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_are_read_when_they_are_complete),
        cmocka_unit_test(records_are_read_when_they_are_complete),
        cmocka_unit_test(every_piece_is_read_once),
        cmocka_unit_test(a_closed_pipe_ends_the_trace),
        cmocka_unit_test(what_was_read_must_stay),
        cmocka_unit_test(an_endless_line_is_an_error),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
