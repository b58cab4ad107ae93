// SPDX-License-Identifier: MIT
// Sources: several files as one, detected and forced formats, empty and unusual files.
#include "support/reading.h"
#include "unit/compress.h"
#include "unit/stream.h"

#include <stdio.h>
#include <unistd.h>

static dj_context *context;
static char folder[] = "/tmp/deja-test-source-XXXXXX";

static int set_up(void **state)
{
    (void)state;
    return !mkdtemp(folder) || dj_context_create(&context);
}

static int tear_down(void **state)
{
    (void)state;
    rmdir(folder);
    dj_context_destroy(context);
    return 0;
}

static const char *write_file(const char *name, const void *data, size_t bytes)
{
    static char paths[4][64];
    static unsigned next;
    char *path = paths[next++ % 4];
    snprintf(path, sizeof paths[0], "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_int_equal(fwrite(data, 1, bytes, file), bytes);
    assert_int_equal(fclose(file), 0);
    return path;
}

static reading *read_files(const char *const *paths, size_t count, const dj_source_options *options)
{
    reading *r = calloc(1, sizeof *r);
    dj_source *source = NULL;
    r->err = dj_source_open(context, paths, count, options, &source);
    if (!r->err)
        reading_drain(r, context, source);
    if (r->err)
        snprintf(r->message, sizeof r->message, "%s", dj_context_message(context));
    if (source) {
        dj_batch *batch = NULL;
        assert_int_equal(dj_source_next(source, context, &batch),
                         DJ_OK); // after the end, or the error: the end
        assert_null(batch);
    }
    dj_source_close(source);
    return r;
}

static void several_files_are_read_as_one(void **state)
{
    (void)state;
    static const uint64_t first[] = {5, 6, 7}, second[] = {8}, third[] = {9, 10};
    blob packed = {0};
    add_zstd(&packed, second, sizeof second);
    const char *paths[] = {write_file("a.u64le", first, sizeof first),
                           write_file("b.u64le.zst", packed.data, packed.bytes),
                           write_file("c.U64", third, sizeof third)};
    reading *r = read_files(paths, 3, NULL);
    assert_int_equal(r->err, DJ_OK);
    assert_string_equal(r->info.format, "u64le");
    assert_string_equal(r->text, "5 6 7 8 9 a");
    free(r);
    for (size_t i = 0; i < 3; i++)
        unlink(paths[i]);
    free(packed.data);
}

// Everything before an error in the second file is kept; the third is not read.
static void a_faulty_file_ends_the_trace_with_its_name(void **state)
{
    (void)state;
    static const uint64_t keys[] = {5, 6, 7};
    const char *paths[] = {write_file("a.u64le", keys, 24), write_file("b.u64le", keys, 13),
                           write_file("c.u64le", keys, 24)};
    reading *r = read_files(paths, 3, NULL);
    assert_int_equal(r->err, DJ_ERR_INPUT);
    assert_int_equal(r->accesses, 4);
    assert_non_null(strstr(r->message, paths[1]));
    assert_non_null(strstr(r->message, "byte 8:"));
    free(r);
    for (size_t i = 0; i < 3; i++)
        unlink(paths[i]);
}

static void all_files_must_have_one_format(void **state)
{
    (void)state;
    static const uint64_t keys[] = {5, 6, 7};
    const char *paths[] = {write_file("a.u64le", keys, 24), write_file("b.u32be", keys, 24)};
    reading *r = read_files(paths, 2, NULL);
    assert_int_equal(r->err, DJ_ERR_INPUT);
    assert_int_equal(r->accesses, 3);
    assert_non_null(strstr(r->message, "b.u32be"));
    assert_non_null(strstr(r->message, "u64le"));
    free(r);
    dj_source_options options = {.format = "u64le"};
    r = read_files(paths, 2, &options);
    assert_int_equal(r->err, DJ_OK);
    assert_int_equal(r->accesses, 6);
    free(r);
    for (size_t i = 0; i < 2; i++)
        unlink(paths[i]);
}

// drmemtrace in two files: sites keep their ids, the module is reported once.
static void sites_continue_in_the_next_file(void **state)
{
    (void)state;
    static const uint8_t bytes[] = {
        25, 0, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0, 22, 0, 4, 0, 9, 0, 0, 0, 0, 0, 0, 0, // header, thread 9
        10, 0, 2, 0, 7, 0, 0, 0, 0, 0, 0, 0, 0,  0, 8, 0, 1, 2, 0, 0, 0, 0, 0, 0, // pc 7 reads 0x201
    };
    const char *paths[] = {write_file("a.trace", bytes, sizeof bytes),
                           write_file("b.trace", bytes, sizeof bytes)};
    reading *r = read_files(paths, 2, NULL);
    assert_int_equal(r->err, DJ_OK);
    assert_string_equal(r->text, "thread9 module0 site0=7 R201+8#0 thread9 R201+8#0");
    free(r);
    for (size_t i = 0; i < 2; i++)
        unlink(paths[i]);
}

// The Deja stream of a trace in memory, as a file.
static const char *write_stream(const char *name, const void *data, size_t bytes)
{
    memory stream;
    dj_sink *sink = open_stream(context, &stream);
    dj_source *source = NULL;
    dj_batch *batch = NULL;
    assert_int_equal(dj_source_open_memory(context, data, bytes, "t", NULL, &source), DJ_OK);
    while (dj_source_next(source, context, &batch) == DJ_OK && batch) {
        assert_int_equal(dj_sink_write(sink, context, batch), DJ_OK);
        dj_batch_release(batch);
    }
    assert_int_equal(dj_sink_finish(sink, context), DJ_OK);
    const char *path = write_file(name, stream.data, stream.bytes);
    dj_sink_destroy(sink);
    dj_source_close(source);
    free(stream.data);
    return path;
}

// Each stream numbers its sites and modules separately; read as one, no two share an id.
static void the_sites_of_two_streams_stay_distinct(void **state)
{
    (void)state;
    uint8_t bytes[] = {
        25, 0, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0, 22, 0, 4, 0, 9, 0, 0, 0, 0, 0, 0, 0, // header, thread 9
        10, 0, 2, 0, 7, 0, 0, 0, 0, 0, 0, 0, 0,  0, 8, 0, 1, 2, 0, 0, 0, 0, 0, 0, // pc 7 reads 0x201
    };
    const char *paths[2];
    paths[0] = write_stream("a.deja", bytes, sizeof bytes);
    bytes[28] = 5; // the other one's site 0 is another instruction
    paths[1] = write_stream("b.deja", bytes, sizeof bytes);
    reading *r = read_files(paths, 2, NULL);
    assert_string_equal(r->message, "");
    assert_string_equal(r->text, "thread9 module0 site0=7 R201+8#0 thread9 module1 site1=5 R201+8#1");
    free(r);
    for (size_t i = 0; i < 2; i++)
        unlink(paths[i]);
}

static void an_empty_trace_is_refused(void **state)
{
    (void)state;
    reading *r = reading_named("nothing.u64le", "", 0, NULL);
    assert_int_equal(r->err, DJ_ERR_INPUT);
    assert_non_null(strstr(r->message, "nothing.u64le"));
    assert_non_null(strstr(r->message, "empty"));
    free(r);
    r = reading_bytes("", 0, &(dj_source_options){.format = "u64le"});
    assert_int_equal(r->err, DJ_ERR_INPUT);
    assert_non_null(strstr(r->message, "no accesses"));
    free(r);
    const char *paths[] = {write_file("a.u64le", "", 0), write_file("b.u64le", "12345678", 8)};
    dj_source_options options = {.format = "u64le"};
    for (size_t i = 0; i < 2; i++) { // only an entirely empty trace is bad
        r = read_files(paths, 2, i ? &options : NULL);
        assert_int_equal(r->err, DJ_OK);
        assert_int_equal(r->accesses, 1);
        free(r);
    }
    r = read_files((const char *[]){paths[0], paths[0]}, 2, NULL);
    assert_int_equal(r->err, DJ_ERR_INPUT);
    free(r);
    blob packed = {0};
    add_gzip(&packed, "", 0);
    r = reading_bytes(packed.data, packed.bytes, &(dj_source_options){.format = "u64le"});
    assert_int_equal(r->err, DJ_ERR_INPUT);
    free(r);
    free(packed.data);
    for (size_t i = 0; i < 2; i++)
        unlink(paths[i]);
}

static void bad_requests_are_refused(void **state)
{
    (void)state;
    reading *r = reading_bytes("x", 1, &(dj_source_options){.format = "nonsense"});
    assert_int_equal(r->err, DJ_ERR_USAGE);
    assert_non_null(strstr(r->message, "u64le")); // lists the available formats
    free(r);
    const char *twice[] = {"-", "-"};
    r = read_files(twice, 2, NULL);
    assert_int_equal(r->err, DJ_ERR_USAGE);
    free(r);
    r = read_files(twice, 0, NULL);
    assert_int_equal(r->err, DJ_ERR_USAGE);
    free(r);
    const char *missing[] = {write_file("a.u64le", "12345678", 8), "/nonexistent/b"};
    r = read_files(missing, 2, NULL); // reported before hours of work on the first
    assert_int_equal(r->err, DJ_ERR_INPUT);
    assert_int_equal(r->accesses, 0);
    free(r);
    unlink(missing[0]);
}

// Whatever the name says, bytes that are not text are never read as a text format.
static void binary_data_is_not_text(void **state)
{
    (void)state;
    static const char *const heads[] = {"12\n34\n\x01", "12\n\x7f", "12\n\xff\xfe", "12\n\xc3(", "\xf5\n"};
    static const char *const names[] = {"a.txt", "a.csv", "a.lis", "a"};
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++) {
        for (size_t j = 0; j < sizeof names / sizeof *names; j++) {
            reading *r = reading_named(names[j], heads[i], strlen(heads[i]), NULL);
            assert_int_equal(r->err, DJ_ERR_INPUT);
            assert_non_null(strstr(r->message, "binary"));
            assert_non_null(strstr(r->message, "--format"));
            free(r);
        }
    }
}

