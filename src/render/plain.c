// SPDX-License-Identifier: MIT
#include "render/plain.h"

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

// Terminal, bidirectional and line controls, invisible characters, and what XML does not allow.
static bool is_hostile(uint32_t c)
{
    static const uint32_t ranges[][2] = {{0, 0x1f},        {0x7f, 0x9f},     {0xad, 0xad},
                                         {0x61c, 0x61c},   {0x180e, 0x180e}, {0x200b, 0x200f},
                                         {0x2028, 0x202e}, {0x2060, 0x206f}, {0xfdd0, 0xfdef},
                                         {0xfeff, 0xfeff}, {0xfff0, 0xfffb}, {0xe0000, 0xe0fff}};
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++)
        if (c >= ranges[i][0] && c <= ranges[i][1])
            return true;
    return (c & 0xfffe) == 0xfffe;
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
    if (!*text)
        return 0;
    if (!unicode && strncmp(text, dot, sizeof dot - 1) == 0) {
        *at += sizeof dot - 1;
        *out = ", ";
        return 2;
    }
    size_t length = decode((const unsigned char *)text, &c);
    *at += length ? length : 1;
    *out = length == 0 || is_hostile(c) ? "?" : c >= 0x80 && !unicode ? in_ascii(text, length) : text;
    return *out == text ? length : strlen(*out);
}

const char *dj_plain(dj_arena *arena, const char *text, bool unicode)
{
    const char *at = text, *piece;
    size_t bytes = 0, more;
    while ((more = dj_plain_next(&at, unicode, &piece)) > 0)
        bytes += more;
    char *plain = dj_arena_alloc(arena, bytes + 1, 1), *to = plain;
    for (at = text; plain && (more = dj_plain_next(&at, unicode, &piece)) > 0;)
        to = mempcpy(to, piece, more);
    return plain ? plain : "";
}

unsigned dj_plain_columns(const char *plain)
{
    unsigned columns = 0;
    for (; *plain; plain++)
        columns += ((unsigned char)*plain & 0xc0) != 0x80;
    return columns;
}

// The start of character number `columns`.
static const char *skip(const char *plain, unsigned columns)
{
    for (; *plain && columns > 0; columns--)
        do
            plain++;
        while (((unsigned char)*plain & 0xc0) == 0x80);
    return plain;
}

const char *dj_plain_fit(dj_arena *arena, const char *plain, unsigned columns, enum dj_fit fit, bool unicode)
{
    const char *gap = unicode ? "…" : "..";
    unsigned all = dj_plain_columns(plain), gap_columns = unicode ? 1 : 2;
    if (all <= columns)
        return plain;
    unsigned kept = columns > gap_columns ? columns - gap_columns : 0;
    unsigned tail = kept == 0 || fit == DJ_FIT_END ? 0 : kept - kept / 2;
    size_t head_bytes = (size_t)(skip(plain, kept ? kept - tail : columns) - plain);
    const char *end = skip(plain, all - tail);
    size_t end_bytes = strlen(end), gap_bytes = kept ? strlen(gap) : 0;
    char *fitted = dj_arena_alloc(arena, head_bytes + gap_bytes + end_bytes + 1, 1);
    if (!fitted)
        return "";
    char *to = mempcpy(fitted, plain, head_bytes);
    to = mempcpy(to, gap, gap_bytes);
    memcpy(to, end, end_bytes);
    return fitted;
}

void dj_plain_print(FILE *out, const char *text, bool unicode)
{
    const char *piece;
    size_t bytes;
    while ((bytes = dj_plain_next(&text, unicode, &piece)) > 0)
        fwrite(piece, 1, bytes, out);
}
