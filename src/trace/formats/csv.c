// SPDX-License-Identifier: MIT
// Separated values whose columns the user or the first line names. The column that says what is accessed, the
// target, determines the kind of trace.
#include <string.h>

#include "base/dictionary.h"
#include "trace/formats/csv_layout.h"
#include "trace/input/input.h"
#include "trace/parse/line_reader.h"
#include "trace/registry.h"
#include "trace/sites.h"

enum {
    SKIP,
    KEY,
    ADDRESS,
    OFFSET,
    LBA,
    SIZE,
    SECTORS,
    OP,
    THREAD,
    DEVICE,
    SITE,
    TIME,
    TIME_MS,
    TIME_US,
    TIME_NS
};

#define OTHER_NAMES                                                                                          \
    {"key", KEY}, {"id", KEY}, {"obj_id", KEY}, {"object", KEY}, {"address", ADDRESS}, {"addr", ADDRESS},    \
        {"offset", OFFSET}, {"lba", LBA}, {"lbn", LBA}, {"sector", LBA}, {"size", SIZE}, {"length", SIZE},   \
        {"bytes", SIZE}, {"sectors", SECTORS}, {"op", OP}, {"opcode", OP}, {"type", OP}, {"kind", OP},       \
        {"thread", THREAD}, {"tid", THREAD}, {"device", DEVICE}, {"device_id", DEVICE}, {"volume", DEVICE},  \
        {"disk", DEVICE}, {"site", SITE}, {"pc", SITE}, {"ip", SITE}, {NULL, SKIP},

static const dj_csv_name names[] = {{"time", SKIP},    {"timestamp", SKIP}, {"time_s", SKIP},
                                    {"time_ms", SKIP}, {"time_us", SKIP},   {"time_ns", SKIP},
                                    OTHER_NAMES};
// Used if times are requested.
static const dj_csv_name names_with_time[] = {
    {"time", TIME},       {"timestamp", TIME},  {"time_s", TIME}, {"time_ms", TIME_MS},
    {"time_us", TIME_US}, {"time_ns", TIME_NS}, OTHER_NAMES};

#define NAMES "time, key, address, offset, lba, size, sectors, op, thread, device, site, or - to skip one"

typedef struct csv {
    dj_csv_layout layout;
    uint8_t target;    // KEY, ADDRESS, OFFSET or LBA; 0: not known yet
    bool named;        // the user named the columns
    bool header;       // the user says that the first line of a file contains names
    bool first;        // the next line is the first of a file
    bool instructions; // keep instruction fetches
    bool timed;        // times are requested
    uint64_t thread;   // id + 1 of the last access; 0 before the first
    dj_dictionary devices, threads;
    dj_sites sites;
} csv;

static int start(void *state, dj_context *context, const dj_source_options *options)
{
    csv *c = state;
    c->header = options->header;
    c->instructions = options->instructions;
    c->timed = options->clock;
    c->first = true;
    int err = dj_dictionary_create(&c->devices, context);
    if (!err)
        err = dj_sites_create(&c->sites, context);
    if (!err)
        err = dj_dictionary_create(&c->threads, context);
    return err;
}

static void stop(void *state)
{
    csv *c = state;
    dj_dictionary_destroy(&c->threads);
    dj_sites_destroy(&c->sites);
    dj_dictionary_destroy(&c->devices);
}

static const dj_csv_name *names_of(const csv *c)
{
    return c->timed ? names_with_time : names;
}

static void restart(void *state)
{
    ((csv *)state)->first = true;
}

// Of several candidates, the most specific one: an id often just numbers the lines.
static uint8_t find_target(const dj_csv_layout *layout)
{
    static const uint8_t targets[] = {ADDRESS, OFFSET, LBA, KEY};
    for (size_t i = 0; i < sizeof targets; i++)
        if (dj_csv_has(layout, targets[i]))
            return targets[i];
    return 0;
}

// Handles the first line of a file. Sets *skip if it is a header.
static int read_first(csv *c, dj_line_sink *sink, dj_text_field line, bool *skip)
{
    c->first = false;
    *skip = c->named && c->header;
    if (c->named)
        return DJ_OK;
    dj_csv_layout layout;
    dj_csv_read_header(&layout, line, names_of(c));
    uint8_t target = find_target(&layout);
    *skip = target != 0;
    if (target == 0 && (c->target == 0 || c->header))
        return dj_line_expected(sink, line, "a header that names a column key, address, offset or lba");
    if (target == 0)
        return DJ_OK; // a later file continues without a header
    if (c->target != 0 && (target != c->target || layout.roles != c->layout.roles))
        return dj_line_expected(sink, line, "the same columns as in the first file");
    c->layout = layout;
    c->target = target;
    return DJ_OK;
}

// The text of an event. Names are for people, so a long one is truncated.
typedef struct label {
    char text[64];
} label;

