// SPDX-License-Identifier: MIT
// The byte stream below the readers, its lines, and unusual files.
#include "unit/compress.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "trace/input/input.h"
#include "trace/parse/lines.h"

static dj_context *context;
static char path[] = "/tmp/deja-test-input-XXXXXX";

static int set_up(void **state)
{
    (void)state;
    int fd = mkstemp(path);
    return fd < 0 || close(fd) || dj_context_create(&context);
}

static int tear_down(void **state)
{
    (void)state;
    unlink(path);
    dj_context_destroy(context);
    return 0;
}

static void write_file(const void *data, size_t bytes)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_int_equal(fwrite(data, 1, bytes, file), bytes);
    assert_int_equal(fclose(file), 0);
}

static void lines_are(const char *text, size_t bytes, const char *const *expected, size_t count)
{
    dj_input *input = NULL;
    dj_lines lines;
    dj_line line;
    assert_int_equal(dj_input_open_memory(context, text, bytes, "memory", &input), DJ_OK);
    dj_lines_init(&lines, input);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(dj_lines_next(context, &lines, &line), DJ_OK);
        assert_non_null(line.begin);
        assert_int_equal(line.end - line.begin, strlen(expected[i]));
        assert_memory_equal(line.begin, expected[i], strlen(expected[i]));
        assert_int_equal(lines.number, i + 1);
        assert_ptr_equal(line.begin, text + dj_lines_offset(&lines, line.begin));
    }
    assert_int_equal(dj_lines_next(context, &lines, &line), DJ_OK);
    assert_null(line.begin);
    dj_input_close(input);
}

static void lines_end_in_lf_or_crlf(void **state)
{
    (void)state;
    static const char *const three[] = {"a", "", "bc"};
    lines_are("a\n\nbc\n", 6, three, 3);
    lines_are("a\r\n\r\nbc", 7, three, 3);
    static const char *const nothing[] = {""};
    lines_are("\n", 1, nothing, 1);
    lines_are("", 0, nothing, 0);
    static const char *const carriage[] = {"a\rb", "\r"};
    lines_are("a\rb\r\n\r\r\n", 8, carriage, 2);
}

static void zero_bytes_are_kept(void **state)
{
    (void)state;
    dj_input *input = NULL;
    dj_lines lines;
    dj_line line;
    assert_int_equal(dj_input_open_memory(context, "a\0b\nc", 5, "memory", &input), DJ_OK);
    dj_lines_init(&lines, input);
    assert_int_equal(dj_lines_next(context, &lines, &line), DJ_OK);
    assert_int_equal(line.end - line.begin, 3);
    assert_memory_equal(line.begin, "a\0b", 3);
    dj_input_close(input);
}

// Lines of all lengths, across buffer boundaries, read from a file.
static void lines_cross_buffers(void **state)
{
    (void)state;
    blob text = {0};
    char line_text[3000];
    memset(line_text, 'x', sizeof line_text);
    for (size_t length = 0; length < sizeof line_text; length++) {
        blob_append(&text, line_text, length);
        blob_append(&text, "\r\n", 2);
    }
    write_file(text.data, text.bytes);
    dj_input *input = NULL;
    dj_lines lines;
    dj_line line;
    assert_int_equal(dj_input_open(context, path, &input), DJ_OK);
    assert_false(dj_input_stable(input));
    dj_lines_init(&lines, input);
    uint64_t offset = 0;
    for (size_t length = 0; length < sizeof line_text; length++) {
        assert_int_equal(dj_lines_next(context, &lines, &line), DJ_OK);
        assert_int_equal(line.end - line.begin, length);
        assert_int_equal(dj_lines_offset(&lines, line.begin), offset);
        assert_memory_equal(line.begin, line_text, length);
        offset += length + 2;
    }
    assert_int_equal(dj_lines_next(context, &lines, &line), DJ_OK);
    assert_null(line.begin);
    dj_progress progress;
    dj_input_progress(input, &progress);
    assert_int_equal(progress.bytes_read, text.bytes);
    assert_int_equal(progress.bytes_total, text.bytes);
    dj_input_close(input);
    free(text.data);
}

