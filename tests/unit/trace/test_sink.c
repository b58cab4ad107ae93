// SPDX-License-Identifier: MIT
// The simple sinks: exact bytes, what they refuse, and that readers accept their output.
#include "unit/stream.h"

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

static const dj_source_info keys = {
    .format = "test", .kind = DJ_CLASS_KEYS, .default_block = 1, .columns = ALL_COLUMNS};
static const dj_source_info disk = {.format = "test",
                                    .kind = DJ_CLASS_BLOCK_IO,
                                    .default_block = 4096,
                                    .unit_bytes = 1,
                                    .columns = ALL_COLUMNS,
                                    .default_split = true};

// Three accesses and an event.
static dj_batch *sample(uint32_t columns)
{
    dj_batch *batch = NULL;
    assert_int_equal(dj_pool_take(context, pool, &batch), DJ_OK);
    dj_batch_buffers b = dj_batch_writable(batch);
    const uint64_t addresses[] = {0, 0x01020304, 4294967295u};
    for (uint32_t i = 0; i < 3; i++) {
        b.address[i] = addresses[i];
        b.size[i] = 512 * (uint64_t)i;
        b.kind[i] = (uint8_t)i;
        b.device[i] = 7;
        b.site[i] = i % 2;
    }
    batch->count = 3;
    dj_batch_set_columns(batch, columns);
    assert_int_equal(
        dj_batch_add_event(context, batch, &(dj_event){.index = 1, .type = DJ_EVENT_GAP, .text = ""}), DJ_OK);
    return batch;
}

// Writes a batch twice and returns the first error.
static int write_twice(const char *format, const dj_source_info *info, bool lossy, dj_batch *batch,
                       memory *to, dj_sink_stats *stats)
{
    dj_sink *sink = NULL;
    dj_sink_output output = {append, to};
    dj_sink_options options = {.lossy = lossy};
    *to = (memory){0};
    assert_int_equal(dj_sink_create(context, format, &output, info, &options, &sink), DJ_OK);
    int err = dj_sink_write(sink, context, batch);
    if (!err)
        err = dj_sink_write(sink, context, batch);
    if (!err)
        err = dj_sink_finish(sink, context);
    dj_sink_get_stats(sink, stats);
    dj_sink_destroy(sink);
    dj_batch_release(batch);
    return err;
}

static void expect_bytes(const char *format, const dj_source_info *info, uint32_t columns,
                         const void *expected, size_t bytes, uint32_t dropped)
{
    memory got;
    dj_sink_stats stats;
    assert_int_equal(write_twice(format, info, false, sample(columns), &got, &stats), DJ_OK);
    assert_int_equal(got.bytes, bytes);
    assert_memory_equal(got.data, expected, bytes);
    assert_int_equal(stats.bytes, bytes);
    assert_int_equal(stats.accesses, 6);
    assert_int_equal(stats.dropped_columns, dropped);
    assert_int_equal(stats.dropped_events, 2);
    free(got.data);
}

static void sinks_write_the_expected_bytes(void **state)
{
    (void)state;
#define TWICE(bytes) bytes bytes
    static const char u32le[] = TWICE("\0\0\0\0"
                                      "\4\3\2\1"
                                      "\xff\xff\xff\xff");
    static const char u32be[] = TWICE("\0\0\0\0"
                                      "\1\2\3\4"
                                      "\xff\xff\xff\xff");
    static const char u64le[] = TWICE("\0\0\0\0\0\0\0\0"
                                      "\4\3\2\1\0\0\0\0"
                                      "\xff\xff\xff\xff\0\0\0\0");
    static const char u64be[] = TWICE("\0\0\0\0\0\0\0\0"
                                      "\0\0\0\0\1\2\3\4"
                                      "\0\0\0\0\xff\xff\xff\xff");
    static const char text[] = TWICE("0\n16909060\n4294967295\n");
    expect_bytes("u32le", &keys, 0, u32le, 24, 0);
    expect_bytes("u32be", &keys, DJ_COLUMN_SIZE, u32be, 24, DJ_COLUMN_SIZE);
    expect_bytes("u64le", &keys, DJ_COLUMN_KIND | DJ_COLUMN_SITE, u64le, 48, DJ_COLUMN_KIND | DJ_COLUMN_SITE);
    expect_bytes("u64be", &keys, DJ_COLUMN_DEVICE, u64be, 48, DJ_COLUMN_DEVICE);
    expect_bytes("text", &keys, 0, text, sizeof text - 1, 0);
    expect_bytes("csv", &keys, 0, "key\n0\n16909060\n4294967295\n0\n16909060\n4294967295\n", 48, 0);
    static const char csv[] =
        "device,offset,size,op,site\n" TWICE("7,0,0,R,0\n7,16909060,512,W,1\n7,4294967295,1024,M,0\n");
    expect_bytes("csv", &disk,
                 DJ_COLUMN_SIZE | DJ_COLUMN_KIND | DJ_COLUMN_SITE | DJ_COLUMN_DEVICE | DJ_COLUMN_PLACE, csv,
                 sizeof csv - 1, DJ_COLUMN_PLACE);
}