static label make_label(dj_csv_field field, bool wanted)
{
    label l = {""};
    size_t bytes = wanted ? dj_field_bytes(field.text) : 0;
    memcpy(l.text, field.text.at, bytes < sizeof l.text ? bytes : sizeof l.text - 1);
    return l;
}

static int find_thread(csv *c, dj_line_sink *sink, dj_csv_field field)
{
    uint32_t id;
    bool fresh;
    if (field.text.at == field.text.end)
        return dj_line_expected(sink, field.text, "a thread, by number or name");
    int err = dj_dictionary_value(&c->threads, sink->context, dj_csv_hash(field), &id, &fresh);
    if (err || c->thread == id + UINT64_C(1))
        return err;
    c->thread = id + UINT64_C(1);
    label name = make_label(field, fresh);
    return dj_line_event(sink, (dj_event){.type = DJ_EVENT_THREAD, .a = id, .text = name.text});
}

static int find_site(csv *c, dj_line_sink *sink, dj_csv_field field, uint32_t *site)
{
    uint64_t pc;
    bool number = dj_csv_number(field, &pc);
    label name = make_label(field, !number);
    return dj_sites_find(&c->sites, sink->context, sink->batch, sink->count, number ? pc : dj_csv_hash(field),
                         name.text, site);
}

// Reads the target, in bytes if that applies.
static const char *read_target(const csv *c, const dj_csv_field *fields, dj_access *access)
{
    dj_csv_field field = fields[c->target];
    switch (c->target) {
    case KEY:
        if (field.doubled)
            access->address = dj_csv_hash(field);
        else if (!dj_field_key(field.text, &access->address))
            return "a key that, if a number, is below 2^64";
        return dj_field_bytes(field.text) ? NULL : "a key";
    case LBA:
        if (dj_csv_number(field, &access->address) && dj_sectors_to_bytes(&access->address))
            return NULL;
        return "a block address below 2^55, decimal or 0x";
    default:
        return dj_csv_number(field, &access->address) ? NULL : "an address below 2^64, decimal or 0x";
    }
}

static const char *read_size(const csv *c, const dj_csv_field *fields, dj_access *access)
{
    if (dj_csv_has(&c->layout, SIZE)) {
        if (!dj_csv_number(fields[SIZE], &access->size))
            return "a size below 2^64";
    } else if (dj_csv_has(&c->layout, SECTORS)) {
        if (!dj_csv_number(fields[SECTORS], &access->size) || !dj_sectors_to_bytes(&access->size))
            return "a number of sectors below 2^55";
    }
    if (c->target != KEY && !dj_range_fits(access->address, access->size))
        return "an access that ends below 2^64";
    return NULL;
}

// Keys use all 64 bits, so there is no space for a device beside one.
static int read_device(csv *c, dj_line_sink *sink, dj_csv_field field, dj_access *access)
{
    bool fresh;
    uint64_t hash = dj_csv_hash(field);
    if (c->target != KEY)
        return dj_dictionary_value(&c->devices, sink->context, hash, &access->device, &fresh);
    access->address = dj_hash_pair(access->address, hash);
    return DJ_OK;
}

// The role of the column with times; SKIP: there is none.
static uint8_t time_role(const dj_csv_layout *layout)
{
    for (int role = TIME; role <= TIME_NS; role++)
        if (dj_csv_has(layout, (uint8_t)role))
            return (uint8_t)role;
    return SKIP;
}

static int read_time(const csv *c, dj_line_sink *sink, const dj_csv_field *fields, dj_access *access)
{
    static const uint64_t units[] = {DJ_CLOCK_S, DJ_CLOCK_MS, DJ_CLOCK_US, DJ_CLOCK_NS};
    uint8_t role = time_role(&c->layout);
    if (role == SKIP || dj_csv_clock(fields[role], units[role - TIME], &access->clock))
        return DJ_OK;
    return dj_line_expected(sink, fields[role].text, "a time");
}

static int line(void *state, dj_line_sink *sink, dj_text_field l)
{
    csv *c = state;
    dj_access access = {0};
    dj_csv_field fields[DJ_CSV_ROLES];
    const char *expected;
    bool skip = false;
    bool opening = c->first;
    int err = opening ? read_first(c, sink, l, &skip) : DJ_OK;
    if (err || skip)
        return err;
    if (!dj_csv_pick(&c->layout, &l, fields, &expected))
        return dj_line_expected(sink, l, expected);
    if ((expected = read_target(c, fields, &access)))
        return dj_line_expected(sink, fields[c->target].text,
                                opening ? "a number (if this line is a header, use --header)" : expected);
    if ((expected = read_size(c, fields, &access)))
        return dj_line_expected(sink, fields[dj_csv_has(&c->layout, SIZE) ? SIZE : SECTORS].text, expected);
    if (dj_csv_has(&c->layout, OP))
        access.kind = dj_field_operation(fields[OP].text);
    if (access.kind == DJ_KIND_FETCH && !c->instructions)
        return DJ_OK;
    if (dj_csv_has(&c->layout, DEVICE))
        err = read_device(c, sink, fields[DEVICE], &access);
    if (!err && dj_csv_has(&c->layout, SITE))
        err = find_site(c, sink, fields[SITE], &access.site);
    if (!err && c->timed)
        err = read_time(c, sink, fields, &access);
    if (!err && dj_csv_has(&c->layout, THREAD))
        err = find_thread(c, sink, fields[THREAD]);
    if (!err)
        dj_line_put(sink, &access);
    return err;
}

