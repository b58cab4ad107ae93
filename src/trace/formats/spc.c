// SPDX-License-Identifier: MIT
// Storage Performance Council: ASU,LBA,size,opcode,timestamp and optional further fields. The block address
// is in sectors of 512 bytes, the size in bytes.
#include "trace/parse/line_reader.h"
#include "trace/registry.h"

static int line(void *state, dj_line_sink *sink, dj_text_field l)
{
    (void)state;
    dj_access access = {0};
    dj_text_field word;
    dj_field_skip_blanks(&l);
    if (!dj_field_device(&l, &access.device) || !dj_field_skip_comma(&l))
        return dj_line_expected(sink, l, "a unit (ASU) below 2^32 and a comma");
    dj_text_field lba = l;
    if (!dj_field_decimal(&l, &access.address) || !dj_sectors_to_bytes(&access.address))
        return dj_line_expected(sink, lba, "a block address (LBA) below 2^55");
    dj_text_field size = l;
    if (!dj_field_skip_comma(&l) || !dj_field_decimal(&l, &access.size) || !dj_field_skip_comma(&l))
        return dj_line_expected(sink, l, "a size in bytes below 2^64 and a comma");
    if (!dj_field_until(&l, ',', &word) || !dj_field_kind(word, &access.kind))
        return dj_line_expected(sink, word, "R or W");
    if (!dj_field_skip_comma(&l) || !dj_line_clock(sink, &l, DJ_CLOCK_S, &access.clock))
        return dj_line_expected(sink, l, "a time stamp");
    if (!dj_field_at_end(&l) && !dj_field_skip_comma(&l))
        return dj_line_expected(sink, l, "a comma or the end of the line");
    return dj_line_put_range(sink, &access, size);
}

static const dj_line_ops ops = {
    .syntax = "ASU,LBA,size,R|W,timestamp",
    .columns = DJ_COLUMN_DEVICE | DJ_COLUMN_SIZE | DJ_COLUMN_KIND | DJ_COLUMN_CLOCK,
    .score = 85,
    .line = line,
};

DJ_LINE_FUNCTIONS(ops)

const dj_format dj_format_spc = {
    .info = {"spc", "SPC block I/O: unit,sector,size,R|W,time", ".spc", DJ_CLASS_BLOCK_IO, false},
    .columns = DJ_COLUMN_DEVICE | DJ_COLUMN_SIZE | DJ_COLUMN_KIND,
    .provides = DJ_COLUMN_CLOCK,
    DJ_CLASS_BLOCK_IO_TABLE,
    DJ_LINE_TABLE,
};
