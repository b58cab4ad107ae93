// SPDX-License-Identifier: MIT
#include "engine/fast/timeline.h"

#include <string.h>

enum { BLOCK_WORDS = 8, COUNT_WORD = 7, COUNT_BITS = 9 };

static const char what[] = "the timeline of engine fast";

static uint32_t divide_up(uint32_t a, uint32_t b)
{
    return a / b + (a % b != 0);
}

// Allocates the levels above groups. The caller frees them on failure.
static int allocate_levels(dj_fast_timeline *t, dj_context *context, uint32_t groups)
{
    uint32_t counts = groups;
    bool top;
    do {
        top = counts <= DJ_FAST_TOP;
        uint32_t nodes = divide_up(counts, DJ_FAST_NODE);
        int err = dj_huge_allocate(&t->above_memory[t->levels], t->footprint, context, what, nodes,
                                   DJ_FAST_NODE * sizeof *t->above[0]);
        if (err != DJ_OK)
            return err;
        t->above[t->levels] = t->above_memory[t->levels].memory;
        t->levels++;
        t->top_counts = nodes * DJ_FAST_NODE;
        counts = nodes;
    } while (!top);
    return DJ_OK;
}

int dj_fast_timeline_create(dj_fast_timeline *timeline, dj_context *context, dj_footprint *footprint,
                            uint32_t blocks)
{
    dj_fast_timeline *t = timeline;
    *t = (dj_fast_timeline){.blocks = blocks, .now = 1, .footprint = footprint};
    uint32_t groups = divide_up(blocks + 1, DJ_FAST_GROUP_BLOCKS);
    int err = dj_huge_allocate(&t->words_memory, footprint, context, what, blocks + 1,
                               BLOCK_WORDS * sizeof *t->words);
    if (err == DJ_OK)
        err = dj_huge_allocate(&t->in_group_memory, footprint, context, what, groups,
                               DJ_FAST_GROUP_BLOCKS * sizeof *t->in_group);
    if (err == DJ_OK)
        err = allocate_levels(t, context, groups);
    if (err != DJ_OK) {
        dj_fast_timeline_destroy(t);
        return err;
    }
    t->words = t->words_memory.memory;
    t->in_group = t->in_group_memory.memory;
    return DJ_OK;
}

uint64_t dj_fast_timeline_bytes(uint64_t points)
{
    const uint64_t blocks = points / DJ_FAST_BLOCK_BITS + DJ_FAST_LEAST_BLOCKS + DJ_FAST_GROUP_BLOCKS;
    return blocks * (BLOCK_WORDS * sizeof(uint64_t) + sizeof(uint16_t) + sizeof(uint32_t));
}

void dj_fast_timeline_destroy(dj_fast_timeline *timeline)
{
    dj_huge_free(&timeline->words_memory, timeline->footprint);
    dj_huge_free(&timeline->in_group_memory, timeline->footprint);
    for (uint32_t level = 0; level < DJ_FAST_LEVELS; level++)
        dj_huge_free(&timeline->above_memory[level], timeline->footprint);
}

uint64_t dj_fast_timeline_left(const dj_fast_timeline *timeline)
{
    return (uint64_t)timeline->blocks * DJ_FAST_BLOCK_BITS - dj_fast_timeline_number(timeline->now);
}

// Sets the counts of a block that the end has reached; `count` is the number of bits in the previous
// block.
static void enter_block(dj_fast_timeline *t, uint32_t block, uint32_t count)
{
    count += t->in_group[block - 1];
    t->in_group[block] = block % DJ_FAST_GROUP_BLOCKS ? (uint16_t)count : 0;
    uint32_t at = block, inside = at % DJ_FAST_GROUP_BLOCKS;
    at /= DJ_FAST_GROUP_BLOCKS;
    for (uint32_t level = 0; inside == 0 && level < t->levels; level++, at /= DJ_FAST_NODE) {
        inside = level + 1 < t->levels ? at % DJ_FAST_NODE : 1; // the last level is a single node
        count += t->above[level][at - 1];
        t->above[level][at] = inside ? count : 0;
    }
}

