// SPDX-License-Identifier: MIT
// Data addresses of SPEC programs: l or s, 0xADDR, and the number of instructions since the previous access,
// which is ignored.
#include "trace/parse/line_reader.h"
#include "trace/registry.h"

static int line(void *state, dj_line_sink *sink, dj_text_field l)
{
    (void)state;
    dj_access access = {.kind = DJ_KIND_READ};
    dj_text_field word;
    uint64_t instructions;
    dj_field_skip_blanks(&l);
    dj_field_word(&l, &word);
    if (dj_field_is(word, "s"))
        access.kind = DJ_KIND_WRITE;
    else if (!dj_field_is(word, "l"))
        return dj_line_expected(sink, word, "l (load) or s (store)");
    dj_field_skip_blanks(&l);
    dj_text_field from = l;
    if (!dj_field_hex(&l, &access.address) || !dj_field_skip_blanks(&l))
        return dj_line_expected(sink, from, "a hexadecimal address below 2^64");
    if (!dj_field_decimal(&l, &instructions))
        return dj_line_expected(sink, l, "a number below 2^64");
    if (!dj_field_at_end(&l))
        return dj_line_expected(sink, l, "the end of the line");
    dj_line_put(sink, &access);
    return DJ_OK;
}

static const dj_line_ops ops = {
    .syntax = "l|s 0xADDRESS n",
    .columns = DJ_COLUMN_KIND,
    .score = 90,
    .line = line,
};

DJ_LINE_FUNCTIONS(ops)

const dj_format dj_format_address = {
    .info = {"address", "loads and stores: l|s 0xADDRESS n", "", DJ_CLASS_MEMORY, false},
    .columns = DJ_COLUMN_KIND,
    DJ_CLASS_MEMORY_TABLE,
    DJ_LINE_TABLE,
};
