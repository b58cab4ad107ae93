// SPDX-License-Identifier: MIT
// Cache-filtered addresses for Ramulator: the number of instructions without memory access, the address of a
// read, and optionally that of the write-back it causes.
#include "trace/parse/line_reader.h"
#include "trace/registry.h"

static int line(void *state, dj_line_sink *sink, dj_text_field l)
{
    (void)state;
    uint64_t bubbles;
    dj_access read = {.kind = DJ_KIND_READ};
    dj_access write = {.kind = DJ_KIND_WRITE};
    dj_field_skip_blanks(&l);
    if (!dj_field_decimal(&l, &bubbles) || !dj_field_skip_blanks(&l))
        return dj_line_expected(sink, l, "a number of bubbles below 2^64");
    if (!dj_field_number(&l, &read.address))
        return dj_line_expected(sink, l, "a read address below 2^64");
    bool writes = dj_field_skip_blanks(&l) && l.at < l.end;
    if (writes && !dj_field_number(&l, &write.address))
        return dj_line_expected(sink, l, "a write address below 2^64 or the end of the line");
    if (!dj_field_at_end(&l))
        return dj_line_expected(sink, l, "the end of the line");
    if (!sink->given)
        dj_line_put(sink, &read);
    if (!writes)
        return DJ_OK;
    sink->given = 1;
    if (dj_line_full(sink))
        return DJ_LINE_MORE;
    dj_line_put(sink, &write);
    return DJ_OK;
}

static const dj_line_ops ops = {
    .syntax = "bubbles read-address [write-address]",
    .columns = DJ_COLUMN_KIND,
    .score = 50,
    .line = line,
};

DJ_LINE_FUNCTIONS(ops)

const dj_format dj_format_ramulator = {
    .info = {"ramulator", "Ramulator's processor traces: bubbles read-address [write-address]", "",
             DJ_CLASS_MEMORY, false},
    .columns = DJ_COLUMN_KIND,
    DJ_CLASS_MEMORY_TABLE,
    DJ_LINE_TABLE,
};
