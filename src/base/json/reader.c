// SPDX-License-Identifier: MIT
#include "base/json/reader.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { DEPTH_MOST = 64, TEXT_MOST = 1 << 24, NUMBER_MOST = 64 };

struct dj_json_reader {
    dj_context *context;
    FILE *in;
    const char *name;
    uint64_t line;
    unsigned depth;
    char *text; // the string read last
    size_t text_bytes, text_capacity;
};

int dj_json_reader_create(dj_context *context, FILE *in, const char *name, dj_json_reader **out)
{
    dj_json_reader *reader = calloc(1, sizeof *reader);
    if (!reader)
        return dj_fail_memory(context, "a JSON reader", sizeof *reader);
    *reader = (dj_json_reader){.context = context, .in = in, .name = name, .line = 1};
    *out = reader;
    return DJ_OK;
}

void dj_json_reader_destroy(dj_json_reader *reader)
{
    if (reader)
        free(reader->text);
    free(reader);
}

dj_context *dj_json_context(const dj_json_reader *reader)
{
    return reader->context;
}

int dj_json_fail(dj_json_reader *reader, const char *format, ...)
{
    char what[512];
    va_list args;
    va_start(args, format);
    vsnprintf(what, sizeof what, format, args);
    va_end(args);
    return dj_fail(reader->context, DJ_ERR_INPUT, "%s:%" PRIu64 ": %s", reader->name, reader->line, what);
}

static int take(dj_json_reader *reader)
{
    int c = getc_unlocked(reader->in);
    if (c == '\n')
        reader->line++;
    return c;
}

static void put_back(dj_json_reader *reader, int c)
{
    if (c == '\n')
        reader->line--;
    if (c != EOF)
        ungetc(c, reader->in);
}

// The first character that is not white space.
static int take_visible(dj_json_reader *reader)
{
    int c;
    do
        c = take(reader);
    while (c == ' ' || c == '\n' || c == '\t' || c == '\r');
    return c;
}

int dj_json_peek(dj_json_reader *reader)
{
    int c = take_visible(reader);
    put_back(reader, c);
    return c;
}

static int unexpected(dj_json_reader *reader, const char *expected, int found)
{
    if (found == EOF && ferror(reader->in))
        return dj_fail(reader->context, DJ_ERR_IO, "%s: cannot read: %s", reader->name, strerror(errno));
    if (found == EOF)
        return dj_json_fail(reader, "expected %s, but the file ends here", expected);
    if (found < 0x20 || found > 0x7e)
        return dj_json_fail(reader, "expected %s, found byte 0x%02x", expected, (unsigned)found);
    return dj_json_fail(reader, "expected %s, found '%c'", expected, found);
}

static int expect(dj_json_reader *reader, int wanted, const char *expected)
{
    int c = take_visible(reader);
    return c == wanted ? DJ_OK : unexpected(reader, expected, c);
}

static int append(dj_json_reader *reader, unsigned byte)
{
    if (reader->text_bytes + 1 >= reader->text_capacity) {
        if (reader->text_capacity >= TEXT_MOST)
            return dj_json_fail(reader, "a string is longer than %d bytes", TEXT_MOST);
        size_t capacity = reader->text_capacity == 0 ? 256 : 2 * reader->text_capacity;
        char *grown = realloc(reader->text, capacity);
        if (!grown)
            return dj_fail_memory(reader->context, "a JSON string", capacity);
        reader->text = grown;
        reader->text_capacity = capacity;
    }
    reader->text[reader->text_bytes++] = (char)byte;
    reader->text[reader->text_bytes] = 0;
    return DJ_OK;
}

static int take_hex4(dj_json_reader *reader, uint32_t *out)
{
    *out = 0;
    for (int i = 0; i < 4; i++) {
        int c = take(reader);
        const char *digits = "0123456789abcdef", *at = c > 0 ? strchr(digits, c | 0x20) : NULL;
        if (!at || (c < '0'))
            return unexpected(reader, "four hexadecimal digits after \\u", c);
        *out = *out << 4 | (uint32_t)(at - digits);
    }
    return DJ_OK;
}

