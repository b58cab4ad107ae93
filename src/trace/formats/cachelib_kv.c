// SPDX-License-Identifier: MIT
// Meta's key-value cache traces, as CacheLib's CacheBench replays them. A header names the columns; a line
// represents op_count consecutive requests.
#include "trace/formats/csv_layout.h"
#include "trace/parse/line_reader.h"
#include "trace/registry.h"

enum { KEY = 1, OP, SIZE, OP_COUNT, OP_TIME };

static const dj_csv_name names[] = {
    {"key", KEY}, {"op", OP}, {"size", SIZE}, {"op_count", OP_COUNT}, {NULL, 0},
};

static const dj_csv_name names_with_time[] = {
    {"key", KEY}, {"op", OP}, {"size", SIZE}, {"op_count", OP_COUNT}, {"op_time", OP_TIME}, {NULL, 0},
};

enum { REQUIRED = 1u << KEY | 1u << OP | 1u << SIZE | 1u << OP_COUNT };

static int line(void *state, dj_line_sink *sink, dj_text_field l)
{
    dj_csv_layout *layout = state;
    dj_access access = {0};
    dj_csv_field fields[DJ_CSV_ROLES];
    const char *expected;
    uint64_t count;
    bool timed = sink->columns & DJ_COLUMN_CLOCK;
    if (dj_csv_take_header(layout, l, timed ? names_with_time : names,
                           REQUIRED | (timed ? 1u << OP_TIME : 0)))
        return DJ_OK;
    if (layout->count == 0)
        return dj_line_expected(sink, l,
                                timed ? "a header with the columns key, op, size, op_count and op_time"
                                      : "a header with the columns key, op, size and op_count");
    if (!dj_csv_pick(layout, &l, fields, &expected))
        return dj_line_expected(sink, l, expected);
    if (dj_field_bytes(fields[KEY].text) == 0)
        return dj_line_expected(sink, fields[KEY].text, "a key");
    if (!dj_csv_number(fields[SIZE], &access.size))
        return dj_line_expected(sink, fields[SIZE].text, "a size below 2^64");
    if (!dj_csv_number(fields[OP_COUNT], &count) || count == 0 || count > UINT32_MAX)
        return dj_line_expected(sink, fields[OP_COUNT].text, "an op_count from 1 to 2^32 - 1");
    if (timed && !dj_csv_clock(fields[OP_TIME], DJ_CLOCK_S, &access.clock))
        return dj_line_expected(sink, fields[OP_TIME].text, "a time in seconds");
    access.address = dj_csv_hash(fields[KEY]);
    access.kind = dj_field_operation(fields[OP].text);
    for (; sink->given < count; sink->given++) {
        if (dj_line_full(sink))
            return DJ_LINE_MORE;
        dj_line_put(sink, &access);
    }
    return DJ_OK;
}

static const dj_line_ops ops = {
    .syntax = "the columns that the header names",
    .columns = DJ_COLUMN_SIZE | DJ_COLUMN_KIND | DJ_COLUMN_CLOCK,
    .words = true,
    .score = 95,
    .state_bytes = sizeof(dj_csv_layout),
    .line = line,
};

DJ_LINE_FUNCTIONS(ops)

const dj_format dj_format_cachelib_kv = {
    .info = {"cachelib-kv", "Meta's key-value cache traces (CacheLib), with a header", "", DJ_CLASS_KEYS,
             false},
    .columns = DJ_COLUMN_SIZE | DJ_COLUMN_KIND,
    .provides = DJ_COLUMN_CLOCK,
    DJ_CLASS_KEYS_TABLE,
    DJ_LINE_TABLE,
};
