// SPDX-License-Identifier: MIT
#include "trace/parse/json_scan.h"

#include <string.h>

enum { DEEPEST = 64 };

bool dj_scan_char(dj_text_field *text, char c)
{
    dj_field_skip_blanks(text);
    return dj_field_skip(text, c);
}

static bool is_hex(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

static bool escape(dj_text_field *text)
{
    if (text->at == text->end)
        return false;
    char c = *text->at++;
    if (c != 'u')
        return c != '\0' && strchr("\"\\/bfnrt", c) != NULL;
    for (int i = 0; i < 4; i++, text->at++)
        if (text->at == text->end || !is_hex(*text->at))
            return false;
    return true;
}

bool dj_scan_string(dj_text_field *text, dj_text_field *inside)
{
    if (!dj_scan_char(text, '"'))
        return false;
    inside->at = text->at;
    while (text->at < text->end) {
        char c = *text->at++;
        inside->end = text->at - 1;
        if (c == '"')
            return true;
        if ((unsigned char)c < 0x20 || (c == '\\' && !escape(text)))
            return false;
    }
    return false;
}

static bool word(dj_text_field *text, const char *name)
{
    size_t bytes = strlen(name);
    if (dj_field_bytes(*text) < bytes || memcmp(text->at, name, bytes) != 0)
        return false;
    text->at += bytes;
    return true;
}

static bool digits(dj_text_field *text)
{
    const char *from = text->at;
    while (text->at < text->end && *text->at >= '0' && *text->at <= '9')
        text->at++;
    return text->at > from;
}

static bool number(dj_text_field *text)
{
    dj_field_skip(text, '-');
    if (!dj_field_skip(text, '0') && !digits(text))
        return false;
    if (dj_field_skip(text, '.') && !digits(text))
        return false;
    if (!dj_field_skip(text, 'e') && !dj_field_skip(text, 'E'))
        return true;
    if (!dj_field_skip(text, '-'))
        dj_field_skip(text, '+');
    return digits(text);
}

static bool scalar(dj_text_field *text)
{
    dj_text_field inside;
    dj_field_skip_blanks(text);
    if (text->at == text->end)
        return false;
    switch (*text->at) {
    case '"':
        return dj_scan_string(text, &inside);
    case 't':
        return word(text, "true");
    case 'f':
        return word(text, "false");
    case 'n':
        return word(text, "null");
    default:
        return number(text);
    }
}

static bool member_name(dj_text_field *text)
{
    dj_text_field name;
    return dj_scan_string(text, &name) && dj_scan_char(text, ':');
}

// Closes what ends here. False: an error; otherwise *depth is the number of open brackets.
static bool close_all(dj_text_field *text, const char *closers, int *depth)
{
    while (*depth > 0 && dj_scan_char(text, closers[*depth - 1]))
        --*depth;
    if (*depth == 0)
        return true;
    return dj_scan_char(text, ',') && (closers[*depth - 1] == ']' || member_name(text));
}

bool dj_scan_skip(dj_text_field *text)
{
    char closers[DEEPEST];
    int depth = 0;
    do {
        bool object = dj_scan_char(text, '{');
        if (object || dj_scan_char(text, '[')) {
            char closer = object ? '}' : ']';
            if (!dj_scan_char(text, closer)) {
                if (depth == DEEPEST)
                    return false;
                closers[depth++] = closer;
                if (object && !member_name(text))
                    return false;
                continue;
            }
        } else if (!scalar(text)) {
            return false;
        }
        if (!close_all(text, closers, &depth))
            return false;
    } while (depth > 0);
    return true;
}
