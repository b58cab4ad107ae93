// SPDX-License-Identifier: MIT
// The Deja stream: reading returns what was written.
#include "unit/stream.h"

#include "base/little_endian.h"
#include "trace/stream/frame.h"
#include "trace/stream/sites.h"

#include <deja/generate.h>

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

// Writes random batches; the columns of each are among `columns`, or all of them unless `mixed`.
static void write_random(uint64_t seed, const shape *s, uint32_t columns, bool mixed, uint32_t batches,
                         uint32_t most, memory *to, trace *expected)
{
    dj_random random;
    dj_random_seed(&random, seed);
    dj_sink *sink = open_stream(context, to);
    *expected = (trace){0};
    for (uint32_t i = 0; i < batches; i++) {
        dj_batch *batch = NULL;
        assert_int_equal(dj_pool_take(context, pool, &batch), DJ_OK);
        uint32_t subset = mixed && i % 3 == 2 ? columns & (uint32_t)dj_random_next(&random) : columns;
        fill_batch(&random, s, batch, (uint32_t)dj_random_below(&random, most + 1), subset);
        if (s->event_share)
            add_events(&random, context, batch,
                       (uint32_t)dj_random_below(&random, batch->count / s->event_share + 2));
        trace_add(expected, batch);
        assert_int_equal(dj_sink_write(sink, context, batch), DJ_OK);
        dj_batch_release(batch);
    }
    assert_int_equal(dj_sink_finish(sink, context), DJ_OK);
    dj_sink_stats stats;
    dj_sink_get_stats(sink, &stats);
    assert_int_equal(stats.accesses, expected->count);
    assert_int_equal(stats.events, expected->event_count);
    assert_int_equal(stats.bytes, to->bytes);
    dj_sink_destroy(sink);
}

static void expect_identity(uint64_t seed, const shape *s, uint32_t columns, bool mixed, uint32_t batches,
                            uint32_t most)
{
    memory stream;
    trace expected, got;
    write_random(seed, s, columns, mixed, batches, most, &stream, &expected);
    if (expected.count == 0 && expected.event_count == 0)
        goto done;
    int err = read_stream(context, stream.data, stream.bytes, &got);
    if (err && expected.count) // a trace of only events has no accesses, which is bad input
        fail_msg("seed %llu: %s", (unsigned long long)seed, dj_context_message(context));
    expect_trace(&got, &expected, true);
    trace_free(&got);
done:
    trace_free(&expected);
    free(stream.data);
}

static void every_set_of_columns_round_trips(void **state)
{
    (void)state;
    for (uint32_t columns = 0; columns <= ALL_COLUMNS; columns++)
        for (unsigned address = 0; address < 4 && (columns & ~(uint32_t)ALL_COLUMNS) == 0; address++) {
            shape s = {.address = address, .sites = 30, .sizes = address % 2 ? 8 : 0, .event_share = 20};
            expect_identity(columns + 1, &s, columns, false, 5, 300);
        }
}

static void random_batches_round_trip(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 400; seed++) {
        shape s = {.address = seed % 4,
                   .sites = 1 + seed * seed % 700,
                   .sizes = seed % 5 ? seed % 9 : 0,
                   .event_share = (uint32_t)(seed % 6)};
        expect_identity(seed, &s, ALL_COLUMNS & (uint32_t)(seed * 2654435761u >> 8), seed % 2,
                        1 + (uint32_t)(seed % 12), (uint32_t)(seed % 7 ? seed : 3));
    }
}

static void many_frames_round_trip(void **state)
{
    (void)state;
    const uint32_t columns[] = {0, DJ_COLUMN_SITE, DJ_COLUMN_SITE | DJ_COLUMN_SIZE | DJ_COLUMN_KIND,
                                ALL_COLUMNS};
    for (size_t i = 0; i < sizeof columns / sizeof columns[0]; i++) {
        shape s = {.address = 2, .sites = 500, .sizes = 4, .event_share = 1000};
        expect_identity(i + 1, &s, columns[i], false, 60, DJ_BATCH_CAPACITY);
    }
}

// More sites than fit into a frame, and sizes that do not repeat: the writer falls back.
static void sites_that_do_not_repeat_round_trip(void **state)
{
    (void)state;
    shape many = {.address = 0, .sites = 1u << 31, .sizes = 8};
    expect_identity(1, &many, DJ_COLUMN_SITE | DJ_COLUMN_SIZE, false, 40, DJ_BATCH_CAPACITY);
    shape odd = {.address = 2, .sites = 10, .sizes = 0};
    expect_identity(2, &odd, DJ_COLUMN_SITE | DJ_COLUMN_SIZE | DJ_COLUMN_KIND, false, 40, DJ_BATCH_CAPACITY);
}

