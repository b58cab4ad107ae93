// SPDX-License-Identifier: MIT
// The timeline of engine fast: a bit for each point in time, set where some
// key was accessed last, and counts over it that tell at once how many bits
// are set up to a point.
//
// Idea: a block is a cache line: seven words of bits and one word with seven
// 9-bit counts, of the bits in the words before each (after Vigna's rank9).
// Above it, `in_group` counts the bits of the blocks before, within a group of
// 32 blocks; `above[0]` those of the groups before, within a node of 16 groups;
// `above[1]` those of the nodes before, and so on; the last level has no nodes
// and 64 counts at most. To count takes one load a level; to take a bit out,
// one is subtracted from all later counts of one cache line a level. Bits are
// added at the end only: a count is set when the end reaches it, so adding a
// bit touches no count.
// Cost: O(log keys) with a base of 16 and one cache line a level; 1.2 bytes a
// key with 8 points for each.
//
// A point is a bit's number in the memory, so the numbers of the bits that
// hold counts are never used. Point 0 stands for "not on the timeline".
#ifndef DEJA_ENGINE_FAST_TIMELINE_H
#define DEJA_ENGINE_FAST_TIMELINE_H

#include "base/huge.h"

enum {
    DJ_FAST_BLOCK_BITS = 448,
    DJ_FAST_BLOCK_POINTS = 512,
    DJ_FAST_GROUP_BLOCKS = 32,
    DJ_FAST_NODE = 16,
    DJ_FAST_LEAST_BLOCKS = 16,
    DJ_FAST_TOP = 64,   // counts of the last level, at most
    DJ_FAST_LEVELS = 4, // of `above`, at most
};

typedef struct dj_fast_timeline {
    uint64_t *words;
    uint16_t *in_group;
    uint32_t *above[DJ_FAST_LEVELS];
    uint32_t levels;
    uint32_t top_counts; // of the last level, a multiple of 16
    uint32_t blocks;     // and one more, which is never reached
    uint32_t now;        // the next point to be given out
    dj_huge words_memory, in_group_memory, above_memory[DJ_FAST_LEVELS];
    dj_footprint *footprint;
} dj_fast_timeline;

// On failure nothing is held.
int dj_fast_timeline_create(dj_fast_timeline *timeline, dj_context *context, dj_footprint *footprint,
                            uint32_t blocks);
void dj_fast_timeline_destroy(dj_fast_timeline *timeline);

// Makes the timeline longer; what is there stays. On failure it is as it was.
int dj_fast_timeline_extend(dj_fast_timeline *timeline, dj_context *context, uint32_t blocks);

// How many more points can be given out.
uint64_t dj_fast_timeline_room(const dj_fast_timeline *timeline);

// Sets `count` bits at the end; there must be room.
void dj_fast_timeline_append(dj_fast_timeline *timeline, uint64_t count);

// Goes on by `count` points, of 64 at most, and sets those bits that `bits` has.
void dj_fast_timeline_append_bits(dj_fast_timeline *timeline, uint64_t bits, uint32_t count);

// Empties the timeline, then sets `count` bits.
void dj_fast_timeline_reset(dj_fast_timeline *timeline, uint64_t count);

// The number of a point among all that can be given out, and the point with a number.
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
    return dj_fast_timeline_numbered(number + 1); // for point 0
}

// A point that is never given out. To take it out changes nothing.
static inline uint32_t dj_fast_timeline_spare(const dj_fast_timeline *timeline)
{
    return timeline->blocks * DJ_FAST_BLOCK_POINTS;
}

// The point that follows.
static inline uint32_t dj_fast_timeline_next(uint32_t point)
{
    point++;
    return point % DJ_FAST_BLOCK_POINTS == DJ_FAST_BLOCK_BITS ? point + 64 : point;
}

// How many bits are set before a point.
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
