// SPDX-License-Identifier: MIT
#include "base/json/writer.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

static bool flat(const dj_json_writer *json)
{
    return json->flat_depth != 0 && json->depth >= json->flat_depth;
}

static void new_line(const dj_json_writer *json)
{
    fprintf(json->out, "\n%*s", (int)(2 * json->depth), "");
}

// Bytes of the UTF-8 character at `text`, 0 when there is none.
static unsigned character_bytes(const unsigned char *text)
{
    unsigned bytes = text[0] < 0x80 ? 1 : text[0] >= 0xf0 ? 4 : text[0] >= 0xe0 ? 3 : 2;
    if (bytes == 1)
        return 1;
    if (text[0] < 0xc2 || text[0] > 0xf4)
        return 0;
    for (unsigned i = 1; i < bytes; i++)
        if ((text[i] & 0xc0) != 0x80)
            return 0;
    bool overlong = (text[0] == 0xe0 && text[1] < 0xa0) || (text[0] == 0xf0 && text[1] < 0x90);
    bool surrogate = text[0] == 0xed && text[1] >= 0xa0;
    bool too_large = text[0] == 0xf4 && text[1] >= 0x90;
    return overlong || surrogate || too_large ? 0 : bytes;
}

static void put_string(FILE *out, const char *text)
{
    fputc('"', out);
    for (const unsigned char *at = (const unsigned char *)text; *at;) {
        unsigned bytes = character_bytes(at);
        if (bytes == 0)
            fputs("\xef\xbf\xbd", out);
        else if (*at == '"' || *at == '\\')
            fprintf(out, "\\%c", *at);
        else if (*at < 0x20 || *at == 0x7f)
            fprintf(out, "\\u%04x", *at);
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
