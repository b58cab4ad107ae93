// SPDX-License-Identifier: MIT
// Dinero's din format: a label (0 read, 1 write, 2 instruction fetch) and a hexadecimal address; the rest of
// the line is ignored. Labels 3 and 4 are escapes, not references.
#include "trace/parse/line_reader.h"
#include "trace/registry.h"

typedef struct dinero {
    bool instructions;
    bool letters; // an address contains a hexadecimal digit that is not decimal
} dinero;

static int start(void *state, dj_context *context, const dj_source_options *options)
{
    (void)context;
    *(dinero *)state = (dinero){.instructions = options->instructions};
    return DJ_OK;
}

// Without a letter, two small numbers per line can be anything.
static int judge(const void *state)
{
    return ((const dinero *)state)->letters ? 60 : 30;
}

static bool has_letter(const char *at, const char *end)
{
    while (at < end && *at <= '9')
        at++;
    return at < end;
}

static int line(void *state, dj_line_sink *sink, dj_text_field l)
{
    dinero *d = state;
    static const uint8_t kinds[] = {DJ_KIND_READ, DJ_KIND_WRITE, DJ_KIND_FETCH};
    dj_access access = {0};
    uint64_t label;
    dj_field_skip_blanks(&l);
    dj_text_field from = l;
    if (!dj_field_decimal(&l, &label) || label > 4 || !dj_field_skip_blanks(&l))
        return dj_line_expected(sink, from, "a label from 0 to 4");
    from = l;
    if (!dj_field_hex(&l, &access.address) || !(l.at == l.end || dj_is_blank(*l.at)))
        return dj_line_expected(sink, from, "a hexadecimal address below 2^64");
    d->letters |= has_letter(from.at, l.at);
    if (label > 2 || (label == 2 && !d->instructions))
        return DJ_OK;
    access.kind = kinds[label];
    dj_line_put(sink, &access);
    return DJ_OK;
}

static const dj_line_ops ops = {
    .syntax = "0|1|2 ADDRESS",
    .columns = DJ_COLUMN_KIND,
    .judge = judge,
    .state_bytes = sizeof(dinero),
    .start = start,
    .line = line,
};

DJ_LINE_FUNCTIONS(ops)

const dj_format dj_format_dinero = {
    .info = {"dinero", "Dinero's din: 0|1|2 (read, write, fetch) and a hexadecimal address", ".din",
             DJ_CLASS_MEMORY, false},
    .columns = DJ_COLUMN_KIND,
    DJ_CLASS_MEMORY_TABLE,
    DJ_LINE_TABLE,
};
