// SPDX-License-Identifier: MIT
#include "base/json/writer.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "base/plain.h"

static bool flat(const dj_json_writer *json)
{
    return json->flat_depth != 0 && json->depth >= json->flat_depth;
}

static void new_line(const dj_json_writer *json)
{
    fprintf(json->out, "\n%*s", (int)(2 * json->depth), "");
}

static void put_escape(FILE *out, uint32_t c)
{
    if (c < 0x10000)
        fprintf(out, "\\u%04x", c);
    else
        fprintf(out, "\\u%04x\\u%04x", 0xd800 + ((c - 0x10000) >> 10), 0xdc00 + (c & 0x3ff));
}

// Characters that must not reach a terminal are escaped; what is not UTF-8 is replaced.
static void put_string(FILE *out, const char *text)
{
    fputc('"', out);
    for (const char *at = text; *at;) {
        uint32_t c = 0;
        bool hostile;
        size_t bytes = dj_plain_decode(at, &c, &hostile);
        if (bytes == 0)
            fputs("\xef\xbf\xbd", out);
        else if (*at == '"' || *at == '\\')
            fprintf(out, "\\%c", *at);
        else if (hostile)
            put_escape(out, c);
        else
            fwrite(at, 1, bytes, out);
        at += bytes == 0 ? 1 : bytes;
    }
    fputc('"', out);
}

static void put_key(dj_json_writer *json, const char *key)
{
    if (json->depth > 0) {
        if (json->filled[json->depth])
            fputs(flat(json) ? ", " : ",", json->out);
        if (!flat(json))
            new_line(json);
        json->filled[json->depth] = true;
    }
    if (key) {
        put_string(json->out, key);
        fputs(": ", json->out);
    }
}

static void begin(dj_json_writer *json, const char *key, char bracket)
{
    put_key(json, key);
    fputc(bracket, json->out);
    json->depth++;
    json->filled[json->depth] = false;
}

static void end(dj_json_writer *json, char bracket)
{
    bool on_one_line = flat(json) || !json->filled[json->depth];
    if (json->flat_depth == json->depth)
        json->flat_depth = 0;
    json->depth--;
    if (!on_one_line)
        new_line(json);
    fputc(bracket, json->out);
}

void dj_json_begin_object(dj_json_writer *json, const char *key)
{
    begin(json, key, '{');
}

void dj_json_end_object(dj_json_writer *json)
{
    end(json, '}');
}

void dj_json_begin_list(dj_json_writer *json, const char *key)
{
    begin(json, key, '[');
}

void dj_json_end_list(dj_json_writer *json)
{
    end(json, ']');
}

static void begin_flat(dj_json_writer *json, const char *key, char bracket)
{
    begin(json, key, bracket);
    if (json->flat_depth == 0)
        json->flat_depth = json->depth;
}

void dj_json_begin_row(dj_json_writer *json, const char *key)
{
    begin_flat(json, key, '{');
}

void dj_json_begin_flat_list(dj_json_writer *json, const char *key)
{
    begin_flat(json, key, '[');
}

void dj_json_text(dj_json_writer *json, const char *key, const char *text)
{
    put_key(json, key);
    put_string(json->out, text);
}

void dj_json_uint(dj_json_writer *json, const char *key, uint64_t value)
{
    put_key(json, key);
    fprintf(json->out, value > INT64_MAX ? "\"%" PRIu64 "\"" : "%" PRIu64, value);
}

void dj_json_int(dj_json_writer *json, const char *key, int64_t value)
{
    put_key(json, key);
    fprintf(json->out, "%" PRId64, value);
}

void dj_json_real(dj_json_writer *json, const char *key, double value)
{
    char digits[40];
    put_key(json, key);
    if (!isfinite(value)) {
        fputs("null", json->out);
        return;
    }
    for (int precision = 6; precision <= 17; precision++) {
        snprintf(digits, sizeof digits, "%.*g", precision, value);
        if (strtod(digits, NULL) == value)
            break;
    }
    fputs(digits, json->out);
}

void dj_json_bool(dj_json_writer *json, const char *key, bool value)
{
    put_key(json, key);
    fputs(value ? "true" : "false", json->out);
}

void dj_json_null(dj_json_writer *json, const char *key)
{
    put_key(json, key);
    fputs("null", json->out);
}

void dj_json_hex(dj_json_writer *json, const char *key, uint64_t value)
{
    put_key(json, key);
    fprintf(json->out, "\"%016" PRIx64 "\"", value);
}

void dj_json_raw(dj_json_writer *json, const char *key, const char *value)
{
    put_key(json, key);
    fputs(value, json->out);
}

void dj_json_copy(dj_json_writer *json, FILE *from, long at, size_t bytes)
{
    char piece[4096];
    if (json->filled[json->depth])
        fputc(',', json->out);
    json->filled[json->depth] = true;
    bool good = fseek(from, at, SEEK_SET) == 0;
    while (good && bytes > 0) {
        size_t want = bytes < sizeof piece ? bytes : sizeof piece;
        good = fread(piece, 1, want, from) == want && fwrite(piece, 1, want, json->out) == want;
        bytes -= want;
    }
}

void dj_json_finish(dj_json_writer *json)
{
    fputc('\n', json->out);
}
