// SPDX-License-Identifier: MIT
// The last-access order of all keys: a line of points, with a bit set for the last access of each key.
// When a key is accessed again, its bit is cleared and a new one is appended at the end (inversions.h).
#ifndef DEJA_ENGINE_LIVE_POINTS_H
#define DEJA_ENGINE_LIVE_POINTS_H

#include "base/huge.h"

#define DJ_LIVE_POINTS_NONE UINT32_MAX

enum { DJ_LIVE_POINTS_LINE = 8 }; // words per cache line

typedef struct dj_live_points {
    uint64_t *words;  // 64 points each
    uint32_t *before; // number of set bits before each line of words, as of dj_live_points_count
    dj_huge words_memory, before_memory;
    uint64_t points; // in use so far
    uint64_t live;   // number of set bits
    uint64_t capacity;
    dj_footprint footprint;
} dj_live_points;

void dj_live_points_destroy(dj_live_points *live_points);

// Whether the line must be compacted before `more` points can be appended.
static inline bool dj_live_points_is_full(const dj_live_points *live_points, uint64_t more)
{
    return live_points->points + more > live_points->capacity;
}
// Call when all points have been replaced by their ranks: makes space for `more`.
int dj_live_points_compact(dj_live_points *live_points, dj_context *context, uint64_t more);

// Prepares for dj_live_points_rank, which is valid until the line changes.
void dj_live_points_count(dj_live_points *live_points);

// The number of live points before a point.
static inline uint64_t dj_live_points_rank(const dj_live_points *live_points, uint64_t point)
{
    uint64_t word = point / 64, line = word / DJ_LIVE_POINTS_LINE;
    uint64_t count =
        live_points->before[line] +
        (uint64_t)__builtin_popcountll(live_points->words[word] & ((UINT64_C(1) << point % 64) - 1));
    for (uint64_t at = line * DJ_LIVE_POINTS_LINE; at < word; at++)
        count += (uint64_t)__builtin_popcountll(live_points->words[at]);
    return count;
}

// The points from `from` to `end` - 1 that lie in a word, as a bit mask.
static inline uint64_t dj_live_points_mask(uint64_t word, uint64_t from, uint64_t end)
{
    uint64_t first = word * 64;
    if (end <= first || from >= first + 64)
        return 0;
    uint64_t below_end = end - first >= 64 ? UINT64_MAX : (UINT64_C(1) << (end - first)) - 1;
    return from <= first ? below_end : below_end & UINT64_MAX << (from - first);
}

#endif
