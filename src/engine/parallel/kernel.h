// SPDX-License-Identifier: MIT
// The hot loops of engine parallel, compiled once per instruction set.
#ifndef DEJA_ENGINE_PARALLEL_KERNEL_H
#define DEJA_ENGINE_PARALLEL_KERNEL_H

#include "engine/parallel/list.h"

enum { GROUP = DJ_INVERSION_GROUP, GROUPS = DJ_INVERSION_GROUP * DJ_INVERSION_GROUP };

static void count_block(const dj_inversions *v, size_t block)
{
    const dj_inversion_block *b = &v->blocks[block];
    const dj_sequence *s = &v->sequences[b->sequence];
    const unsigned shift = v->shift;
    uint32_t *counts = v->table + block * v->buckets;
    memset(counts, 0, v->buckets * sizeof *counts);
    for (size_t i = b->first; i < b->end; i++) {
        uint32_t point = s->point[s->index[i]];
        s->at[i] = point; // until the block is scattered
        if (point != DJ_LIVE_POINTS_NONE)
            counts[point >> shift]++;
    }
}

// For each of up to 1024 buckets, counts that apply to those after it.
typedef struct later_counts {
    uint16_t group[GROUP];      // everything in later groups
    uint16_t one[GROUP][GROUP]; // everything in the same group
} later_counts;

static inline unsigned get_later(const later_counts *counts, unsigned at)
{
    return (unsigned)counts->group[at / GROUP] + counts->one[at / GROUP][at % GROUP];
}

// Adds `change` to all counts before index `end`.
static inline void change_below(uint16_t *restrict counts, unsigned end, int change)
{
    for (unsigned i = 0; i < GROUP; i++)
        counts[i] = (uint16_t)(counts[i] + (i < end ? change : 0));
}

static inline void change_later(later_counts *counts, unsigned at, int change)
{
    change_below(counts->group, at / GROUP, change);
    change_below(counts->one[at / GROUP], at % GROUP, change);
}

// The same for many buckets.
typedef struct later_many {
    uint16_t group[GROUP];
    later_counts few[GROUP];
} later_many;

// For the buckets of a block: where the next of its accesses goes, and how many live points are in
// later ones.
typedef struct block_sums {
    uint32_t next, later;
} block_sums;

static void sum_block(const dj_inversions *v, size_t block, block_sums *sums)
{
    size_t sequence = v->blocks[block].sequence;
    const uint32_t *row = v->table + block * v->buckets;
    const uint32_t *start = v->start + sequence * (v->buckets + 1), *later = v->later + sequence * v->buckets;
    uint32_t taken = 0;
    for (size_t bucket = v->buckets; bucket-- > 0;) {
        sums[bucket] = (block_sums){start[bucket] + row[bucket], later[bucket] - taken};
        taken += row[bucket];
    }
}

static inline __attribute__((always_inline)) void spread(const dj_inversions *v, const dj_inversion_block *b,
                                                         block_sums *sums, later_many *counts, bool many)
{
    uint32_t *const at = v->sequences[b->sequence].at;
    dj_inversion_result *const found = v->sequences[b->sequence].found;
    const unsigned shift = v->shift;
    for (size_t i = b->first; i < b->end; i++) {
        uint32_t point = at[i];
        if (point == DJ_LIVE_POINTS_NONE)
            continue;
        unsigned bucket = point >> shift;
        later_counts *few = &counts->few[many ? bucket / GROUPS : 0];
        unsigned taken = get_later(few, bucket % GROUPS);
        change_later(few, bucket % GROUPS, 1);
        if (many) {
            taken += counts->group[bucket / GROUPS];
            change_below(counts->group, bucket / GROUPS, 1);
        }
        at[i] = sums[bucket].next++;
        found[at[i]] = (dj_inversion_result){point & ((1u << shift) - 1), sums[bucket].later - taken};
    }
}

static void spread_few(const dj_inversions *v, size_t block)
{
    block_sums sums[DJ_INVERSION_FEW_BUCKETS];
    later_many counts;
    memset(counts.few, 0, sizeof counts.few[0]);
    sum_block(v, block, sums);
    spread(v, &v->blocks[block], sums, &counts, false);
}