static void memory_is_not_copied(void **state)
{
    (void)state;
    static uint64_t keys[DJ_BATCH_CAPACITY + 10];
    dj_source_options options = {.format = "u64le"};
    dj_source *source = NULL;
    dj_batch *batch = NULL;
    assert_int_equal(dj_source_open_memory(context, keys, sizeof keys, "keys", &options, &source), DJ_OK);
    assert_int_equal(dj_source_next(source, context, &batch), DJ_OK);
    assert_ptr_equal(batch->column.address, keys);
    assert_int_equal(batch->count, DJ_BATCH_CAPACITY);
    dj_batch_release(batch);
    dj_progress progress;
    dj_source_progress(source, &progress);
    assert_int_equal(progress.bytes_read, DJ_BATCH_CAPACITY * 8);
    assert_int_equal(progress.bytes_total, sizeof keys);
    assert_int_equal(dj_source_next(source, context, &batch), DJ_OK);
    assert_ptr_equal(batch->column.address, keys + DJ_BATCH_CAPACITY);
    assert_int_equal(batch->first, DJ_BATCH_CAPACITY);
    assert_int_equal(batch->count, 10);
    dj_batch_release(batch);
    dj_source_close(source);
}

static void formats_are_listed(void **state)
{
    (void)state;
    dj_format_info info, other;
    assert_true(dj_format_count() > 0);
    for (size_t i = 0; i < dj_format_count(); i++) {
        assert_int_equal(dj_format_get(i, &info), DJ_OK);
        assert_true(info.name[0] && info.summary[0]);
        for (size_t j = 0; j < i; j++) {
            dj_format_get(j, &other);
            assert_string_not_equal(info.name, other.name);
        }
    }
    assert_int_not_equal(dj_format_get(dj_format_count(), &info), DJ_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(several_files_are_read_as_one),
        cmocka_unit_test(a_faulty_file_ends_the_trace_with_its_name),
        cmocka_unit_test(all_files_must_have_one_format),
        cmocka_unit_test(sites_continue_in_the_next_file),
        cmocka_unit_test(the_sites_of_two_streams_stay_distinct),
        cmocka_unit_test(an_empty_trace_is_refused),
        cmocka_unit_test(bad_requests_are_refused),
        cmocka_unit_test(binary_data_is_not_text),
        cmocka_unit_test(memory_is_not_copied),
        cmocka_unit_test(formats_are_listed),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