// "ab\n", then a line of `length` bytes, from memory or a file.
static int read_long_line(size_t length, bool newline, bool from_file)
{
    blob text = {0};
    blob_append(&text, "ab\n", 3);
    uint8_t *xs = malloc(length);
    memset(xs, 'x', length);
    blob_append(&text, xs, length);
    if (newline)
        blob_append(&text, "\r\n", 2);
    dj_input *input = NULL;
    dj_lines lines;
    dj_line line;
    if (from_file)
        write_file(text.data, text.bytes);
    int err = from_file ? dj_input_open(context, path, &input)
                        : dj_input_open_memory(context, text.data, text.bytes, "memory", &input);
    assert_int_equal(err, DJ_OK);
    dj_lines_init(&lines, input);
    assert_int_equal(dj_lines_next(context, &lines, &line), DJ_OK);
    err = dj_lines_next(context, &lines, &line);
    assert_true(err || (size_t)(line.end - line.begin) == length);
    dj_input_close(input);
    free(xs);
    free(text.data);
    return err;
}

static void lines_over_the_limit_are_refused(void **state)
{
    (void)state;
    for (int from_file = 0; from_file < 2; from_file++) {
        for (int newline = 0; newline < 2; newline++) {
            assert_int_equal(read_long_line(DJ_LINE_MOST, newline, from_file), DJ_OK);
            assert_int_equal(read_long_line(DJ_LINE_MOST + 1, newline, from_file), DJ_ERR_INPUT);
            assert_non_null(strstr(dj_context_message(context), ":2 (byte 3): the line is longer"));
        }
        assert_int_equal(read_long_line(5 * DJ_LINE_MOST, false, from_file), DJ_ERR_INPUT);
        assert_non_null(strstr(dj_context_message(context), ":2 (byte 3): the line is longer"));
    }
}

// All complete lines before an error in the compressed data, then the error, repeatedly.
static void complete_lines_come_before_the_error(void **state)
{
    (void)state;
    blob text = {0}, packed = {0};
    for (int i = 0; i < 50000; i++) {
        char number[16];
        int length = snprintf(number, sizeof number, "%d\n", i * 7919);
        blob_append(&text, number, (size_t)length);
    }
    add_gzip(&packed, text.data, text.bytes);
    dj_input *input = NULL;
    dj_lines lines;
    dj_line line;
    assert_int_equal(dj_input_open_memory(context, packed.data, packed.bytes / 2, "cut.gz", &input), DJ_OK);
    dj_lines_init(&lines, input);
    int err = DJ_OK;
    int seen = 0;
    while ((err = dj_lines_next(context, &lines, &line)) == DJ_OK) {
        assert_non_null(line.begin);
        assert_int_equal(atoi(line.begin), seen * 7919);
        seen++;
    }
    assert_true(seen > 10000);
    assert_int_equal(err, DJ_ERR_INPUT);
    dj_fail(context, DJ_ERR_IO, "something else");
    assert_int_equal(dj_lines_next(context, &lines, &line), DJ_ERR_INPUT);
    assert_null(line.begin);
    assert_non_null(strstr(dj_context_message(context), "cut.gz: byte"));
    dj_input_close(input);
    free(text.data);
    free(packed.data);
}

