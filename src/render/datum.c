// SPDX-License-Identifier: MIT
// Values as people read them.
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/human.h"
#include "render/plain.h"

enum { CAPACITY = 2 * DJ_HUMAN_BYTES + 16 };

bool dj_datum_is_number(const dj_datum *datum)
{
    return datum->kind > DJ_DATUM_WORD && datum->kind != DJ_DATUM_RANGE && datum->kind != DJ_DATUM_SPARK &&
           datum->kind != DJ_DATUM_LIST;
}

static void show_spark(char *to, const uint64_t *heights, size_t count)
{
    static const char *const blocks[] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
    enum { LEVELS = 7 };
    uint64_t most = 0;
    for (size_t i = 0; i < count; i++)
        most = heights[i] > most ? heights[i] : most;
    for (size_t i = 0; i < count && i < DJ_SPARK; i++) {
        unsigned level = (unsigned)((most > 0 ? (double)heights[i] / (double)most : 0) * LEVELS + 0.5);
        to = stpcpy(to, blocks[heights[i] > 0 && level == 0 ? 1 : level]);
    }
    *to = 0;
}

static const char *show_list(dj_arena *arena, const uint64_t *numbers, uint64_t count)
{
    char *text = dj_arena_alloc(arena, (size_t)count, 21), *to = text;
    for (uint64_t i = 0; text && i < count; i++)
        to += sprintf(to, "%s%" PRIu64, i ? " " : "", numbers[i]);
    return text ? text : "";
}

static void show_number(char *to, const dj_datum *d)
{
    switch ((enum dj_datum_kind)d->kind) {
    case DJ_DATUM_COUNT:
        dj_human_count(to, d->count);
        break;
    case DJ_DATUM_NUMBER:
        snprintf(to, CAPACITY, "%" PRIu64, d->count);
        break;
    case DJ_DATUM_SIGNED:
        snprintf(to, CAPACITY, "%" PRId64, d->integer);
        break;
    case DJ_DATUM_SHORT:
        dj_human_short(to, (double)d->count);
        break;
    case DJ_DATUM_REAL:
        dj_human_real(to, d->real, d->decimals);
        break;
    case DJ_DATUM_SHORT_REAL:
        *to = '-';
        if (d->decimals > 0)
            dj_human_fraction(d->real < 0 ? to + 1 : to, fabs(d->real));
        else
            dj_human_short(d->real < 0 ? to + 1 : to, fabs(d->real));
        break;
    case DJ_DATUM_PERCENT:
        dj_human_percent(to, d->real, d->whole);
        break;
    case DJ_DATUM_SHARE:
        dj_human_share(to, d->real, d->whole);
        break;
    case DJ_DATUM_BYTES:
        dj_human_bytes(to, d->count);
        break;
    case DJ_DATUM_SIZE:
        dj_human_size(to, d->count);
        break;
    case DJ_DATUM_HASH:
        snprintf(to, CAPACITY, "%016" PRIx64, d->count);
        break;
    default:
        *to = 0;
    }
}

const char *dj_datum_show(dj_arena *arena, const dj_datum *d, bool unicode)
{
    char figure[CAPACITY], text[CAPACITY + 8];
    if (d->kind <= DJ_DATUM_WORD)
        return d->text ? dj_plain(arena, d->text, unicode) : "";
    if (d->kind == DJ_DATUM_LIST)
        return show_list(arena, d->heights, d->last);
    if (d->kind == DJ_DATUM_RANGE)
        dj_human_range(figure, d->count, d->last);
    else if (d->kind == DJ_DATUM_SPARK)
        show_spark(figure, d->heights, d->last);
    else
        show_number(figure, d);
    snprintf(text, sizeof text, "%s%s", d->about ? "≈" : "", figure);
    const char *plain = dj_plain(arena, text, unicode);
    if (!d->text)
        return plain;
    const char *unit = dj_plain(arena, d->text, unicode);
    size_t bytes = strlen(plain), more = strlen(unit);
    char *both = dj_arena_alloc(arena, bytes + more + 1, 1);
    if (!both)
        return plain;
    memcpy(mempcpy(both, plain, bytes), unit, more);
    return both;
}
