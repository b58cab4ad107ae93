// SPDX-License-Identifier: MIT
// The thread-level analysis of engine hprda (Figure 5 of the paper), compiled once per instruction set.
#ifndef DEJA_ENGINE_HPRDA_KERNEL_H
#define DEJA_ENGINE_HPRDA_KERNEL_H

#include "engine/hprda/hprda.h"

#include <string.h>

enum { WORDS_SUMMED = 64 };

static inline uint64_t count_words(const uint64_t *bits, size_t from, size_t end)
{
    uint64_t count = 0;
    for (size_t w = from; w < end; w++)
        count += (uint64_t)__builtin_popcountll(bits[w]);
    return count;
}

// The number of latest accesses after `at`; there are none from `now` on.
static inline uint64_t count_after(const dj_hprda_scratch *s, uint32_t at, uint32_t now)
{
    size_t word = at / 64, end = now / 64 + 1;
    uint64_t count = (uint64_t)__builtin_popcountll(s->bits[word] & (~UINT64_C(1) << at % 64));
    if (end - word < 2 * WORDS_SUMMED)
        return count + count_words(s->bits, word + 1, end);
    size_t sum = word / WORDS_SUMMED + 1, last_sum = end / WORDS_SUMMED;
    count += count_words(s->bits, word + 1, sum * WORDS_SUMMED);
    for (; sum < last_sum; sum++)
        count += s->sums[sum];
    return count + count_words(s->bits, last_sum * WORDS_SUMMED, end);
}

static inline void flip(const dj_hprda_scratch *s, uint32_t at, uint32_t change)
{
    s->bits[at / 64] ^= UINT64_C(1) << at % 64;
    s->sums[at / 64 / WORDS_SUMMED] += change;
}

// The table entry of a key, or the free one where it belongs.
static inline uint32_t *find(const dj_hprda_scratch *s, uint64_t key)
{
    DJ_PROBE (at, dj_map_hash(key), s->mask)
        if (s->table[at] == 0 || s->key[s->table[at] - 1] == key)
            return &s->table[at];
}

// Returns the number of distinct keys.
static uint32_t analyze_piece(const dj_hprda_scratch *s, const dj_hprda_trace *piece)
{
    size_t words = piece->count / 64 + 1;
    uint32_t distinct = 0;
    memset(s->table, 0, (s->mask + 1) * sizeof *s->table);
    memset(s->bits, 0, words * sizeof *s->bits);
    memset(s->sums, 0, (words / WORDS_SUMMED + 1) * sizeof *s->sums);
    for (uint32_t i = 0; i < piece->count; i++) {
        uint32_t *number = find(s, piece->key[i]);
        if (*number == 0) {
            s->key[distinct] = piece->key[i];
            s->first[distinct] = i;
            *number = ++distinct;
        } else {
            uint32_t before = s->last[*number - 1];
            *piece->distance[i] = count_after(s, before, i);
            flip(s, before, UINT32_MAX);
        }
        flip(s, i, 1);
        s->last[*number - 1] = i;
    }
    return distinct;
}

// The first access to the n-th key of a local trace has position n. At the end of the local trace, the last
// access to a key has position n if n latest accesses precede it, itself included.
static void put_infos(const dj_hprda_scratch *s, const dj_hprda_trace *piece, uint32_t distinct,
                      dj_hprda_group *group)
{
    uint32_t *before = s->table; // latest accesses before each word; the table is no longer needed
    uint32_t sum = 0;
    for (size_t w = 0; w <= piece->count / 64; w++) {
        before[w] = sum;
        sum += (uint32_t)__builtin_popcountll(s->bits[w]);
    }
    for (uint32_t n = 0; n < distinct; n++) {
        uint32_t last = s->last[n];
        uint64_t upto = s->bits[last / 64] & ((UINT64_C(2) << last % 64) - 1);
        s->infos[group->count + n] =
            (dj_hprda_info){s->key[n], piece->distance[s->first[n]], group->count + n,
                            group->count + before[last / 64] + (uint32_t)__builtin_popcountll(upto)};
        group->start[dj_hprda_shard_of(s->key[n]) + 1]++;
    }
    group->count += distinct;
}

static void divide(const dj_hprda_scratch *s, dj_hprda_group *group, dj_hprda_info *infos)
{
    uint32_t next[DJ_HPRDA_SHARDS];
    for (unsigned i = 0; i < DJ_HPRDA_SHARDS; i++) {
        next[i] = group->start[i];
        group->start[i + 1] += group->start[i];
    }
    for (uint32_t i = 0; i < group->count; i++)
        infos[next[dj_hprda_shard_of(s->infos[i].key)]++] = s->infos[i];
}

static inline void analyze_group(dj_hprda_scratch *s, const dj_hprda_trace *trace, dj_hprda_group *group,
                                 dj_hprda_info *infos)
{
    *group = (dj_hprda_group){0};
    for (size_t at = 0; at < trace->count; at += s->st) {
        dj_hprda_trace piece = {trace->key + at, trace->distance + at,
                                trace->count - at < s->st ? trace->count - at : s->st};
        put_infos(s, &piece, analyze_piece(s, &piece), group);
    }
    divide(s, group, infos);
}

#endif
