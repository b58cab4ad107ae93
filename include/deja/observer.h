// SPDX-License-Identifier: MIT
/// \file
/// Observers see every access once, when all block sizes have answered, and
/// put what they learned into a profile. They never print.
#ifndef DEJA_OBSERVER_H
#define DEJA_OBSERVER_H

#include <deja/batch.h>
#include <deja/engine.h>
#include <deja/filter.h>
#include <deja/profile.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The answers of one lane, one element per access of the batch.
typedef struct dj_lane_view {
    const dj_lane_id *id;
    const uint64_t *key;
    /// DJ_COLD at a first access. DJ_ABSENT where the access is not counted, which there only is in
    /// lanes with a verdict.
    const uint64_t *distance;
    const uint8_t *verdict;    ///< enum dj_verdict; NULL: all accesses count
    const uint64_t *filled;    ///< where the verdict is DJ_VERDICT_FILL: the distance; NULL: none is
    const uint32_t *partition; ///< row of the partition table, where not absent; NULL: there is one stack
    /// Position among the accesses of the lane, or of the partition, that are not absent; NULL: that in
    /// the batch, or not needed.
    const uint64_t *time;
    /// NULL unless needed. In the first lane what the pipeline's tag says; in the others, with
    /// DJ_NEED_FINER, the low half of the key that the block was last accessed by in the lane before.
    const uint32_t *prev_tag;
    const uint64_t *prev_time;     ///< NULL unless needed
    const uint64_t *byte_distance; ///< NULL unless needed
} dj_lane_view;

typedef struct dj_view {
    const dj_batch *batch;
    const dj_lane_view *lanes; ///< by groups, each ordered by block size
    uint32_t lane_count;
    /// Accesses are consecutive and follow those of the previous view. False
    /// for accesses whose distance became known when two summaries were joined;
    /// those come without events and have their positions in column `time`.
    bool in_order;
} dj_view;

enum dj_need {
    DJ_NEED_EXACT = DJ_CAN_EXACT,
    DJ_NEED_PER_ACCESS = DJ_CAN_PER_ACCESS,
    DJ_NEED_TAGS = DJ_CAN_TAGS, ///< in the first lane
    DJ_NEED_TIMES = DJ_CAN_TIMES,
    DJ_NEED_WEIGHTS = DJ_CAN_WEIGHTS,
    DJ_NEED_FINER = 1u << 16, ///< tags in all lanes but the first, of the block in the lane before
};

/// Bits of dj_capability that an engine must have for these needs.
static inline uint32_t dj_need_of_engine(uint32_t needs)
{
    return needs & DJ_NEED_FINER ? (needs & ~(uint32_t)DJ_NEED_FINER) | DJ_CAN_TAGS : needs;
}

/// Position of access `index` as the lane counts them: what prev_time is measured by.
static inline uint64_t dj_lane_view_time(const dj_view *view, uint32_t lane, uint32_t index)
{
    const uint64_t *time = view->lanes[lane].time;
    return time ? time[index] : dj_batch_time(view->batch, index);
}

/// What an observer is told when it is made.
typedef struct dj_setup {
    const dj_lane_id *lanes; ///< which they are
    uint32_t lane_count;
    /// Of each lane the parts that have a stack of their own, or NULL. Complete when `finish` is called.
    const dj_partition_table *const *partitions;
    bool pieces; ///< a piece is observed, to be merged: first accesses are shown when all has been seen
    const void *options; ///< the observer's own options structure, or NULL
} dj_setup;

/// How the states of observers go into the file of a summary and come back.
typedef struct dj_packer dj_packer;
typedef struct dj_unpacker dj_unpacker;

typedef struct dj_observer_ops {
    const char *name;
    const char *summary;
    uint32_t needs; ///< bits of dj_need
    /// The section that `finish` fills: exactly one. NULL for an observer that keeps what it saw to itself.
    const dj_section_ops *fills;
    /// Sections that must be filled before, ended by NULL; NULL: none. With its own section among them it
    /// adds to what another observer has put there.
    const dj_section_ops *const *after;

    int (*create)(dj_context *context, const dj_setup *setup, void **state);
    void (*destroy)(void *state);
    /// May be NULL: every batch, in order, as soon as its keys are known (the
    /// answers in the lanes are NULL). For what needs no distances.
    int (*watch)(void *state, dj_context *context, const dj_view *view);
    /// Bits of dj_column_bit: a batch with none of these columns need not be watched; 0: all are to be.
    uint32_t watches;
    /// May be NULL: every access once, with its distances in all lanes.
    int (*see)(void *state, dj_context *context, const dj_view *view);
    /// May be NULL. In place of `see`, where the engine counts by itself (DJ_CAN_TOTALS): just before
    /// `finish`, all distances of lane `lane` so far, and the number of first accesses. `distances` is that
    /// of the lane in the profile.
    int (*total)(void *state, dj_context *context, uint32_t lane, const dj_histogram *distances,
                 uint64_t cold);
    /// Adds what `other` saw, on the piece of the trace that follows at once
    /// and begins at `position`. NULL: refused where pieces are joined.
    int (*merge)(void *state, dj_context *context, const void *other, uint64_t position);
    /// The order of batches is nothing to it: several states may share the batches of one trace, each on a
    /// thread of its own, and `merge` with position 0 makes one of them.
    bool unordered;
    /// Puts what was seen so far into its section of a profile; the sections of `after` are filled. More may
    /// be seen after it, and then it is called again, with another profile.
    int (*finish)(void *state, dj_context *context, dj_profile *profile);
    /// May be NULL: not for summaries. Writes the state, options included, for `load`.
    int (*save)(const void *state, dj_context *context, dj_packer *to);
    /// Makes a state as it was saved, in place of `create`; believes nothing that it reads. The
    /// options in the setup are those of the reader, mostly NULL.
    int (*load)(dj_context *context, const dj_setup *setup, dj_unpacker *from, void **state);
    bool finishes_once; ///< it hands over what it has instead, and must not see more
} dj_observer_ops;

DJ_API size_t dj_observer_count(void);
DJ_API const dj_observer_ops *dj_observer_get(size_t index);
DJ_API const dj_observer_ops *dj_observer_find(const char *name);

#ifdef __cplusplus
}
#endif
#endif