// The encoder's map is cleared by counting frames; the count must not overflow.
static void the_frame_count_does_not_overflow(void **state)
{
    (void)state;
    dj_sites_encoder *encoder = NULL;
    const uint64_t address[] = {1, 2, 3, 4, 5};
    assert_int_equal(dj_sites_encoder_create(context, 5, &encoder), DJ_OK);
    for (uint32_t frame = 0; frame < 140000; frame++) {
        // Distances of a power of two, none of them predicted.
        const uint32_t a = frame, b = frame + (1u << 20), c = frame + (2u << 20), site[] = {a, b, c, b, a};
        dj_sites_encoder_restart(encoder);
        assert_int_equal(
            dj_sites_encode(encoder, &(dj_columns){.address = address, .site = site}, 0, 5, false), 5);
        assert_int_equal(encoder->slot_count, 3);
        assert_int_equal(encoder->jump_count, 5);
    }
    dj_sites_encoder_destroy(encoder);
}

// More events than fit into a frame, at every index and before the first access.
static void many_events_round_trip(void **state)
{
    (void)state;
    shape s = {.address = 3, .sites = 9, .sizes = 8, .event_share = 1};
    expect_identity(1, &s, DJ_COLUMN_SITE, false, 8, DJ_BATCH_CAPACITY);
}

static void long_texts_round_trip(void **state)
{
    (void)state;
    memory stream;
    trace expected = {0}, got;
    dj_sink *sink = open_stream(context, &stream);
    char *text = malloc((1 << 20) + 2);
    assert_non_null(text);
    memset(text, 'x', (1 << 20) + 1);
    dj_batch *batch = NULL;
    assert_int_equal(dj_pool_take(context, pool, &batch), DJ_OK);
    dj_random random;
    dj_random_seed(&random, 1);
    fill_batch(&random, &(shape){.sites = 1}, batch, 10, 0);
    for (uint32_t i = 0; i <= 10; i++) {
        text[(1 << 20) - i] = '\0';
        dj_event event = {.index = i, .type = DJ_EVENT_REGION, .a = i, .text = text};
        assert_int_equal(dj_batch_add_event(context, batch, &event), DJ_OK);
    }
    trace_add(&expected, batch);
    assert_int_equal(dj_sink_write(sink, context, batch), DJ_OK);
    assert_int_equal(dj_sink_finish(sink, context), DJ_OK);
    dj_batch_release(batch);
    dj_sink_destroy(sink);
    assert_int_equal(read_stream(context, stream.data, stream.bytes, &got), DJ_OK);
    expect_trace(&got, &expected, true);
    trace_free(&got);
    trace_free(&expected);
    free(stream.data);
    free(text);
}

static void an_empty_stream_is_refused(void **state)
{
    (void)state;
    memory stream;
    trace got;
    dj_sink *sink = open_stream(context, &stream);
    assert_int_equal(dj_sink_finish(sink, context), DJ_OK);
    dj_sink_destroy(sink);
    assert_int_equal(read_stream(context, stream.data, stream.bytes, &got), DJ_ERR_INPUT);
    assert_non_null(strstr(dj_context_message(context), "no accesses"));
    free(stream.data);
}

static void the_header_describes_the_source(void **state)
{
    (void)state;
    const dj_source_info infos[] = {
        {.format = "vscsi",
         .kind = DJ_CLASS_BLOCK_IO,
         .default_block = 4096,
         .unit_bytes = 1,
         .columns = DJ_COLUMN_SIZE | DJ_COLUMN_KIND,
         .default_split = true},
        {.format = "lackey",
         .kind = DJ_CLASS_MEMORY,
         .default_block = 64,
         .unit_bytes = 1,
         .columns = DJ_COLUMN_SITE},
        {.format = "arc",
         .kind = DJ_CLASS_BLOCK_IO,
         .default_block = 1,
         .columns = DJ_COLUMN_SIZE,
         .default_split = true},
        {.format = "text", .kind = DJ_CLASS_KEYS, .default_block = 1},
    };
    for (size_t i = 0; i < sizeof infos / sizeof infos[0]; i++) {
        memory stream = {0};
        dj_sink *sink = NULL;
        dj_sink_output output = {append, &stream};
        dj_source *source = NULL;
        assert_int_equal(dj_sink_create(context, "deja", &output, &infos[i], NULL, &sink), DJ_OK);
        assert_int_equal(dj_sink_finish(sink, context), DJ_OK);
        dj_sink_destroy(sink);
        // The format is detected by its magic.
        assert_int_equal(dj_source_open_memory(context, stream.data, stream.bytes, "x", NULL, &source),
                         DJ_OK);
        const dj_source_info *got = dj_source_get_info(source);
        assert_string_equal(got->format, "deja");
        assert_int_equal(got->kind, infos[i].kind);
        assert_int_equal(got->default_block, infos[i].default_block);
        assert_int_equal(got->unit_bytes, infos[i].unit_bytes);
        assert_int_equal(got->columns, infos[i].columns);
        assert_int_equal(got->default_split, infos[i].default_split);
        dj_source_close(source);
        free(stream.data);
    }
}