static void csv_has_a_column_of_threads(void **state)
{
    (void)state;
    static const char threads[] = "thread,key\n" TWICE("5,0\n6,16909060\n6,4294967295\n");
    static const char late[] = "key\n" TWICE("0\n16909060\n4294967295\n");
    memory got;
    dj_sink_stats stats;
    dj_batch *batch = NULL;
    assert_int_equal(dj_pool_take(context, pool, &batch), DJ_OK);
    const uint64_t addresses[] = {0, 0x01020304, 4294967295u};
    memcpy(dj_batch_writable(batch).address, addresses, sizeof addresses);
    batch->count = 3;
    dj_batch_set_columns(batch, 0);
    const dj_event events[] = {{.index = 0, .type = DJ_EVENT_THREAD, .a = 4},
                               {.index = 0, .type = DJ_EVENT_THREAD, .a = 5},
                               {.index = 1, .type = DJ_EVENT_GAP},
                               {.index = 1, .type = DJ_EVENT_THREAD, .a = 6}};
    for (size_t i = 0; i < sizeof events / sizeof *events; i++)
        assert_int_equal(dj_batch_add_event(context, batch, &events[i]), DJ_OK);
    assert_int_equal(write_twice("csv", &keys, false, batch, &got, &stats), DJ_OK);
    assert_int_equal(got.bytes, sizeof threads - 1);
    assert_memory_equal(got.data, threads, got.bytes);
    assert_int_equal(stats.dropped_events, 2);
    free(got.data);
    // A thread that is unknown at first is no column.
    batch = sample(0);
    assert_int_equal(dj_batch_add_event(context, batch, &events[3]), DJ_OK);
    assert_int_equal(write_twice("csv", &keys, false, batch, &got, &stats), DJ_OK);
    assert_int_equal(got.bytes, sizeof late - 1);
    assert_memory_equal(got.data, late, got.bytes);
    free(got.data);
}

// Whose access it is belongs to a merge of traces, not to a trace.
static void a_stream_has_no_sharers(void **state)
{
    (void)state;
    dj_source_info info = keys;
    memory got;
    dj_sink_stats stats;
    dj_source *source = NULL;
    dj_batch *batch = NULL;
    info.columns = DJ_COLUMN_SHARER | DJ_COLUMN_KIND;
    assert_int_equal(write_twice("deja", &info, false, sample(info.columns), &got, &stats), DJ_OK);
    assert_int_equal(stats.dropped_columns, DJ_COLUMN_SHARER);
    assert_int_equal(dj_source_open_memory(context, got.data, got.bytes, "s", NULL, &source), DJ_OK);
    assert_int_equal(dj_source_next(source, context, &batch), DJ_OK);
    assert_int_equal(dj_batch_columns(batch), DJ_COLUMN_KIND);
    assert_int_equal(batch->count, 6);
    dj_batch_release(batch);
    dj_source_close(source);
    free(got.data);
}

static void expect_refused(const char *format, dj_batch *batch, const char *word)
{
    memory got;
    dj_sink_stats stats;
    assert_int_equal(write_twice(format, &keys, false, batch, &got, &stats), DJ_ERR_USAGE);
    if (!strstr(dj_context_message(context), word))
        fail_msg("'%s' does not speak of %s", dj_context_message(context), word);
    free(got.data);
}

