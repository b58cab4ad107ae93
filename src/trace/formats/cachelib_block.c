// SPDX-License-Identifier: MIT
// Meta's block storage traces, as CacheLib's CacheBench replays them. A header names the columns. A block id
// and a shard together identify an object of some megabytes; a request accesses a range of its bytes.
#include "base/dictionary.h"
#include "trace/formats/csv_layout.h"
#include "trace/parse/line_reader.h"
#include "trace/registry.h"

enum { BLOCK_ID = 1, IO_SIZE, IO_OFFSET, OP_NAME, SHARD, OP_TIME };

static const dj_csv_name names[] = {
    {"block_id", BLOCK_ID}, {"io_size", IO_SIZE},   {"io_offset", IO_OFFSET},
    {"op_name", OP_NAME},   {"rs_shard_id", SHARD}, {NULL, 0},
};

static const dj_csv_name names_with_time[] = {
    {"block_id", BLOCK_ID},
    {"io_size", IO_SIZE},
    {"io_offset", IO_OFFSET},
    {"op_name", OP_NAME},
    {"rs_shard_id", SHARD},
    {"op_time", OP_TIME},
    {NULL, 0},
};

typedef struct block {
    dj_csv_layout layout;
    dj_dictionary objects;
} block;

static int start(void *state, dj_context *context, const dj_source_options *options)
{
    (void)options;
    return dj_dictionary_create(&((block *)state)->objects, context);
}

static void stop(void *state)
{
    dj_dictionary_destroy(&((block *)state)->objects);
}

// getChunkData.…, putChunk.…
static uint8_t kind_of(dj_text_field name)
{
    if (dj_field_bytes(name) < 3)
        return DJ_KIND_OTHER;
    dj_text_field verb = {name.at, name.at + 3};
    return dj_field_operation(verb);
}

enum { REQUIRED = 1u << BLOCK_ID | 1u << IO_SIZE | 1u << IO_OFFSET | 1u << OP_NAME };

static int line(void *state, dj_line_sink *sink, dj_text_field l)
{
    block *b = state;
    dj_access access = {0};
    dj_csv_field fields[DJ_CSV_ROLES];
    const char *expected;
    uint64_t shard = UINT64_MAX;
    bool fresh;
    bool timed = sink->columns & DJ_COLUMN_CLOCK;
    if (dj_csv_take_header(&b->layout, l, timed ? names_with_time : names,
                           REQUIRED | (timed ? 1u << OP_TIME : 0)))
        return DJ_OK;
    if (b->layout.count == 0)
        return dj_line_expected(
            sink, l,
            timed ? "a header with the columns block_id, io_size, io_offset, op_name and op_time"
                  : "a header with the columns block_id, io_size, io_offset and op_name");
    if (!dj_csv_pick(&b->layout, &l, fields, &expected))
        return dj_line_expected(sink, l, expected);
    if (dj_field_bytes(fields[BLOCK_ID].text) == 0)
        return dj_line_expected(sink, fields[BLOCK_ID].text, "a block id");
    if (!dj_csv_number(fields[IO_OFFSET], &access.address))
        return dj_line_expected(sink, fields[IO_OFFSET].text, "an offset in bytes below 2^64");
    if (!dj_csv_number(fields[IO_SIZE], &access.size))
        return dj_line_expected(sink, fields[IO_SIZE].text, "a size in bytes below 2^64");
    if (dj_csv_has(&b->layout, SHARD) && dj_field_bytes(fields[SHARD].text) &&
        !dj_csv_number(fields[SHARD], &shard))
        return dj_line_expected(sink, fields[SHARD].text, "a shard number below 2^64, or nothing");
    if (timed && !dj_csv_clock(fields[OP_TIME], DJ_CLOCK_S, &access.clock))
        return dj_line_expected(sink, fields[OP_TIME].text, "a time in seconds");
    access.kind = kind_of(fields[OP_NAME].text);
    int err = dj_dictionary_value(&b->objects, sink->context,
                                  dj_hash_pair(dj_csv_hash(fields[BLOCK_ID]), shard), &access.device, &fresh);
    return err ? err : dj_line_put_range(sink, &access, fields[IO_SIZE].text);
}

static const dj_line_ops ops = {
    .syntax = "the columns that the header names",
    .columns = DJ_COLUMN_SIZE | DJ_COLUMN_DEVICE | DJ_COLUMN_KIND | DJ_COLUMN_CLOCK,
    .words = true,
    .score = 95,
    .state_bytes = sizeof(block),
    .start = start,
    .stop = stop,
    .line = line,
};

DJ_LINE_FUNCTIONS(ops)

const dj_format dj_format_cachelib_block = {
    .info = {"cachelib-block", "Meta's block storage traces (CacheLib), with a header", "", DJ_CLASS_BLOCK_IO,
             false},
    .columns = DJ_COLUMN_SIZE | DJ_COLUMN_DEVICE | DJ_COLUMN_KIND,
    .provides = DJ_COLUMN_CLOCK,
    .numbers_devices = true,
    DJ_CLASS_BLOCK_IO_TABLE,
    DJ_LINE_TABLE,
};
