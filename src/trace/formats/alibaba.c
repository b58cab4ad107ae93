// SPDX-License-Identifier: MIT
// Alibaba cloud block storage: device_id,opcode,offset,length,timestamp without a header. Offset and length
// are in bytes.
#include "trace/parse/line_reader.h"
#include "trace/registry.h"

static int line(void *state, dj_line_sink *sink, dj_text_field l)
{
    (void)state;
    dj_access access = {0};
    dj_text_field word;
    dj_field_skip_blanks(&l);
    if (!dj_field_device(&l, &access.device) || !dj_field_skip_comma(&l))
        return dj_line_expected(sink, l, "a device number below 2^32 and a comma");
    if (!dj_field_until(&l, ',', &word) || !dj_field_kind(word, &access.kind))
        return dj_line_expected(sink, word, "R or W");
    if (!dj_field_skip_comma(&l) || !dj_field_decimal(&l, &access.address))
        return dj_line_expected(sink, l, "an offset in bytes below 2^64");
    dj_text_field size = l;
    if (!dj_field_skip_comma(&l) || !dj_field_decimal(&l, &access.size))
        return dj_line_expected(sink, l, "a length in bytes below 2^64");
    if (!dj_field_skip_comma(&l) || !dj_line_clock(sink, &l, DJ_CLOCK_US, &access.clock))
        return dj_line_expected(sink, l, "a time stamp");
    if (!dj_field_at_end(&l))
        return dj_line_expected(sink, l, "the end of the line");
    return dj_line_put_range(sink, &access, size);
}

static const dj_line_ops ops = {
    .syntax = "device,R|W,offset,length,timestamp",
    .columns = DJ_COLUMN_DEVICE | DJ_COLUMN_SIZE | DJ_COLUMN_KIND | DJ_COLUMN_CLOCK,
    .score = 85,
    .line = line,
};

DJ_LINE_FUNCTIONS(ops)

const dj_format dj_format_alibaba = {
    .info = {"alibaba", "Alibaba block storage: device,R|W,offset,length,timestamp", "", DJ_CLASS_BLOCK_IO,
             false},
    .columns = DJ_COLUMN_DEVICE | DJ_COLUMN_SIZE | DJ_COLUMN_KIND,
    .provides = DJ_COLUMN_CLOCK,
    DJ_CLASS_BLOCK_IO_TABLE,
    DJ_LINE_TABLE,
};