static uint32_t bits_in_full_block(const dj_fast_timeline *t, uint32_t block)
{
    const uint64_t *words = &t->words[(size_t)block * BLOCK_WORDS];
    uint64_t before_last = words[COUNT_WORD] >> (COUNT_WORD - 1) * COUNT_BITS & 511;
    return (uint32_t)before_last + (uint32_t)__builtin_popcountll(words[COUNT_WORD - 1]);
}

int dj_fast_timeline_extend(dj_fast_timeline *timeline, dj_context *context, uint32_t blocks)
{
    dj_fast_timeline longer;
    int err = dj_fast_timeline_create(&longer, context, timeline->footprint, blocks);
    if (err != DJ_OK)
        return err;
    memcpy(longer.words, timeline->words, (size_t)timeline->blocks * BLOCK_WORDS * sizeof *longer.words);
    longer.now = timeline->now;
    for (uint32_t block = 1; block <= longer.now / DJ_FAST_BLOCK_POINTS; block++)
        enter_block(&longer, block, bits_in_full_block(&longer, block - 1));
    dj_fast_timeline_destroy(timeline);
    *timeline = longer;
    return DJ_OK;
}

// The end has reached a word boundary.
static void enter_word(dj_fast_timeline *t)
{
    uint32_t full = t->now / 64 - 1;
    uint64_t *counts = &t->words[full | COUNT_WORD];
    uint32_t at = full % BLOCK_WORDS * COUNT_BITS;
    uint64_t count = (*counts >> at & 511) + (uint64_t)__builtin_popcountll(t->words[full]);
    at += COUNT_BITS;
    if (full % BLOCK_WORDS + 1 < COUNT_WORD) {
        *counts = (*counts & ((UINT64_C(1) << at) - 1)) | count << at; // later counts are not set yet
        return;
    }
    t->now += 64;
    if (t->now / DJ_FAST_BLOCK_POINTS < t->blocks)
        enter_block(t, t->now / DJ_FAST_BLOCK_POINTS, (uint32_t)count);
}

void dj_fast_timeline_append_bits(dj_fast_timeline *timeline, uint64_t bits, uint32_t count)
{
    while (count > 0) {
        uint32_t bit = timeline->now % 64, more = count < 64 - bit ? count : 64 - bit;
        // cppcheck-suppress shiftTooManyBits ; more is at least 1
        timeline->words[timeline->now / 64] |= (bits & UINT64_MAX >> (64 - more)) << bit;
        bits >>= more - 1; // in two steps: more can be 64
        bits >>= 1;
        timeline->now += more;
        count -= more;
        if (timeline->now % 64 == 0)
            enter_word(timeline);
    }
}

void dj_fast_timeline_append(dj_fast_timeline *timeline, uint64_t count)
{
    for (; count > 64; count -= 64)
        dj_fast_timeline_append_bits(timeline, UINT64_MAX, 64);
    dj_fast_timeline_append_bits(timeline, UINT64_MAX, (uint32_t)count);
}

void dj_fast_timeline_recount(dj_fast_timeline *timeline)
{
    const uint32_t last = timeline->now / DJ_FAST_BLOCK_POINTS;
    uint32_t count = 0;
    for (uint32_t block = 0; block <= last && block < timeline->blocks; block++) {
        uint64_t *words = &timeline->words[(size_t)block * BLOCK_WORDS], counts = 0;
        if (block > 0)
            enter_block(timeline, block, count);
        count = 0;
        for (uint32_t word = 0; word < COUNT_WORD; word++) {
            counts |= (uint64_t)count << word * COUNT_BITS;
            count += (uint32_t)__builtin_popcountll(words[word]);
        }
        words[COUNT_WORD] = counts;
    }
}

void dj_fast_timeline_reset(dj_fast_timeline *timeline, uint64_t count)
{
    uint32_t blocks = timeline->now / DJ_FAST_BLOCK_POINTS + 1;
    if (blocks > timeline->blocks)
        blocks = timeline->blocks;
    memset(timeline->words, 0, (size_t)blocks * BLOCK_WORDS * sizeof *timeline->words);
    timeline->in_group[0] = 0;
    for (uint32_t level = 0; level < timeline->levels; level++)
        timeline->above[level][0] = 0;
    timeline->now = 1;
    dj_fast_timeline_append(timeline, count);
}
