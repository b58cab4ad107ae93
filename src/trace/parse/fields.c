// SPDX-License-Identifier: MIT
#include "trace/parse/fields.h"

#include <deja/batch.h>

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "trace/parse/digits.h"

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c | 0x20) : c;
}

// Value + 1 of each hexadecimal digit, 0 for other characters.
static const uint8_t hex_digits[256] = {
    ['0'] = 1,  ['1'] = 2,  ['2'] = 3,  ['3'] = 4,  ['4'] = 5,  ['5'] = 6,  ['6'] = 7,  ['7'] = 8,
    ['8'] = 9,  ['9'] = 10, ['a'] = 11, ['b'] = 12, ['c'] = 13, ['d'] = 14, ['e'] = 15, ['f'] = 16,
    ['A'] = 11, ['B'] = 12, ['C'] = 13, ['D'] = 14, ['E'] = 15, ['F'] = 16,
};

static unsigned hex_digit(char c)
{
    return hex_digits[(unsigned char)c];
}

enum { SAFE_DIGITS = 19 }; // any number with this many digits fits into 64 bits

bool dj_field_decimal(dj_text_field *field, uint64_t *out)
{
    const char *at = field->at;
    const char *short_end = field->end - at >= DJ_DIGITS_BYTES ? dj_digits_read(at, out) : NULL;
    if (short_end) {
        field->at = short_end;
        return true;
    }
    const char *safe = field->end - at > SAFE_DIGITS ? at + SAFE_DIGITS : field->end;
    uint64_t value = 0;
    for (; at < safe && is_digit(*at); at++)
        value = value * 10 + (uint64_t)(*at - '0');
    for (; at == safe && at < field->end && is_digit(*at); safe = ++at)
        if (__builtin_mul_overflow(value, UINT64_C(10), &value) ||
            __builtin_add_overflow(value, (uint64_t)(*at - '0'), &value))
            return false;
    if (at == field->at)
        return false;
    field->at = at;
    *out = value;
    return true;
}

static bool has_hex_prefix(const dj_text_field *field)
{
    return field->end - field->at > 2 && field->at[0] == '0' && lower(field->at[1]) == 'x' &&
           hex_digit(field->at[2]) > 0;
}

bool dj_field_hex(dj_text_field *field, uint64_t *out)
{
    const char *from = has_hex_prefix(field) ? field->at + 2 : field->at;
    const char *at = from;
    uint64_t value = 0;
    for (; at < field->end; at++) {
        unsigned digit = hex_digit(*at);
        if (digit == 0)
            break;
        if (value >> 60)
            return false;
        value = value << 4 | (digit - 1);
    }
    if (at == from)
        return false;
    field->at = at;
    *out = value;
    return true;
}

bool dj_field_number(dj_text_field *field, uint64_t *out)
{
    return has_hex_prefix(field) ? dj_field_hex(field, out) : dj_field_decimal(field, out);
}

static size_t skip_digits(dj_text_field *field)
{
    const char *from = field->at;
    while (field->at < field->end && is_digit(*field->at))
        field->at++;
    return (size_t)(field->at - from);
}

static void skip_sign(dj_text_field *field)
{
    if (!dj_field_skip(field, '-'))
        dj_field_skip(field, '+');
}

bool dj_field_skip_real(dj_text_field *field)
{
    dj_text_field f = *field;
    skip_sign(&f);
    size_t digits = skip_digits(&f);
    if (dj_field_skip(&f, '.'))
        digits += skip_digits(&f);
    if (digits == 0)
        return false;
    if (f.at < f.end && lower(*f.at) == 'e') {
        dj_text_field exponent = {f.at + 1, f.end};
        skip_sign(&exponent);
        if (skip_digits(&exponent) > 0)
            f = exponent;
    }
    *field = f;
    return true;
}

// With an exponent, which is rare, a few digits may be lost.
static uint64_t clock_of(dj_text_field text, uint64_t unit)
{
    char copy[64];
    size_t bytes = dj_field_bytes(text) < sizeof copy ? dj_field_bytes(text) : sizeof copy - 1;
    memcpy(copy, text.at, bytes);
    copy[bytes] = 0;
    double value = strtod(copy, NULL) * (double)unit;
    return value > -9.2e18 && value < 9.2e18 ? (uint64_t)(int64_t)value : 0;
}

bool dj_field_clock(dj_text_field *field, uint64_t unit, uint64_t *clock)
{
    dj_text_field f = *field, all = *field;
    if (!dj_field_skip_real(field))
        return false;
    all.end = field->at;
    bool negative = *f.at == '-';
    uint64_t sum = 0, scale = unit;
    for (f.at += negative || *f.at == '+'; f.at < all.end && *f.at >= '0' && *f.at <= '9'; f.at++)
        sum = sum * 10 + (uint64_t)(*f.at - '0');
    sum *= unit;
    for (f.at += f.at < all.end && *f.at == '.'; f.at < all.end && *f.at >= '0' && *f.at <= '9'; f.at++) {
        scale /= 10; // 0 below a nanosecond
        sum += scale * (uint64_t)(*f.at - '0');
    }
    *clock = f.at < all.end ? clock_of(all, unit) : negative ? 0 - sum : sum;
    return true;
}

