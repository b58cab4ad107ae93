// SPDX-License-Identifier: MIT
// The last accesses of all keys, in order: a bit for each on a line of points.
// Keys that are accessed again leave, and their new last accesses are put at the
// end (inversions.h).
#ifndef DEJA_ENGINE_LIVE_POINTS_H
#define DEJA_ENGINE_LIVE_POINTS_H

#include "base/huge.h"

#define DJ_LIVE_POINTS_NONE UINT32_MAX

enum { DJ_LIVE_POINTS_LINE = 8 }; // words, a cache line

typedef struct dj_live_points {
    uint64_t *words;  // of 64 points each
    uint32_t *before; // how many stand before each line of words, when they were counted last
    dj_huge words_memory, before_memory;
    uint64_t points; // given out so far
    uint64_t live;   // of them
    uint64_t room;
    dj_footprint footprint;
} dj_live_points;

void dj_live_points_destroy(dj_live_points *standing);

// Whether there is no room for `more` points before the line is closed up.
static inline bool dj_live_points_is_full(const dj_live_points *standing, uint64_t more)
{
    return standing->points + more > standing->room;
}
// When all points were replaced by their ranks: makes room for `more`.
int dj_live_points_close_up(dj_live_points *standing, dj_context *context, uint64_t more);

// So that dj_live_points_rank can be asked until the line changes.
void dj_live_points_count(dj_live_points *standing);

// How many stand before a point.
static inline uint64_t dj_live_points_rank(const dj_live_points *standing, uint64_t point)
{
    uint64_t word = point / 64, line = word / DJ_LIVE_POINTS_LINE;
    uint64_t count = standing->before[line] + (uint64_t)__builtin_popcountll(
                                                  standing->words[word] & ((UINT64_C(1) << point % 64) - 1));
    for (uint64_t at = line * DJ_LIVE_POINTS_LINE; at < word; at++)
        count += (uint64_t)__builtin_popcountll(standing->words[at]);
    return count;
}

// The points from `from` to `end` - 1 that lie in a word.
static inline uint64_t dj_live_points_points_in(uint64_t word, uint64_t from, uint64_t end)
{
    uint64_t first = word * 64;
    if (end <= first || from >= first + 64)
        return 0;
    uint64_t below_end = end - first >= 64 ? UINT64_MAX : (UINT64_C(1) << (end - first)) - 1;
    return from <= first ? below_end : below_end & UINT64_MAX << (from - first);
}

#endif