static void expect_refused(dj_batch *batch, uint32_t announced)
{
    memory stream = {0};
    dj_sink *sink = NULL;
    dj_sink_output output = {append, &stream};
    dj_source_info info = {.format = "test", .kind = DJ_CLASS_KEYS, .default_block = 1, .columns = announced};
    assert_int_equal(dj_sink_create(context, "deja", &output, &info, NULL, &sink), DJ_OK);
    assert_int_equal(dj_sink_write(sink, context, batch), DJ_ERR_UNSUPPORTED);
    dj_sink_destroy(sink);
    dj_batch_release(batch);
    free(stream.data);
}

static dj_batch *one_access(uint32_t columns)
{
    dj_batch *batch = NULL;
    assert_int_equal(dj_pool_take(context, pool, &batch), DJ_OK);
    dj_random random;
    dj_random_seed(&random, 1);
    fill_batch(&random, &(shape){.sites = 1}, batch, 1, columns);
    return batch;
}

// What no reader would accept is not written.
static void unreadable_batches_are_not_written(void **state)
{
    (void)state;
    expect_refused(one_access(DJ_COLUMN_SIZE), DJ_COLUMN_SITE);
    dj_batch *batch = one_access(DJ_COLUMN_KIND);
    dj_batch_writable(batch).kind[0] = DJ_KIND_OTHER + 1;
    expect_refused(batch, DJ_COLUMN_KIND);
    batch = one_access(0);
    assert_int_equal(dj_batch_add_event(context, batch, &(dj_event){.type = DJ_EVENT_LAST + 1, .text = ""}),
                     DJ_OK);
    expect_refused(batch, 0);
}

// Instruction fetches appear only on request; events keep their positions.
static void fetches_appear_only_on_request(void **state)
{
    (void)state;
    memory stream;
    dj_sink *sink = open_stream(context, &stream);
    dj_batch *batch = NULL;
    assert_int_equal(dj_pool_take(context, pool, &batch), DJ_OK);
    dj_batch_buffers b = dj_batch_writable(batch);
    const uint8_t kinds[] = {DJ_KIND_FETCH, DJ_KIND_READ,  DJ_KIND_FETCH,
                             DJ_KIND_FETCH, DJ_KIND_WRITE, DJ_KIND_FETCH};
    for (uint32_t i = 0; i < 6; i++) {
        b.address[i] = 100 + i;
        b.kind[i] = kinds[i];
    }
    batch->count = 6;
    dj_batch_set_columns(batch, DJ_COLUMN_KIND);
    for (uint32_t i = 0; i <= 6; i++)
        assert_int_equal(
            dj_batch_add_event(context, batch,
                               &(dj_event){.index = i, .type = DJ_EVENT_STATEMENT, .a = i, .text = ""}),
            DJ_OK);
    assert_int_equal(dj_sink_write(sink, context, batch), DJ_OK);
    dj_batch_release(batch);
    assert_int_equal(dj_sink_finish(sink, context), DJ_OK);
    dj_sink_destroy(sink);

    dj_source *source = NULL;
    trace got = {0};
    assert_int_equal(dj_source_open_memory(context, stream.data, stream.bytes, "x", NULL, &source), DJ_OK);
    while (dj_source_next(source, context, &batch) == DJ_OK && batch) {
        trace_add(&got, batch);
        dj_batch_release(batch);
    }
    dj_source_close(source);
    assert_int_equal(got.count, 2);
    assert_int_equal(got.records[0].address, 101);
    assert_int_equal(got.records[1].address, 104);
    assert_int_equal(got.event_count, 7);
    const uint64_t positions[] = {0, 0, 1, 1, 1, 2, 2};
    for (size_t i = 0; i < 7; i++)
        assert_int_equal(got.events[i].position, positions[i]);
    trace_free(&got);
    free(stream.data);
}

