// SPDX-License-Identifier: MIT
#include "render/plain.h"

#include <string.h>

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

enum { LEAST = 3 }; // columns of a name's start, if its last member is long

// The start of character number `columns`.
static const char *skip(const char *plain, unsigned columns)
{
    for (; *plain && columns > 0; columns--)
        do
            plain++;
        while (((unsigned char)*plain & 0xc0) == 0x80);
    return plain;
}

// The columns of the last member of a name, with the "::" or "/" before it: it says most. 0: it has none.
static unsigned member_columns(const char *plain)
{
    const char *last = NULL;
    for (const char *at = plain; *at; at++)
        if (strncmp(at, "::", 2) == 0 || *at == '/')
            last = at;
    return last && !strchr(last, ' ') ? dj_plain_columns(last) : 0;
}

const char *dj_plain_fit(dj_arena *arena, const char *plain, unsigned columns, enum dj_fit fit, bool unicode)
{
    const char *gap = unicode ? "…" : "..";
    unsigned all = dj_plain_columns(plain), gap_columns = unicode ? 1 : 2;
    if (all <= columns)
        return plain;
    unsigned kept = columns > gap_columns ? columns - gap_columns : 0;
    unsigned tail = kept == 0 || fit == DJ_FIT_END ? 0 : kept - kept / 2;
    const unsigned member = fit == DJ_FIT_MIDDLE ? member_columns(plain) : 0;
    if (member > tail && member + LEAST <= kept)
        tail = member;
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
