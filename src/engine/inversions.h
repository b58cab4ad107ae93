// SPDX-License-Identifier: MIT
// For each access of several consecutive sequences: how many live points follow its point at that time.
// All threads of a team compute this together.
//
// Each access removes its point from the line (live_points.h), and no two accesses of a sequence have
// the same point. At the end of a sequence, one point per access is appended to the line. So the result
// is the number of live points after the point when the sequence began, minus the access's inversions:
// earlier accesses of the sequence whose points follow its own.
//
// The line is divided into buckets, the sequences into blocks. Live points in later buckets are counted
// while a block is read: from prefix sums over a table of blocks and buckets, minus those that the
// block itself has removed so far, for each bucket of a group, for each group, and for groups of
// groups. The accesses are scattered to their buckets, in order, and the rest is counted there in the
// same way, with words of bits instead of buckets (parallel/kernel.h). Cost: about 10 ns per access and
// almost no cache misses: all memory is read and written sequentially, in a few hundred streams.
#ifndef DEJA_ENGINE_INVERSIONS_H
#define DEJA_ENGINE_INVERSIONS_H

#include "engine/live_points.h"
#include "engine/team.h"

enum {
    DJ_INVERSION_GROUP = 32, // buckets, words or groups
    DJ_INVERSION_FEW_BUCKETS = DJ_INVERSION_GROUP * DJ_INVERSION_GROUP,
    DJ_INVERSION_BUCKETS = DJ_INVERSION_FEW_BUCKETS * DJ_INVERSION_GROUP, // maximum
    // A bucket has at most DJ_INVERSION_FEW_BUCKETS words.
    DJ_INVERSION_MOST_SHIFT = 16,
    // Maximum number of accesses in a sequence.
    DJ_INVERSION_MOST = 1 << 26,
};

typedef struct dj_inversion_result {
    uint32_t low;   // the point within its bucket
    uint32_t after; // number of live points after it, as far as counted
} dj_inversion_result;

// Access i has point point[index[i]]; DJ_LIVE_POINTS_NONE: none.
typedef struct dj_sequence {
    size_t count;
    const uint32_t *index, *point;
    uint32_t *at; // unless the access has no point, its result is found[at[i]].after; may be `index`
    dj_inversion_result *found; // by bucket; one element per access
} dj_sequence;

// Consecutive accesses of one sequence.
typedef struct dj_inversion_block {
    uint32_t sequence, first, end;
} dj_inversion_block;

typedef struct dj_inversions {
    dj_live_points *live_points;
    const dj_sequence *sequences;
    size_t sequence_count, block_count;
    uint64_t points; // after all sequences
    size_t buckets;  // a multiple of DJ_INVERSION_GROUP
    unsigned shift;  // a bucket is 1 << shift points
    dj_inversion_block *blocks;
    // [block][bucket]: first the number in the block, then the number in earlier blocks of the same
    // sequence.
    uint32_t *table;
    uint32_t *start; // [sequence][bucket]: where the bucket begins in `found`; one extra bucket: the end
    // [sequence][bucket]: number of live points at the beginning of the sequence, first in the bucket,
    // then in all later ones.
    uint32_t *later;
    dj_huge blocks_memory, table_memory, start_memory, later_memory;
    atomic_size_t next_count, next_sum, next_sequence, next_block, next_bucket;
    dj_footprint footprint;
} dj_inversions;

struct dj_parallel_path;

// Called by one thread: prepares for the sequences, which the caller owns; the line must have enough
// free points.
int dj_inversions_begin(dj_inversions *inversions, dj_context *context, dj_live_points *live_points,
                        const dj_sequence *sequences, size_t count);
// Called by all threads, which meet at barriers inside and at the end. Then the line is in its state
// after the last sequence.
void dj_inversions_run(dj_inversions *inversions, const struct dj_parallel_path *path,
                       dj_team_member *member);
void dj_inversions_free(dj_inversions *inversions);

#endif
