// SPDX-License-Identifier: MIT
// For each access of several sequences, one after the other, how many keys stand
// after its point when its turn comes; by all threads of a team together.
//
// Each access takes its point off the line (standing.h), and no other has the same
// one; at the end of a sequence as many points as it has accesses are put on the
// line. So what is asked for is the number that stood after the point when the
// sequence began, less its inversions: those before it whose points lie after its own.
//
// The line is cut into buckets, the sequences into blocks. What stands in later
// buckets is counted while a block is read: from sums over a table of blocks and
// buckets, less those that the block itself has taken so far, for each bucket of a
// group, for each group, and for groups of groups. The accesses go to their buckets,
// in order, and what is left is counted there in the same way, with words of bits in
// place of buckets (parallel/kernel.h).
// Cost: about 10 ns an access, and next to no cache misses: whatever is read or
// written goes through a few hundred places from front to back.
#ifndef DEJA_ENGINE_INVERSIONS_H
#define DEJA_ENGINE_INVERSIONS_H

#include "engine/live_points.h"
#include "engine/team.h"

enum {
    DJ_INVERSION_GROUP = 32, // buckets, words or groups
    DJ_INVERSION_FEW_BUCKETS = DJ_INVERSION_GROUP * DJ_INVERSION_GROUP,
    DJ_INVERSION_BUCKETS = DJ_INVERSION_FEW_BUCKETS * DJ_INVERSION_GROUP, // at most
    DJ_INVERSION_MOST_SHIFT = 16,                                         // words of a bucket are few buckets
    DJ_INVERSION_MOST = 1 << 26,                                          // accesses of a sequence
};

typedef struct dj_found {
    uint32_t low;   // the point within its bucket
    uint32_t after; // how many stand after it, as far as they are counted
} dj_found;

// Access i has point point[place[i]], DJ_LIVE_POINTS_NONE if it has none.
typedef struct dj_sequence {
    size_t count;
    const uint32_t *place, *point;
    uint32_t *at;    // its answer, unless it has no point, is found[at[i]].after; may be `place`
    dj_found *found; // by bucket; room for all accesses
} dj_sequence;

// Some accesses of one sequence.
typedef struct dj_inversion_block {
    uint32_t sequence, first, end;
} dj_inversion_block;

typedef struct dj_inversions {
    dj_live_points *standing;
    const dj_sequence *sequences;
    size_t sequence_count, block_count;
    uint64_t points; // when all sequences are done
    size_t buckets;  // a multiple of DJ_INVERSION_GROUP
    unsigned shift;  // a bucket is 1 << shift points
    dj_inversion_block *blocks;
    // [block][bucket]: so many of the block, then so many in the blocks before of the same sequence.
    uint32_t *table;
    uint32_t *start; // [sequence][bucket]: where they begin in `found`; one more bucket: the end
    uint32_t *later; // [sequence][bucket]: how many of it, then of all later ones, stand at the beginning
    dj_huge blocks_memory, table_memory, start_memory, later_memory;
    atomic_size_t next_count, next_sum, next_sequence, next_block, next_bucket;
    dj_footprint footprint;
} dj_inversions;

struct dj_parallel_path;

// One thread: prepares for the sequences, which stay the caller's; there must be room on the line.
int dj_inversions_begin(dj_inversions *inversions, dj_context *context, dj_live_points *standing,
                        const dj_sequence *sequences, size_t count);
// All threads, which meet within and at the end. The line is then as it is after the last sequence.
void dj_inversions_run(dj_inversions *inversions, const struct dj_parallel_path *path,
                       dj_team_member *member);
void dj_inversions_free(dj_inversions *inversions);

#endif
