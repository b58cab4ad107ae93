// SPDX-License-Identifier: MIT
// A hexadecimal address and R or W, in either order.
#include "trace/parse/line_reader.h"
#include "trace/registry.h"

static int line(void *state, dj_line_sink *sink, dj_text_field l)
{
    (void)state;
    dj_access access = {0};
    dj_text_field first, second;
    dj_field_skip_blanks(&l);
    dj_field_word(&l, &first);
    dj_field_skip_blanks(&l);
    dj_field_word(&l, &second);
    bool op_first = dj_field_kind(first, &access.kind);
    if (!op_first && !dj_field_kind(second, &access.kind))
        return dj_line_expected(sink, first, "R or W before or after the address");
    dj_text_field address = op_first ? second : first;
    dj_text_field rest = address;
    if (!dj_field_hex(&rest, &access.address) || rest.at != rest.end)
        return dj_line_expected(sink, address, "a hexadecimal address below 2^64");
    if (!dj_field_at_end(&l))
        return dj_line_expected(sink, l, "the end of the line");
    dj_line_put(sink, &access);
    return DJ_OK;
}

static const dj_line_ops ops = {
    .syntax = "ADDRESS R|W, or R|W ADDRESS",
    .columns = DJ_COLUMN_KIND,
    .score = 80,
    .line = line,
};

DJ_LINE_FUNCTIONS(ops)

const dj_format dj_format_hexrw = {
    .info = {"hexrw", "a hexadecimal address and R|W, in either order", "", DJ_CLASS_MEMORY, false},
    .columns = DJ_COLUMN_KIND,
    DJ_CLASS_MEMORY_TABLE,
    DJ_LINE_TABLE,
};
