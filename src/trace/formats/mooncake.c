// SPDX-License-Identifier: MIT
// Requests to a language-model server: JSON lines, whose member hash_ids lists the cache blocks of a prompt.
// The keys are these ids, in order.
#include <string.h>

#include "trace/parse/json_scan.h"
#include "trace/parse/line_reader.h"
#include "trace/registry.h"

// Reads one element and what follows it. False on an error; sets *last at the end.
static bool next_id(dj_text_field *text, uint64_t *id, bool *last)
{
    dj_field_skip_blanks(text);
    bool zero = text->at < text->end && *text->at == '0';
    const char *from = text->at;
    if (!dj_field_decimal(text, id) || (zero && text->at > from + 1))
        return false;
    *last = dj_scan_char(text, ']');
    return *last || dj_scan_char(text, ',');
}

// Checks and skips the list at `text`.
static bool check_ids(dj_text_field *text)
{
    uint64_t id;
    bool last = false;
    if (!dj_scan_char(text, '['))
        return false;
    if (dj_scan_char(text, ']'))
        return true;
    while (!last)
        if (!next_id(text, &id, &last))
            return false;
    return true;
}

static bool is_called(dj_text_field name, const char *wanted)
{
    return dj_field_bytes(name) == strlen(wanted) && memcmp(name.at, wanted, strlen(wanted)) == 0;
}

typedef struct request {
    uint64_t clock;
    bool timed;
    const char *ids; // start of the list
} request;

// Checks the entire line.
static const char *check_line(dj_text_field *text, request *r)
{
    dj_text_field name;
    *r = (request){0};
    if (!dj_scan_char(text, '{'))
        return "a JSON object";
    do {
        if (!dj_scan_string(text, &name) || !dj_scan_char(text, ':'))
            return "the name of a member and a colon";
        if (!is_called(name, "hash_ids")) {
            dj_text_field value = *text;
            dj_field_skip_blanks(&value);
            if (is_called(name, "timestamp"))
                r->timed = dj_field_clock(&value, DJ_CLOCK_MS, &r->clock);
            if (!dj_scan_skip(text))
                return "a JSON value";
            continue;
        }
        if (r->ids)
            return "only one member hash_ids";
        r->ids = text->at;
        if (!check_ids(text))
            return "hash_ids to be a list of integers from 0 to 2^64 - 1";
    } while (dj_scan_char(text, ','));
    if (!dj_scan_char(text, '}') || !dj_field_at_end(text))
        return "a comma, or } at the end of the line";
    return r->ids ? NULL : "a member hash_ids in the object";
}

static int line(void *state, dj_line_sink *sink, dj_text_field l)
{
    request *r = state;
    dj_text_field rest = l;
    if (!sink->given) {
        const char *expected = check_line(&rest, r);
        if (!expected && sink->columns & DJ_COLUMN_CLOCK && !r->timed)
            expected = "a member timestamp in the object";
        if (expected)
            return dj_line_expected(sink, rest, expected);
        rest = (dj_text_field){r->ids, l.end};
        dj_scan_char(&rest, '[');
        if (dj_scan_char(&rest, ']'))
            return DJ_OK;
    } else {
        rest.at += sink->given;
    }
    bool last = false;
    while (!last) {
        dj_access access = {.clock = r->clock};
        sink->given = (uint64_t)(rest.at - l.at);
        if (dj_line_full(sink))
            return DJ_LINE_MORE;
        if (!next_id(&rest, &access.address, &last))
            return dj_line_expected(sink, rest, "an integer from 0 to 2^64 - 1");
        dj_line_put(sink, &access);
    }
    return DJ_OK;
}

static const dj_line_ops ops = {
    .syntax = "{…, \"hash_ids\": [id, …], …}",
    .columns = DJ_COLUMN_CLOCK,
    .score = 95,
    .state_bytes = sizeof(request),
    .line = line,
};

DJ_LINE_FUNCTIONS(ops)

const dj_format dj_format_mooncake = {
    .info = {"mooncake", "JSON lines of a language-model server; the keys are hash_ids", ".jsonl",
             DJ_CLASS_KEYS, false},
    .provides = DJ_COLUMN_CLOCK,
    DJ_CLASS_KEYS_TABLE,
    DJ_LINE_TABLE,
};
