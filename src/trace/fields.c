// SPDX-License-Identifier: MIT
#include "trace/fields.h"

#include <deja/batch.h>

#include <string.h>
#include <xxhash.h>

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c | 0x20) : c;
}

bool dj_field_decimal(dj_field *field, uint64_t *out)
{
    const char *at = field->at;
    uint64_t value = 0;
    for (; at < field->end && is_digit(*at); at++) {
        uint64_t digit = (uint64_t)(*at - '0');
        if (value > (UINT64_MAX - digit) / 10)
            return false;
        value = value * 10 + digit;
    }
    if (at == field->at)
        return false;
    field->at = at;
    *out = value;
    return true;
}

static int hex_digit(char c)
{
    if (is_digit(c))
        return c - '0';
    c = lower(c);
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static bool has_hex_prefix(const dj_field *field)
{
    return field->end - field->at > 2 && field->at[0] == '0' && lower(field->at[1]) == 'x' &&
           hex_digit(field->at[2]) >= 0;
}

bool dj_field_hex(dj_field *field, uint64_t *out)
{
    const char *from = has_hex_prefix(field) ? field->at + 2 : field->at;
    const char *at = from;
    uint64_t value = 0;
    for (; at < field->end; at++) {
        int digit = hex_digit(*at);
        if (digit < 0)
            break;
        if (value >> 60)
            return false;
        value = value << 4 | (uint64_t)digit;
    }
    if (at == from)
        return false;
    field->at = at;
    *out = value;
    return true;
}

bool dj_field_number(dj_field *field, uint64_t *out)
{
    return has_hex_prefix(field) ? dj_field_hex(field, out) : dj_field_decimal(field, out);
}

static size_t eat_digits(dj_field *field)
{
    const char *from = field->at;
    while (field->at < field->end && is_digit(*field->at))
        field->at++;
    return (size_t)(field->at - from);
}

static void eat_sign(dj_field *field)
{
    if (!dj_field_take(field, '-'))
        dj_field_take(field, '+');
}

bool dj_field_skip_real(dj_field *field)
{
    dj_field f = *field;
    eat_sign(&f);
    size_t digits = eat_digits(&f);
    if (dj_field_take(&f, '.'))
        digits += eat_digits(&f);
    if (digits == 0)
        return false;
    if (f.at < f.end && lower(*f.at) == 'e') {
        dj_field exponent = {f.at + 1, f.end};
        eat_sign(&exponent);
        if (eat_digits(&exponent) > 0)
            f = exponent;
    }
    *field = f;
    return true;
}

bool dj_field_word(dj_field *field, dj_field *word)
{
    const char *at = field->at;
    while (at < field->end && !dj_is_blank(*at))
        at++;
    *word = (dj_field){field->at, at};
    field->at = at;
    return word->at < word->end;
}

bool dj_field_until(dj_field *field, char separator, dj_field *word)
{
    const char *stop = memchr(field->at, separator, dj_field_bytes(*field));
    if (!stop)
        stop = field->end;
    *word = dj_field_trim((dj_field){field->at, stop});
    field->at = stop;
    return word->at < word->end;
}

dj_field dj_field_trim(dj_field field)
{
    dj_field_gap(&field);
    while (field.end > field.at && dj_is_blank(field.end[-1]))
        field.end--;
    return field;
}

bool dj_field_is(dj_field field, const char *text)
{
    for (; field.at < field.end; field.at++, text++)
        if (*text == '\0' || lower(*field.at) != lower(*text))
            return false;
    return *text == '\0';
}

bool dj_field_kind(dj_field word, uint8_t *kind)
{
    if (dj_field_is(word, "r") || dj_field_is(word, "read"))
        *kind = DJ_KIND_READ;
    else if (dj_field_is(word, "w") || dj_field_is(word, "write"))
        *kind = DJ_KIND_WRITE;
    else
        return false;
    return true;
}

uint64_t dj_field_hash(dj_field word)
{
    return XXH3_64bits(word.at, dj_field_bytes(word));
}

bool dj_field_key(dj_field word, uint64_t *key)
{
    dj_field rest = word;
    if (dj_field_number(&rest, key) && rest.at == rest.end)
        return true;
    rest = word;
    if (eat_digits(&rest) > 0 && rest.at == rest.end)
        return false;
    *key = dj_field_hash(word);
    return true;
}