static void spread_many(const dj_inversions *v, size_t block)
{
    block_sums sums[DJ_INVERSION_BUCKETS];
    later_many counts;
    memset(&counts, 0, sizeof counts);
    sum_block(v, block, sums);
    spread(v, &v->blocks[block], sums, &counts, true);
}

static void scatter_block(const dj_inversions *v, size_t block)
{
    if (v->buckets <= DJ_INVERSION_FEW_BUCKETS)
        spread_few(v, block);
    else
        spread_many(v, block);
}

// The words of a bucket that are in use.
static inline size_t words_of(const dj_inversions *v, size_t bucket, uint64_t *first)
{
    uint64_t used = (v->points + 63) / 64, words = UINT64_C(1) << v->shift >> 6;
    *first = bucket * words;
    return *first >= used ? 0 : used - *first < words ? used - *first : words;
}

static uint32_t count_live(const dj_inversions *v, size_t bucket)
{
    uint64_t first, count = 0;
    size_t words = words_of(v, bucket, &first);
    for (size_t i = 0; i < words; i++)
        count += (uint64_t)__builtin_popcountll(v->live_points->words[first + i]);
    return (uint32_t)count;
}

static void count_words(later_counts *counts, const uint64_t *words, size_t count)
{
    unsigned in_later_groups = 0;
    for (size_t group = (count + GROUP - 1) / GROUP; group-- > 0;) {
        size_t end = (group + 1) * GROUP < count ? (group + 1) * GROUP : count;
        unsigned in_group = 0;
        for (size_t word = end; word-- > group * GROUP;) {
            counts->one[group][word % GROUP] = (uint16_t)in_group;
            in_group += (unsigned)__builtin_popcountll(words[word]);
        }
        counts->group[group] = (uint16_t)in_later_groups;
        in_later_groups += in_group;
    }
}

static inline void take_points(uint64_t *words, later_counts *counts, dj_inversion_result *found,
                               size_t count)
{
    for (size_t i = 0; i < count; i++) {
        unsigned low = found[i].low, word = low / 64;
        uint64_t rest = words[word] >> low % 64; // its own bit is set
        found[i].after += get_later(counts, word) + (unsigned)__builtin_popcountll(rest) - 1;
        words[word] ^= UINT64_C(1) << low % 64;
        change_later(counts, word, -1);
    }
}

// Sets the bits in the words from `first` to `end` - 1.
static inline void put_points(uint64_t *words, uint64_t first, uint64_t end, uint64_t points,
                              uint64_t points_end)
{
    uint64_t word = points / 64 > first ? points / 64 : first;
    end = end < (points_end + 63) / 64 ? end : (points_end + 63) / 64;
    for (; word < end; word++)
        words[word - first] |= dj_live_points_mask(word, points, points_end);
}

static void finish_bucket(const dj_inversions *v, size_t bucket)
{
    uint64_t first, points = v->live_points->points;
    size_t word_count = words_of(v, bucket, &first);
    const uint32_t *start = v->start + bucket;
    later_counts counts;
    if (word_count == 0)
        return;
    uint64_t *words = v->live_points->words + first;
    memset(&counts, 0, sizeof counts);
    for (size_t i = 0; i < v->sequence_count; i++, start += v->buckets + 1) {
        const dj_sequence *s = &v->sequences[i];
        if (start[1] > start[0]) {
            count_words(&counts, words, word_count);
            take_points(words, &counts, s->found + start[0], start[1] - start[0]);
        }
        uint64_t end = points + s->count;
        put_points(words, first, first + word_count, points, end);
        points = end;
    }
}

#define DJ_PARALLEL_PATH                                                                                     \
    {                                                                                                        \
        .mark_some = mark_some, .list_cold = list_cold, .list_by_shard = list_by_shard,                      \
        .count_block = count_block, .count_live = count_live, .scatter_block = scatter_block,                \
        .finish_bucket = finish_bucket                                                                       \
    }

#endif