static void values_that_a_format_cannot_store_are_refused(void **state)
{
    (void)state;
    memory got;
    dj_sink_stats stats;
    dj_batch *batch = sample(0);
    dj_batch_writable(batch).address[1] = 0x100000005;
    dj_batch_retain(batch);
    expect_refused("u32be", batch, "access 1 ");
    assert_int_equal(write_twice("u32be", &keys, true, batch, &got, &stats), DJ_OK);
    assert_memory_equal(got.data + 4, "\0\0\0\5", 4);
    free(got.data);

    batch = sample(DJ_COLUMN_DEVICE);
    dj_batch_writable(batch).device[2] = 8;
    for (int i = 0; i < 3; i++)
        dj_batch_retain(batch);
    expect_refused("text", batch, "access 2 ");
    expect_refused("u64le", batch, "device");
    assert_int_equal(write_twice("u64le", &keys, true, batch, &got, &stats), DJ_OK);
    free(got.data);
    assert_int_equal(write_twice("csv", &keys, false, batch, &got, &stats), DJ_OK);
    free(got.data);
}

// More than one buffer, read back by the reader of the same format.
static void written_traces_read_back_the_same(void **state)
{
    (void)state;
    static const char *const formats[] = {"text", "csv", "u32le", "u32be", "u64le", "u64be", "deja"};
    for (size_t f = 0; f < sizeof formats / sizeof formats[0]; f++) {
        memory written = {0};
        dj_sink *sink = NULL;
        dj_sink_output output = {append, &written};
        trace expected = {0}, got = {0};
        dj_random random;
        dj_random_seed(&random, f);
        assert_int_equal(dj_sink_create(context, formats[f], &output, &keys, NULL, &sink), DJ_OK);
        for (int i = 0; i < 6; i++) {
            dj_batch *batch = NULL;
            assert_int_equal(dj_pool_take(context, pool, &batch), DJ_OK);
            fill_batch(&random, &(shape){.sites = 1}, batch, DJ_BATCH_CAPACITY, 0);
            if (strncmp(formats[f], "u32", 3) == 0)
                for (uint32_t k = 0; k < batch->count; k++)
                    dj_batch_writable(batch).address[k] &= UINT32_MAX;
            trace_add(&expected, batch);
            assert_int_equal(dj_sink_write(sink, context, batch), DJ_OK);
            dj_batch_release(batch);
        }
        assert_int_equal(dj_sink_finish(sink, context), DJ_OK);
        dj_sink_destroy(sink);

        dj_source *source = NULL;
        dj_batch *batch = NULL;
        dj_source_options options = {.format = formats[f], .header = strcmp(formats[f], "csv") == 0};
        assert_int_equal(dj_source_open_memory(context, written.data, written.bytes, "x", &options, &source),
                         DJ_OK);
        while (dj_source_next(source, context, &batch) == DJ_OK && batch) {
            trace_add(&got, batch);
            dj_batch_release(batch);
        }
        dj_source_close(source);
        assert_int_equal(got.count, expected.count);
        for (size_t i = 0; i < got.count; i++)
            assert_true(got.records[i].address == expected.records[i].address);
        trace_free(&got);
        trace_free(&expected);
        free(written.data);
    }
}

static void names_and_suffixes_select_a_sink(void **state)
{
    (void)state;
    for (size_t i = 0; i < dj_sink_count(); i++)
        assert_ptr_equal(dj_sink_find(dj_sink_get(i)->name), dj_sink_get(i));
    assert_null(dj_sink_find("vscsi"));
    assert_string_equal(dj_sink_find_path("a/b.u64")->name, "u64le");
    assert_string_equal(dj_sink_find_path("a.U32BE")->name, "u32be");
    assert_string_equal(dj_sink_find_path("x.y.deja")->name, "deja");
    assert_string_equal(dj_sink_find_path("x.csv")->name, "csv");
    assert_null(dj_sink_find_path("deja"));
    assert_null(dj_sink_find_path("x.bin"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sinks_write_the_expected_bytes),
        cmocka_unit_test(csv_has_a_column_of_threads),
        cmocka_unit_test(a_stream_has_no_sharers),
        cmocka_unit_test(values_that_a_format_cannot_store_are_refused),
        cmocka_unit_test(written_traces_read_back_the_same),
        cmocka_unit_test(names_and_suffixes_select_a_sink),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
