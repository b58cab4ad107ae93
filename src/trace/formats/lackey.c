// SPDX-License-Identifier: MIT
// valgrind --tool=lackey --trace-mem=yes: "I  addr,size" for an instruction, then " L", " S" or " M
// addr,size" for what it loads, stores and modifies. The instruction is the site of the data accesses after
// it.
#include "trace/parse/line_reader.h"
#include "trace/registry.h"
#include "trace/sites.h"

typedef struct lackey {
    dj_sites sites;
    bool instructions;
    bool references; // there was at least one
} lackey;

static int start(void *state, dj_context *context, const dj_source_options *options)
{
    lackey *k = state;
    k->instructions = options->instructions;
    return dj_sites_create(&k->sites, context);
}

static void stop(void *state)
{
    dj_sites_destroy(&((lackey *)state)->sites);
}

static int judge(const void *state)
{
    return ((const lackey *)state)->references ? 90 : 0;
}

static bool is_message(dj_text_field l)
{
    return dj_field_bytes(l) >= 2 && l.at[0] == l.at[1] &&
           (l.at[0] == '=' || l.at[0] == '-' || l.at[0] == '*');
}

static bool find_kind(char c, uint8_t *kind)
{
    switch (c) {
    case 'L':
        *kind = DJ_KIND_READ;
        return true;
    case 'S':
        *kind = DJ_KIND_WRITE;
        return true;
    case 'M':
        *kind = DJ_KIND_MODIFY;
        return true;
    case 'I':
        *kind = DJ_KIND_FETCH;
        return true;
    default:
        return false;
    }
}

static int line(void *state, dj_line_sink *sink, dj_text_field l)
{
    lackey *k = state;
    dj_access access = {0};
    if (is_message(l))
        return DJ_OK;
    dj_field_skip_blanks(&l);
    if (!find_kind(*l.at, &access.kind))
        return dj_line_expected(sink, l, "I, L, S, M or a Valgrind message (==…)");
    l.at++;
    if (!dj_field_skip_blanks(&l) || !dj_field_hex(&l, &access.address) || !dj_field_skip(&l, ','))
        return dj_line_expected(sink, l, "a hexadecimal address below 2^64 and a comma");
    dj_text_field size = l;
    if (!dj_field_decimal(&l, &access.size))
        return dj_line_expected(sink, l, "a size below 2^64");
    if (!dj_field_at_end(&l))
        return dj_line_expected(sink, l, "the end of the line");
    k->references = true;
    if (access.kind == DJ_KIND_FETCH) {
        dj_sites_move(&k->sites, access.address);
        if (!k->instructions)
            return DJ_OK;
    }
    int err = dj_sites_current(&k->sites, sink->context, sink->batch, sink->count, &access.site);
    return err ? err : dj_line_put_range(sink, &access, size);
}

static const dj_line_ops ops = {
    .syntax = "I  ADDRESS,size or L, S, M for data",
    .columns = DJ_COLUMN_SIZE | DJ_COLUMN_KIND | DJ_COLUMN_SITE,
    .judge = judge,
    .state_bytes = sizeof(lackey),
    .start = start,
    .stop = stop,
    .line = line,
};

DJ_LINE_FUNCTIONS(ops)

const dj_format dj_format_lackey = {
    .info = {"lackey", "valgrind --tool=lackey --trace-mem=yes", ".lackey", DJ_CLASS_MEMORY, false},
    .columns = DJ_COLUMN_SIZE | DJ_COLUMN_KIND | DJ_COLUMN_SITE,
    DJ_CLASS_MEMORY_TABLE,
    DJ_LINE_TABLE,
};