static int append_code(dj_json_reader *reader, uint32_t code)
{
    if (code < 0x80)
        return append(reader, code);
    int err = DJ_OK;
    if (code < 0x800) {
        err = append(reader, 0xc0 | code >> 6);
    } else if (code < 0x10000) {
        err = append(reader, 0xe0 | code >> 12);
        err = err ? err : append(reader, 0x80 | (code >> 6 & 0x3f));
    } else {
        err = append(reader, 0xf0 | code >> 18);
        err = err ? err : append(reader, 0x80 | (code >> 12 & 0x3f));
        err = err ? err : append(reader, 0x80 | (code >> 6 & 0x3f));
    }
    return err ? err : append(reader, 0x80 | (code & 0x3f));
}

static int take_unicode(dj_json_reader *reader)
{
    uint32_t code, low;
    int err = take_hex4(reader, &code);
    if (err != DJ_OK)
        return err;
    if (code == 0)
        return dj_json_fail(reader, "a string contains the character 0");
    if (code < 0xd800 || code > 0xdfff)
        return append_code(reader, code);
    if (code > 0xdbff || take(reader) != '\\' || take(reader) != 'u')
        return dj_json_fail(reader, "half of a surrogate pair in a string");
    err = take_hex4(reader, &low);
    if (err != DJ_OK)
        return err;
    if (low < 0xdc00 || low > 0xdfff)
        return dj_json_fail(reader, "half of a surrogate pair in a string");
    return append_code(reader, 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00));
}

static int take_escape(dj_json_reader *reader)
{
    int c = take(reader);
    switch (c) {
    case 'u':
        return take_unicode(reader);
    case 'b':
        return append(reader, '\b');
    case 'f':
        return append(reader, '\f');
    case 'n':
        return append(reader, '\n');
    case 'r':
        return append(reader, '\r');
    case 't':
        return append(reader, '\t');
    case '"':
    case '\\':
    case '/':
        return append(reader, (unsigned)c);
    default:
        return unexpected(reader, "an escape sequence", c);
    }
}

// Reads a string into reader->text.
static int take_string(dj_json_reader *reader, const char *expected)
{
    int err = expect(reader, '"', expected);
    reader->text_bytes = 0;
    if (err == DJ_OK)
        err = append(reader, 0); // allocates, so that even an empty string has a buffer
    reader->text_bytes = 0;
    while (err == DJ_OK) {
        int c = take(reader);
        if (c == '"') {
            reader->text[reader->text_bytes] = 0;
            break;
        }
        if (c < 0x20)
            err = unexpected(reader, "the end of a string", c);
        else
            err = c == '\\' ? take_escape(reader) : append(reader, (unsigned)c);
    }
    return err;
}

// Reads the characters of a number into `text` of NUMBER_MOST bytes.
static int take_number(dj_json_reader *reader, char *text)
{
    size_t used = 0;
    int c = take_visible(reader);
    if (c != '-' && (c < '0' || c > '9'))
        return unexpected(reader, "a number", c);
    for (; c > 0 && strchr("+-.0123456789eE", c) && used < NUMBER_MOST - 1; c = take(reader))
        text[used++] = (char)c;
    put_back(reader, c);
    text[used] = 0;
    return used < NUMBER_MOST - 1
               ? DJ_OK
               : dj_json_fail(reader, "a number has more than %d characters", NUMBER_MOST - 2);
}

static int parse_uint(dj_json_reader *reader, const char *text, uint64_t *out)
{
    uint64_t value = 0;
    const char *at = text;
    for (; *at >= '0' && *at <= '9'; at++)
        if (__builtin_mul_overflow(value, 10u, &value) ||
            __builtin_add_overflow(value, (uint64_t)(*at - '0'), &value))
            return dj_json_fail(reader, "%.64s is more than 2^64 - 1", text);
    if (at == text || *at)
        return dj_json_fail(reader, "expected a non-negative integer, found \"%.64s\"", text);
    *out = value;
    return DJ_OK;
}

