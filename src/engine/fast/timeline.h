// SPDX-License-Identifier: MIT
// The timeline of engine fast: a bit for each point in time, set at the last access to some key, and
// counts above it that directly provide the number of bits set up to a point.
//
// Idea:  A block is a cache line: seven words of bits and one word with seven 9-bit counts, each the
//        number of bits in the words before (after Vigna's rank9). Above it, `in_group` counts the bits
//        of the earlier blocks within a group of 32 blocks; `above[0]` those of the earlier groups
//        within a node of 16 groups; `above[1]` those of the earlier nodes, and so on; the last level
//        has no nodes and at most 64 counts. Counting takes one load per level; removing a bit
//        subtracts one from all later counts of one cache line per level. Bits are added only at the
//        end: a count is set when the end reaches it, so adding a bit touches no count.
// Cost:  O(log keys) with base 16 and one cache line per level; 1.2 bytes per key with 8 points each.
//
// A point is a bit's index in memory, so the indices of the bits that hold counts are never used. Point
// 0 means "not on the timeline".
#ifndef DEJA_ENGINE_FAST_TIMELINE_H
#define DEJA_ENGINE_FAST_TIMELINE_H

#include "base/huge.h"

enum {
    DJ_FAST_BLOCK_BITS = 448,
    DJ_FAST_BLOCK_POINTS = 512,
    DJ_FAST_GROUP_BLOCKS = 32,
    DJ_FAST_NODE = 16,
    DJ_FAST_LEAST_BLOCKS = 16,
    DJ_FAST_TOP = 64,   // maximum number of counts on the last level
    DJ_FAST_LEVELS = 4, // maximum number of `above`
};

typedef struct dj_fast_timeline {
    uint64_t *words;
    uint16_t *in_group;
    uint32_t *above[DJ_FAST_LEVELS];
    uint32_t levels;
    uint32_t top_counts; // number of counts on the last level, a multiple of 16
    uint32_t blocks;     // and one more, which is never reached
    uint32_t now;        // the next point to assign
    dj_huge words_memory, in_group_memory, above_memory[DJ_FAST_LEVELS];
    dj_footprint *footprint;
} dj_fast_timeline;

// Leaves nothing allocated on failure.
int dj_fast_timeline_create(dj_fast_timeline *timeline, dj_context *context, dj_footprint *footprint,
                            uint32_t blocks);
void dj_fast_timeline_destroy(dj_fast_timeline *timeline);
// More than the size of a timeline of so many points.
uint64_t dj_fast_timeline_bytes(uint64_t points);

// Extends the timeline and keeps its contents. Changes nothing on failure.
int dj_fast_timeline_extend(dj_fast_timeline *timeline, dj_context *context, uint32_t blocks);

// How many points are left.
uint64_t dj_fast_timeline_left(const dj_fast_timeline *timeline);

// Sets `count` bits at the end; there must be enough points.
void dj_fast_timeline_append(dj_fast_timeline *timeline, uint64_t count);

// Advances by `count` points, at most 64, and sets the bits that are set in `bits`.
void dj_fast_timeline_append_bits(dj_fast_timeline *timeline, uint64_t bits, uint32_t count);

// Clears a bit, which counts until dj_fast_timeline_recount. Faster than removing many.
static inline void dj_fast_timeline_clear(dj_fast_timeline *timeline, uint32_t point)
{
    timeline->words[point / 64] &= ~(UINT64_C(1) << point % 64);
}
void dj_fast_timeline_recount(dj_fast_timeline *timeline);

// Empties the timeline, then sets `count` bits.
void dj_fast_timeline_reset(dj_fast_timeline *timeline, uint64_t count);

// The number of a point among all usable ones, and the point with a number.
static inline uint64_t dj_fast_timeline_number(uint32_t point)
{
    return (uint64_t)(point / DJ_FAST_BLOCK_POINTS) * DJ_FAST_BLOCK_BITS + point % DJ_FAST_BLOCK_POINTS;
}

static inline uint32_t dj_fast_timeline_numbered(uint64_t number)
{
    return (uint32_t)(number / DJ_FAST_BLOCK_BITS * DJ_FAST_BLOCK_POINTS + number % DJ_FAST_BLOCK_BITS);
}

// The point of the bit that was set as number 0, 1, 2, … after a reset.
static inline uint32_t dj_fast_timeline_point(uint64_t number)
{
    return dj_fast_timeline_numbered(number + 1); // skips point 0
}

// A point that is never assigned. Removing it has no effect.
static inline uint32_t dj_fast_timeline_unused(const dj_fast_timeline *timeline)
{
    return timeline->blocks * DJ_FAST_BLOCK_POINTS;
}

// The next point.
static inline uint32_t dj_fast_timeline_next(uint32_t point)
{
    point++;
    return point % DJ_FAST_BLOCK_POINTS == DJ_FAST_BLOCK_BITS ? point + 64 : point;
}

// The number of set bits before a point.
static inline uint64_t dj_fast_timeline_before(const dj_fast_timeline *timeline, uint32_t point)
{
    uint32_t word = point / 64, block = point / DJ_FAST_BLOCK_POINTS;
    uint64_t in_word = timeline->words[word] & ((UINT64_C(1) << point % 64) - 1);
    uint64_t count = (uint64_t)__builtin_popcountll(in_word) +
                     (timeline->words[word | 7] >> 9 * (word % 8) & 511) + timeline->in_group[block];
    uint32_t at = block / DJ_FAST_GROUP_BLOCKS;
    for (uint32_t level = 0; level < timeline->levels; level++, at /= DJ_FAST_NODE)
        count += timeline->above[level][at];
    return count;
}

#endif