static const dj_line_ops ops = {
    .syntax = "the columns that --columns or the header name",
    .columns = DJ_COLUMN_SIZE | DJ_COLUMN_DEVICE | DJ_COLUMN_SITE | DJ_COLUMN_KIND,
    .words = true,
    .score = 55,
    .state_bytes = sizeof(csv),
    .start = start,
    .stop = stop,
    .restart = restart,
    .line = line,
};

static uint32_t columns_of(const csv *c)
{
    const dj_csv_layout *layout = &c->layout;
    return (dj_csv_has(layout, SIZE) || dj_csv_has(layout, SECTORS) ? DJ_COLUMN_SIZE : 0u) |
           (dj_csv_has(layout, DEVICE) && c->target != KEY ? DJ_COLUMN_DEVICE : 0u) |
           (dj_csv_has(layout, SITE) ? DJ_COLUMN_SITE : 0u) | (dj_csv_has(layout, OP) ? DJ_COLUMN_KIND : 0u) |
           (time_role(layout) != SKIP ? DJ_COLUMN_CLOCK : 0u);
}

static int name_columns(csv *c, dj_context *context, const char *columns)
{
    dj_text_field text = {columns, columns + strlen(columns)};
    dj_text_field bad = dj_csv_read_columns(&c->layout, text, names_of(c));
    if (bad.at != text.end)
        return dj_fail(context, DJ_ERR_USAGE,
                       "--columns: '%.*s' is not a column or appears twice; columns are " NAMES,
                       (int)dj_field_bytes(bad), bad.at);
    c->named = true;
    c->target = find_target(&c->layout);
    if (c->target == 0)
        return dj_fail(context, DJ_ERR_USAGE, "--columns: one of key, address, offset and lba must be named");
    return DJ_OK;
}

static int choose_columns(void *reader, dj_context *context, const dj_input *input,
                          const dj_source_options *options)
{
    csv *c = dj_line_state(reader);
    dj_text_field first;
    int err = dj_line_peek(reader, context, &first);
    if (!err && options->columns)
        err = name_columns(c, context, options->columns);
    if (err)
        return err;
    if (c->named) {
        c->layout.separator = dj_csv_separator(first);
    } else if (first.at) {
        dj_csv_read_header(&c->layout, first, names_of(c));
        c->target = find_target(&c->layout);
        if (c->target == 0)
            return dj_fail(context, DJ_ERR_USAGE,
                           "%s:1: the first line names no known column; name the columns with "
                           "--columns, in file order: " NAMES,
                           dj_input_name(input));
    }
    dj_line_set_columns(reader, columns_of(c));
    return DJ_OK;
}

static int csv_probe(const dj_head *head)
{
    return dj_line_probe(&ops, head);
}

static int csv_open(dj_context *context, dj_input *input, const dj_source_options *options, void **state)
{
    int err = dj_line_open(context, &ops, input, options, state);
    if (!err && (err = choose_columns(*state, context, input, options)))
        dj_line_close(*state);
    return err;
}

static void csv_describe(const void *state, dj_source_info *info)
{
    const csv *c = dj_line_state(state);
    info->columns = columns_of(c) & ~(uint32_t)DJ_COLUMN_CLOCK;
    info->provides =
        (columns_of(c) & DJ_COLUMN_CLOCK) | (dj_csv_has(&c->layout, THREAD) ? DJ_COLUMN_THREAD : 0u);
    if (c->target == ADDRESS) {
        info->kind = DJ_CLASS_MEMORY;
        info->default_block = 64;
    } else if (c->target == OFFSET || c->target == LBA) {
        info->kind = DJ_CLASS_BLOCK_IO;
        info->default_block = 4096;
        info->default_split = true;
    }
    info->unit_bytes = info->kind != DJ_CLASS_KEYS;
    info->numbers_devices = (info->columns & DJ_COLUMN_DEVICE) != 0;
}

const dj_format dj_format_csv = {
    .info = {"csv", "separated values; --columns names them, or a header", ".csv .tsv", DJ_CLASS_KEYS, false},
    .columns = DJ_COLUMN_SIZE | DJ_COLUMN_DEVICE | DJ_COLUMN_SITE | DJ_COLUMN_KIND,
    DJ_CLASS_KEYS_TABLE,
    .probe = csv_probe,
    .open = csv_open,
    .describe = csv_describe,
    .resume = dj_line_resume,
    .read = dj_line_read,
    .close = dj_line_close,
    .grows_by = DJ_GROWS_BY_LINES,
};