bool dj_field_word(dj_text_field *field, dj_text_field *word)
{
    const char *at = field->at;
    while (at < field->end && !dj_is_blank(*at))
        at++;
    *word = (dj_text_field){field->at, at};
    field->at = at;
    return word->at < word->end;
}

bool dj_field_until(dj_text_field *field, char separator, dj_text_field *word)
{
    const char *stop = field->at; // fields are short: calling memchr costs more
    while (stop < field->end && *stop != separator)
        stop++;
    *word = dj_field_trim((dj_text_field){field->at, stop});
    field->at = stop;
    return word->at < word->end;
}

dj_text_field dj_field_trim(dj_text_field field)
{
    dj_field_skip_blanks(&field);
    while (field.end > field.at && dj_is_blank(field.end[-1]))
        field.end--;
    return field;
}

dj_text_field dj_field_skip_bom(dj_text_field line)
{
    if (dj_field_bytes(line) >= 3 && memcmp(line.at, "\xef\xbb\xbf", 3) == 0)
        line.at += 3;
    return line;
}

bool dj_field_is(dj_text_field field, const char *text)
{
    for (; field.at < field.end; field.at++, text++)
        if (*text == '\0' || lower(*field.at) != lower(*text))
            return false;
    return *text == '\0';
}

bool dj_field_kind(dj_text_field word, uint8_t *kind)
{
    if (dj_field_is(word, "r") || dj_field_is(word, "read"))
        *kind = DJ_KIND_READ;
    else if (dj_field_is(word, "w") || dj_field_is(word, "write"))
        *kind = DJ_KIND_WRITE;
    else
        return false;
    return true;
}

uint8_t dj_field_operation(dj_text_field word)
{
    static const struct {
        const char *name;
        uint8_t kind;
    } operations[] = {
        {"r", DJ_KIND_READ},        {"w", DJ_KIND_WRITE},     {"read", DJ_KIND_READ},
        {"write", DJ_KIND_WRITE},   {"get", DJ_KIND_READ},    {"set", DJ_KIND_WRITE},
        {"gets", DJ_KIND_READ},     {"put", DJ_KIND_WRITE},   {"get_lease", DJ_KIND_READ},
        {"l", DJ_KIND_READ},        {"s", DJ_KIND_WRITE},     {"set_lease", DJ_KIND_WRITE},
        {"load", DJ_KIND_READ},     {"store", DJ_KIND_WRITE}, {"add", DJ_KIND_WRITE},
        {"replace", DJ_KIND_WRITE}, {"cas", DJ_KIND_WRITE},   {"append", DJ_KIND_WRITE},
        {"prepend", DJ_KIND_WRITE}, {"m", DJ_KIND_MODIFY},    {"modify", DJ_KIND_MODIFY},
        {"incr", DJ_KIND_MODIFY},   {"decr", DJ_KIND_MODIFY}, {"i", DJ_KIND_FETCH},
        {"fetch", DJ_KIND_FETCH},   {"28", DJ_KIND_READ},     {"2a", DJ_KIND_WRITE},
        {"88", DJ_KIND_READ},       {"8a", DJ_KIND_WRITE},    {"a8", DJ_KIND_READ},
        {"aa", DJ_KIND_WRITE},
    };
    for (size_t i = 0; i < sizeof operations / sizeof *operations; i++)
        if (dj_field_is(word, operations[i].name))
            return operations[i].kind;
    return DJ_KIND_OTHER;
}

bool dj_field_device(dj_text_field *field, uint32_t *out)
{
    dj_text_field from = *field;
    uint64_t value = 0;
    if (!dj_field_decimal(field, &value))
        return false;
    if (value > UINT32_MAX) {
        *field = from;
        return false;
    }
    *out = (uint32_t)value;
    return true;
}

uint64_t dj_field_hash(dj_text_field word)
{
    return XXH3_64bits(word.at, dj_field_bytes(word));
}

uint64_t dj_hash_pair(uint64_t a, uint64_t b)
{
    const uint64_t pair[] = {a, b};
    return XXH3_64bits(pair, sizeof pair);
}

static bool is_number(dj_text_field word)
{
    if (!has_hex_prefix(&word))
        return skip_digits(&word) > 0 && word.at == word.end;
    word.at += 2;
    while (word.at < word.end && hex_digit(*word.at) > 0)
        word.at++;
    return word.at == word.end;
}

bool dj_field_key(dj_text_field word, uint64_t *key)
{
    dj_text_field rest = word;
    if (dj_field_number(&rest, key) && rest.at == rest.end)
        return true;
    if (is_number(word))
        return false;
    *key = dj_field_hash(word);
    return true;
}
