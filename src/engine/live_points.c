// SPDX-License-Identifier: MIT
#include "engine/live_points.h"

#include <string.h>

static const char what[] = "the order of engine parallel";

// Buckets of points are counted in three steps of 32, words within a bucket in two; see inversions.h.
#define MOST_ROOM (UINT64_C(1) << 31)

void dj_live_points_destroy(dj_live_points *standing)
{
    dj_huge_free(&standing->words_memory, &standing->footprint);
    dj_huge_free(&standing->before_memory, &standing->footprint);
}

// Many more points than keys, so that the line is compacted rarely.
static int make_longer(dj_live_points *s, dj_context *context, uint64_t needed)
{
    enum { LEAST = 1 << 16, SPARSE = 4 };
    uint64_t room = SPARSE * needed < LEAST ? LEAST : SPARSE * needed;
    if (room > MOST_ROOM)
        room = MOST_ROOM;
    if (needed > MOST_ROOM)
        return dj_fail(context, DJ_ERR_MEMORY,
                       "engine parallel holds at most %llu distinct keys in memory; choose engine tree",
                       (unsigned long long)MOST_ROOM / 2);
    uint64_t lines = room / 64 / DJ_LIVE_POINTS_LINE + 1;
    dj_live_points_destroy(s);
    s->room = 0;
    int err = dj_huge_allocate(&s->words_memory, &s->footprint, context, what, lines,
                               DJ_LIVE_POINTS_LINE * sizeof *s->words);
    if (!err)
        err = dj_huge_allocate(&s->before_memory, &s->footprint, context, what, lines, sizeof *s->before);
    if (err)
        return err;
    s->words = s->words_memory.memory;
    s->before = s->before_memory.memory;
    s->room = room;
    return DJ_OK;
}

int dj_live_points_close_up(dj_live_points *s, dj_context *context, uint64_t more)
{
    if (2 * (s->live + more) > s->room) {
        int err = make_longer(s, context, s->live + more);
        if (err)
            return err;
    } else {
        memset(s->words, 0, (s->points / 64 + 1) * sizeof *s->words);
    }
    for (uint64_t word = 0; word * 64 < s->live; word++)
        s->words[word] = dj_live_points_points_in(word, 0, s->live);
    s->points = s->live;
    return DJ_OK;
}

void dj_live_points_count(dj_live_points *s)
{
    uint64_t count = 0;
    for (uint64_t line = 0; line * DJ_LIVE_POINTS_LINE * 64 < s->points; line++) {
        s->before[line] = (uint32_t)count;
        for (uint64_t word = line * DJ_LIVE_POINTS_LINE; word < (line + 1) * DJ_LIVE_POINTS_LINE; word++)
            count += (uint64_t)__builtin_popcountll(s->words[word]);
    }
}