// Everything that the end and the index say matches the stream.
static void the_index_matches_the_stream(void **state)
{
    (void)state;
    enum { END_BYTES = DJ_FRAME_HEADER_BYTES + DJ_SECTION_BYTES + 24 };
    memory stream;
    trace expected;
    shape s = {.address = 2, .sites = 50, .sizes = 4, .event_share = 500};
    write_random(5, &s, DJ_COLUMN_SITE, true, 60, DJ_BATCH_CAPACITY, &stream, &expected);
    const uint8_t *totals = stream.data + stream.bytes - 24;
    assert_int_equal(dj_read_le64(totals), expected.count);
    assert_int_equal(dj_read_le64(totals + 8), expected.event_count);
    const uint8_t *at = stream.data + dj_read_le64(totals + 16);
    dj_frame_header header;
    dj_frame frame = {0};
    assert_int_equal(dj_frame_header_unpack(context, at, &header), DJ_OK);
    assert_int_equal(header.type, DJ_FRAME_INDEX);
    assert_int_equal(dj_frame_load(context, &frame, &header, at + DJ_FRAME_HEADER_BYTES), DJ_OK);
    static uint64_t offset[DJ_FRAME_INDEX_MOST], first[DJ_FRAME_INDEX_MOST];
    static uint32_t items[DJ_FRAME_INDEX_MOST];
    static uint8_t type[DJ_FRAME_INDEX_MOST];
    const struct {
        enum dj_frame_field field;
        void *numbers;
    } lists[] = {{DJ_FRAME_FIELD_INDEX_OFFSET, offset},
                 {DJ_FRAME_FIELD_INDEX_FIRST, first},
                 {DJ_FRAME_FIELD_INDEX_COUNT, items},
                 {DJ_FRAME_FIELD_INDEX_TYPE, type}};
    for (size_t i = 0; i < 4; i++) {
        dj_planes_reader reader;
        assert_int_equal(dj_frame_planes(context, &frame, lists[i].field, header.count, &reader), DJ_OK);
        dj_planes_read(&reader, lists[i].numbers, header.count);
    }
    uint32_t entries = header.count;
    uint64_t accesses = 0, events = 0;
    assert_true(entries > 4);
    for (uint32_t i = 0; i < entries; i++) {
        assert_int_equal(dj_frame_header_unpack(context, stream.data + offset[i], &header), DJ_OK);
        assert_int_equal(header.type, type[i]);
        assert_int_equal(header.first, first[i]);
        assert_int_equal(header.count, items[i]);
        *(type[i] == DJ_FRAME_ACCESSES ? &accesses : &events) += items[i];
    }
    assert_int_equal(accesses, expected.count);
    assert_int_equal(events, expected.event_count);
    dj_frame_free(&frame);
    trace_free(&expected);
    free(stream.data);
}

// Small enough for its intended data, and no worse than the plain numbers elsewhere.
static void streams_are_small(void **state)
{
    (void)state;
    const struct {
        const char *kind;
        dj_generate_options options;
        double most;
    } cases[] = {
        {"stencil", {.keys = 100000, .sweeps = 3, .swap = true, .element_bytes = 8}, 0.05},
        {"matmul", {.keys = 60, .sweeps = 1, .element_bytes = 8}, 0.5},
        {"uniform", {.keys = 1u << 20, .accesses = 600000, .scatter = true}, 8.1},
        {"uniform", {.keys = 1u << 20, .accesses = 600000}, 3.1},
        {"zipf", {.keys = 1000000, .accesses = 600000, .exponent = 0.99}, 2.6},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        memory stream;
        dj_source *source = NULL;
        dj_batch *batch = NULL;
        dj_sink_stats stats;
        dj_sink *sink = open_stream(context, &stream);
        assert_int_equal(dj_source_generate(context, cases[i].kind, &cases[i].options, &source), DJ_OK);
        while (dj_source_next(source, context, &batch) == DJ_OK && batch) {
            assert_int_equal(dj_sink_write(sink, context, batch), DJ_OK);
            dj_batch_release(batch);
        }
        assert_int_equal(dj_sink_finish(sink, context), DJ_OK);
        dj_sink_get_stats(sink, &stats);
        double each = (double)stats.bytes / (double)stats.accesses;
        if (each > cases[i].most)
            fail_msg("%s takes %.3f bytes per access", cases[i].kind, each);
        dj_source_close(source);
        dj_sink_destroy(sink);
        free(stream.data);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_set_of_columns_round_trips),
        cmocka_unit_test(random_batches_round_trip),
        cmocka_unit_test(many_frames_round_trip),
        cmocka_unit_test(sites_that_do_not_repeat_round_trip),
        cmocka_unit_test(many_events_round_trip),
        cmocka_unit_test(the_frame_count_does_not_overflow),
        cmocka_unit_test(long_texts_round_trip),
        cmocka_unit_test(an_empty_stream_is_refused),
        cmocka_unit_test(the_header_describes_the_source),
        cmocka_unit_test(unreadable_batches_are_not_written),
        cmocka_unit_test(fetches_appear_only_on_request),
        cmocka_unit_test(the_index_matches_the_stream),
        cmocka_unit_test(streams_are_small),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