int dj_json_read_uint(dj_json_reader *reader, uint64_t *out)
{
    char number[NUMBER_MOST];
    bool text = dj_json_peek(reader) == '"';
    int err = text ? take_string(reader, "a number") : take_number(reader, number);
    return err != DJ_OK ? err : parse_uint(reader, text ? reader->text : number, out);
}

int dj_json_read_int(dj_json_reader *reader, int64_t *out)
{
    char number[NUMBER_MOST];
    uint64_t size = 0;
    int err = take_number(reader, number);
    if (err != DJ_OK)
        return err;
    bool negative = number[0] == '-';
    err = parse_uint(reader, number + negative, &size);
    if (err == DJ_OK && size > (uint64_t)INT64_MAX + negative)
        err = dj_json_fail(reader, "%s is not between -2^63 and 2^63 - 1", number);
    *out = (int64_t)(negative ? 0 - size : size);
    return err;
}

int dj_json_read_real(dj_json_reader *reader, double *out)
{
    char number[NUMBER_MOST], *end;
    int err = take_number(reader, number);
    if (err != DJ_OK)
        return err;
    *out = strtod(number, &end);
    return *end ? dj_json_fail(reader, "expected a number, found \"%s\"", number) : DJ_OK;
}

int dj_json_read_hex(dj_json_reader *reader, uint64_t *out)
{
    int err = take_string(reader, "a string of hexadecimal digits");
    if (err != DJ_OK)
        return err;
    size_t digits = strspn(reader->text, "0123456789abcdefABCDEF");
    if (digits == 0 || digits > 16 || reader->text[digits])
        return dj_json_fail(reader, "expected 1 to 16 hexadecimal digits, found \"%.32s\"", reader->text);
    *out = strtoull(reader->text, NULL, 16);
    return DJ_OK;
}

int dj_json_read_text(dj_json_reader *reader, char **out)
{
    int err = take_string(reader, "a string");
    if (err != DJ_OK)
        return err;
    char *copy = strdup(reader->text);
    if (!copy)
        return dj_fail_memory(reader->context, "a JSON string", reader->text_bytes);
    free(*out);
    *out = copy;
    return DJ_OK;
}

static int take_word(dj_json_reader *reader, const char *word)
{
    int c = take_visible(reader);
    for (const char *at = word; *at; at++, c = take(reader))
        if (c != *at)
            return unexpected(reader, word, c);
    put_back(reader, c);
    return DJ_OK;
}

int dj_json_read_bool(dj_json_reader *reader, bool *out)
{
    int c = dj_json_peek(reader);
    if (c != 't' && c != 'f')
        return unexpected(reader, "true or false", c);
    *out = c == 't';
    return take_word(reader, *out ? "true" : "false");
}

int dj_json_read_null(dj_json_reader *reader, bool *was_null)
{
    *was_null = dj_json_peek(reader) == 'n';
    return *was_null ? take_word(reader, "null") : DJ_OK;
}

int dj_json_enter(dj_json_reader *reader, char open)
{
    if (reader->depth == DEPTH_MOST)
        return dj_json_fail(reader, "values are nested deeper than %d levels", DEPTH_MOST);
    reader->depth++;
    return expect(reader, open, open == '{' ? "an object" : "a list");
}

int dj_json_step(dj_json_reader *reader, char close, bool first, bool *more)
{
    int c = dj_json_peek(reader);
    *more = c != close;
    if (!*more) {
        reader->depth--;
        (void)take_visible(reader);
        return DJ_OK;
    }
    return first ? DJ_OK : expect(reader, ',', close == '}' ? "',' or '}'" : "',' or ']'");
}

int dj_json_read_key(dj_json_reader *reader, const char **key)
{
    int err = take_string(reader, "a key");
    *key = reader->text;
    return err != DJ_OK ? err : expect(reader, ':', "':' after a key");
}

int dj_json_expect_end(dj_json_reader *reader)
{
    int c = take_visible(reader);
    return c == EOF && !ferror(reader->in) ? DJ_OK : unexpected(reader, "the end of the file", c);
}
