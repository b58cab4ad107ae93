// SPDX-License-Identifier: MIT
#include "base/plain.h"

#include <string.h>

// The character at `at` and its length; 0 if it is not valid UTF-8.
static size_t decode(const unsigned char *at, uint32_t *out)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    unsigned char first = at[0];
    size_t length = first < 0x80   ? 1
                    : first < 0xc2 ? 0
                    : first < 0xe0 ? 2
                    : first < 0xf0 ? 3
                    : first < 0xf5 ? 4
                                   : 0;
    uint32_t c = length < 2 ? first : first & (0xffu >> (length + 1));
    for (size_t i = 1; i < length; i++) {
        if ((at[i] & 0xc0) != 0x80)
            return 0;
        c = c << 6 | (at[i] & 0x3fu);
    }
    if (length == 0 || c < least[length] || c > 0x10ffff || (c >= 0xd800 && c < 0xe000))
        return 0;
    *out = c;
    return length;
}

// Terminal, bidirectional and line controls, characters that nobody sees (Unicode calls them default
// ignorable), and what XML does not allow.
static bool is_hostile(uint32_t c)
{
    static const uint32_t ranges[][2] = {
        {0, 0x1f},        {0x7f, 0x9f},     {0xad, 0xad},       {0x34f, 0x34f},     {0x61c, 0x61c},
        {0x115f, 0x1160}, {0x17b4, 0x17b5}, {0x180b, 0x180f},   {0x200b, 0x200f},   {0x2028, 0x202e},
        {0x2060, 0x206f}, {0x3164, 0x3164}, {0xfdd0, 0xfdef},   {0xfe00, 0xfe0f},   {0xfeff, 0xfeff},
        {0xffa0, 0xffa0}, {0xfff0, 0xfffb}, {0x1bca0, 0x1bca3}, {0x1d173, 0x1d17a}, {0xe0000, 0xe0fff}};
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++)
        if (c >= ranges[i][0] && c <= ranges[i][1])
            return true;
    return (c & 0xfffe) == 0xfffe;
}

size_t dj_plain_decode(const char *at, uint32_t *out, bool *hostile)
{
    size_t length = decode((const unsigned char *)at, out);
    *hostile = length == 0 || (*out < 0x80 ? *out < 0x20 || *out == 0x7f : is_hostile(*out));
    return length;
}

// ASCII replacements of the signs in documents.
static const char *in_ascii(const char *at, size_t length)
{
    static const char *const signs[][2] = {{"–", "-"},   {"→", "->"}, {"≈", "~"}, {"…", "..."}, {"↳", "->"},
                                           {"⋮", "..."}, {"·", "."},  {"●", "@"}, {"○", "O"},   {"∘", "o"},
                                           {"×", "x"},   {"│", "|"},  {"▁", "_"}, {"▂", "."},   {"▃", ":"},
                                           {"▄", "-"},   {"▅", "="},  {"▆", "+"}, {"▇", "*"},   {"█", "#"}};
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
        if (strlen(signs[i][0]) == length && memcmp(signs[i][0], at, length) == 0)
            return signs[i][1];
    return "?";
}

size_t dj_plain_next(const char **at, bool unicode, const char **out)
{
    static const char dot[] = " · ";
    const char *text = *at;
    uint32_t c = 0;
    bool hostile;
    if (!*text)
        return 0;
    if (!unicode && strncmp(text, dot, sizeof dot - 1) == 0) {
        *at += sizeof dot - 1;
        *out = ", ";
        return 2;
    }
    size_t length = dj_plain_decode(text, &c, &hostile);
    *at += length ? length : 1;
    *out = hostile ? "?" : c >= 0x80 && !unicode ? in_ascii(text, length) : text;
    return *out == text ? length : strlen(*out);
}

void dj_plain_print(FILE *out, const char *text, bool unicode)
{
    const char *piece;
    size_t bytes;
    while ((bytes = dj_plain_next(&text, unicode, &piece)) > 0)
        fwrite(piece, 1, bytes, out);
}

void dj_plain_clean(char *text)
{
    const char *at = text, *piece;
    char *to = text;
    size_t bytes;
    while ((bytes = dj_plain_next(&at, true, &piece)) > 0) {
        memmove(to, piece, bytes);
        to += bytes;
    }
    *to = 0;
}
