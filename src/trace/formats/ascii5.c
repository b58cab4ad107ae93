// SPDX-License-Identifier: MIT
// Five numbers per line, as MQSim and DiskSim read them: time, device, block address and count in sectors of
// 512 bytes, and 1 for a read, 0 for a write.
#include "trace/parse/line_reader.h"
#include "trace/registry.h"

static int line(void *state, dj_line_sink *sink, dj_text_field l)
{
    (void)state;
    dj_access access = {0};
    uint64_t op = 0;
    dj_field_skip_blanks(&l);
    if (!dj_line_clock(sink, &l, DJ_CLOCK_NS, &access.clock) || !dj_field_skip_blanks(&l))
        return dj_line_expected(sink, l, "a time");
    if (!dj_field_device(&l, &access.device) || !dj_field_skip_blanks(&l))
        return dj_line_expected(sink, l, "a device number below 2^32");
    dj_text_field lba = l;
    if (!dj_field_decimal(&l, &access.address) || !dj_sectors_to_bytes(&access.address) ||
        !dj_field_skip_blanks(&l))
        return dj_line_expected(sink, lba, "a block address below 2^55");
    dj_text_field size = l;
    if (!dj_field_decimal(&l, &access.size) || !dj_sectors_to_bytes(&access.size) ||
        !dj_field_skip_blanks(&l))
        return dj_line_expected(sink, size, "a number of sectors below 2^55");
    dj_text_field type = l;
    if (!dj_field_decimal(&l, &op) || op > 1)
        return dj_line_expected(sink, type, "1 (read) or 0 (write)");
    if (!dj_field_at_end(&l))
        return dj_line_expected(sink, l, "the end of the line");
    access.kind = op == 1 ? DJ_KIND_READ : DJ_KIND_WRITE;
    return dj_line_put_range(sink, &access, size);
}

static const dj_line_ops ops = {
    .syntax = "time device sector sectors 1|0",
    .columns = DJ_COLUMN_DEVICE | DJ_COLUMN_SIZE | DJ_COLUMN_KIND | DJ_COLUMN_CLOCK,
    .score = 70,
    .line = line,
};

DJ_LINE_FUNCTIONS(ops)

const dj_format dj_format_ascii5 = {
    .info = {"ascii5", "MQSim block I/O: time device sector sectors 1|0 (1 is a read)", "", DJ_CLASS_BLOCK_IO,
             false},
    .columns = DJ_COLUMN_DEVICE | DJ_COLUMN_SIZE | DJ_COLUMN_KIND,
    .provides = DJ_COLUMN_CLOCK,
    DJ_CLASS_BLOCK_IO_TABLE,
    DJ_LINE_TABLE,
};
