// SPDX-License-Identifier: MIT
#include "engine/live_points.h"

#include <string.h>

static const char what[] = "the order of engine parallel";

// Buckets of points are counted in three steps of 32, words within a bucket in two; see inversions.h.
#define MOST_POINTS (UINT64_C(1) << 31)

void dj_live_points_destroy(dj_live_points *live_points)
{
    dj_huge_free(&live_points->words_memory, &live_points->footprint);
    dj_huge_free(&live_points->before_memory, &live_points->footprint);
}

// Many more points than keys, so that the line is compacted rarely.
static int lengthen(dj_live_points *s, dj_context *context, uint64_t needed)
{
    enum { LEAST = 1 << 16, SPARSE = 4 };
    uint64_t capacity = SPARSE * needed < LEAST ? LEAST : SPARSE * needed;
    if (capacity > MOST_POINTS)
        capacity = MOST_POINTS;
    if (needed > MOST_POINTS)
        return dj_fail(context, DJ_ERR_MEMORY,
                       "engine parallel holds at most %llu distinct keys in memory; choose engine tree",
                       (unsigned long long)MOST_POINTS / 2);
    uint64_t lines = capacity / 64 / DJ_LIVE_POINTS_LINE + 1;
    dj_live_points_destroy(s);
    s->capacity = 0;
    int err = dj_huge_allocate(&s->words_memory, &s->footprint, context, what, lines,
                               DJ_LIVE_POINTS_LINE * sizeof *s->words);
    if (!err)
        err = dj_huge_allocate(&s->before_memory, &s->footprint, context, what, lines, sizeof *s->before);
    if (err)
        return err;
    s->words = s->words_memory.memory;
    s->before = s->before_memory.memory;
    s->capacity = capacity;
    return DJ_OK;
}

int dj_live_points_compact(dj_live_points *s, dj_context *context, uint64_t more)
{
    if (2 * (s->live + more) > s->capacity) {
        int err = lengthen(s, context, s->live + more);
        if (err)
            return err;
    } else {
        memset(s->words, 0, (s->points / 64 + 1) * sizeof *s->words);
    }
    for (uint64_t word = 0; word * 64 < s->live; word++)
        s->words[word] = dj_live_points_mask(word, 0, s->live);
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
