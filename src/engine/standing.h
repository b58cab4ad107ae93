// SPDX-License-Identifier: MIT
// The last accesses of all keys, in order: a bit for each on a line of points.
// Between chunks keys that were accessed again leave, and their new last
// accesses are put at the end; within one all threads ask how many stand before
// a point. Functions that take a member are called by all threads of a team.
#ifndef DEJA_ENGINE_STANDING_H
#define DEJA_ENGINE_STANDING_H

#include "base/huge.h"
#include "engine/team.h"

#define DJ_STANDING_NONE UINT32_MAX

// 64 points. What is asked together lies together.
typedef struct dj_standing_word {
    uint64_t live;                        // last accesses before this chunk
    uint64_t leaving;                     // those of them that are accessed again in it
    uint32_t live_before, leaving_before; // in the words before it in its share
} dj_standing_word;

// How many lie in the shares before.
typedef struct dj_standing_base {
    uint64_t live, leaving;
} dj_standing_base;

typedef struct dj_standing {
    dj_standing_word *words;
    dj_huge memory;
    uint64_t points; // given out so far
    uint64_t room;
    unsigned shares;
    uint64_t share_words;   // words of a share; each thread counts one
    dj_standing_base *base; // for each share; [shares]: all
    dj_footprint footprint;
} dj_standing;

int dj_standing_create(dj_standing *standing, dj_context *context, unsigned shares);
void dj_standing_destroy(dj_standing *standing);

// Whether there is no room for `more` points before the line is closed up.
static inline bool dj_standing_is_full(const dj_standing *standing, uint64_t more)
{
    return standing->points + more > standing->room;
}
// One thread, when all points were replaced by their ranks: makes room for `more`.
int dj_standing_close_up(dj_standing *standing, dj_context *context, uint64_t more);

// Counts all anew. The threads meet within, as in the next one.
void dj_standing_count(dj_standing *standing, dj_member *member);
// Takes the leaving points out, puts `more` at the end, and counts.
void dj_standing_advance(dj_standing *standing, dj_member *member, uint64_t more);

static inline uint64_t dj_standing_live(const dj_standing *standing)
{
    return standing->base[standing->shares].live;
}

static inline uint64_t dj_standing_leaving(const dj_standing *standing)
{
    return standing->base[standing->shares].leaving;
}

// A point leaves; any number of threads at once.
static inline void dj_standing_leave(dj_standing *standing, uint32_t point)
{
    _Atomic uint64_t *word = (_Atomic uint64_t *)&standing->words[point / 64].leaving;
    atomic_fetch_or_explicit(word, UINT64_C(1) << point % 64, memory_order_relaxed);
}

// How many stand before a point, of all and of those that leave.
static inline dj_standing_base dj_standing_before(const dj_standing *standing, uint32_t point)
{
    uint64_t at = point / 64, below = (UINT64_C(1) << point % 64) - 1;
    const dj_standing_word *word = &standing->words[at];
    const dj_standing_base *base = &standing->base[at / standing->share_words];
    return (dj_standing_base){
        base->live + word->live_before + (uint64_t)__builtin_popcountll(word->live & below),
        base->leaving + word->leaving_before + (uint64_t)__builtin_popcountll(word->leaving & below)};
}

#endif