static void peek_returns_as_much_as_requested(void **state)
{
    (void)state;
    blob data = {0};
    for (uint32_t i = 0; i < 200000; i++)
        blob_append(&data, &i, 4);
    write_file(data.data, data.bytes);
    dj_input *input = NULL;
    dj_span span;
    assert_int_equal(dj_input_open(context, path, &input), DJ_OK);
    assert_int_equal(dj_input_peek(context, input, 500000, &span), DJ_OK); // more than the first buffer
    assert_true(span.bytes >= 500000);
    assert_memory_equal(span.data, data.data, span.bytes);
    dj_input_consume(input, 499999);
    assert_int_equal(dj_input_offset(input), 499999);
    uint8_t some[7];
    size_t got = 0;
    assert_int_equal(dj_input_read(context, input, some, 7, &got), DJ_OK);
    assert_int_equal(got, 7);
    assert_memory_equal(some, data.data + 499999, 7);
    assert_int_equal(dj_input_peek(context, input, 400000, &span), DJ_OK); // more than available
    assert_int_equal(span.bytes, data.bytes - 500006);
    assert_memory_equal(span.data, data.data + 500006, span.bytes);
    assert_int_equal(dj_input_peek(context, input, (size_t)DJ_INPUT_MOST + 1, &span), DJ_ERR_INPUT);
    dj_input_close(input);
    free(data.data);
}

// What is left of a file that another process truncates while it is read must not pass for a smaller trace.
static void a_file_that_shrinks_is_bad_input(void **state)
{
    (void)state;
    blob data = {.data = calloc(1, 4 << 20), .bytes = 4 << 20};
    write_file(data.data, data.bytes);
    dj_input *input = NULL;
    dj_span span;
    assert_int_equal(dj_input_open(context, path, &input), DJ_OK);
    assert_int_equal(dj_input_peek(context, input, 1000, &span), DJ_OK);
    assert_int_equal(truncate(path, 1001), 0);
    uint64_t sum = 0;
    int err = DJ_OK;
    do {
        for (size_t i = 0; i < span.bytes; i++)
            sum += span.data[i] + 1u;
        dj_input_consume(input, span.bytes);
        err = dj_input_peek(context, input, 1, &span);
    } while (!err && span.bytes);
    assert_int_equal(err, DJ_ERR_INPUT);
    assert_non_null(strstr(dj_context_message(context), "had 4194304 bytes when it was opened"));
    assert_in_range(sum, 1000, data.bytes - 1);
    dj_input_close(input);
    free(data.data);
}

static void zip_is_read_from_files_only(void **state)
{
    (void)state;
    blob packed = {0};
    add_zip(&packed, "abcdef", 6, 2);
    write_file(packed.data, packed.bytes);
    dj_input *input = NULL;
    dj_span span;
    assert_int_equal(dj_input_open(context, path, &input), DJ_OK);
    assert_int_equal(dj_input_peek(context, input, 7, &span), DJ_OK);
    assert_int_equal(span.bytes, 6);
    assert_memory_equal(span.data, "abcdef", 6);
    dj_input_close(input);

    int ends[2];
    char name[32];
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(write(ends[1], packed.data, packed.bytes), packed.bytes);
    close(ends[1]);
    snprintf(name, sizeof name, "/dev/fd/%d", ends[0]);
    assert_int_equal(dj_input_open(context, name, &input), DJ_ERR_INPUT);
    assert_non_null(strstr(dj_context_message(context), "pipe"));
    close(ends[0]);
    free(packed.data);
}

static void missing_files_and_folders_are_refused(void **state)
{
    (void)state;
    dj_input *input = NULL;
    assert_int_equal(dj_input_open(context, "/nonexistent/trace", &input), DJ_ERR_INPUT);
    assert_non_null(strstr(dj_context_message(context), "/nonexistent/trace: cannot open: No such file"));
    assert_int_equal(dj_input_open(context, "/", &input), DJ_ERR_INPUT);
    assert_non_null(strstr(dj_context_message(context), "directory"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_end_in_lf_or_crlf),
        cmocka_unit_test(zero_bytes_are_kept),
        cmocka_unit_test(lines_cross_buffers),
        cmocka_unit_test(lines_over_the_limit_are_refused),
        cmocka_unit_test(complete_lines_come_before_the_error),
        cmocka_unit_test(peek_returns_as_much_as_requested),
        cmocka_unit_test(a_file_that_shrinks_is_bad_input),
        cmocka_unit_test(zip_is_read_from_files_only),
        cmocka_unit_test(missing_files_and_folders_are_refused),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
