// SPDX-License-Identifier: MIT
// The last accesses of all keys, in order: a bit for each on a line of points.
// Keys that are accessed again leave, and their new last accesses are put at the
// end (inversions.h).
#ifndef DEJA_ENGINE_STANDING_H
#define DEJA_ENGINE_STANDING_H

#include "base/huge.h"

#define DJ_STANDING_NONE UINT32_MAX

enum { DJ_STANDING_LINE = 8 }; // words, a cache line

typedef struct dj_standing {
    uint64_t *words;  // of 64 points each
    uint32_t *before; // how many stand before each line of words, when they were counted last
    dj_huge words_memory, before_memory;
    uint64_t points; // given out so far
    uint64_t live;   // of them
    uint64_t room;
    dj_footprint footprint;
} dj_standing;

void dj_standing_destroy(dj_standing *standing);

// Whether there is no room for `more` points before the line is closed up.
static inline bool dj_standing_is_full(const dj_standing *standing, uint64_t more)
{
    return standing->points + more > standing->room;
}
// When all points were replaced by their ranks: makes room for `more`.
int dj_standing_close_up(dj_standing *standing, dj_context *context, uint64_t more);

// So that dj_standing_rank can be asked until the line changes.
void dj_standing_count(dj_standing *standing);

// How many stand before a point.
static inline uint64_t dj_standing_rank(const dj_standing *standing, uint64_t point)
{
    uint64_t word = point / 64, line = word / DJ_STANDING_LINE;
    uint64_t count = standing->before[line] + (uint64_t)__builtin_popcountll(
                                                  standing->words[word] & ((UINT64_C(1) << point % 64) - 1));
    for (uint64_t at = line * DJ_STANDING_LINE; at < word; at++)
        count += (uint64_t)__builtin_popcountll(standing->words[at]);
    return count;
}

// The points from `from` to `end` - 1 that lie in a word.
static inline uint64_t dj_standing_points_in(uint64_t word, uint64_t from, uint64_t end)
{
    uint64_t first = word * 64;
    if (end <= first || from >= first + 64)
        return 0;
    uint64_t below_end = end - first >= 64 ? UINT64_MAX : (UINT64_C(1) << (end - first)) - 1;
    return from <= first ? below_end : below_end & UINT64_MAX << (from - first);
}

#endif
