// SPDX-License-Identifier: MIT
/// \file
/// Observers see every access once, with its distances at all block sizes, and store their results in a
/// profile. They never print.
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
    /// Each access stands for 2^weight_log2, and each block for as many: 0 unless the lane is sampled.
    /// Constant within a view. Distances, also in bytes, are already those among all blocks.
    unsigned weight_log2;
    const uint64_t *key;
    /// DJ_COLD at a first access. DJ_ABSENT where the access is not counted, which occurs only in lanes
    /// with a verdict.
    const uint64_t *distance;
    const uint8_t *verdict; ///< enum dj_verdict; NULL: all accesses count
    const uint64_t *filled; ///< the distance where the verdict is DJ_VERDICT_FILL; NULL: no access is filled
    const uint32_t *partition; ///< row of the partition table, unless absent; NULL: there is one stack
    /// In a coherent lane (dj_lane_group): 1 + the partition that wrote the block last, where the cache had
    /// the block until another cache's write invalidated it; otherwise 0. The distance is DJ_COLD there too,
    /// so a first access is one with DJ_COLD and 0. NULL: not coherent.
    const uint32_t *lost_to;
    /// Position among the accesses of the lane, or of the partition, that are not absent. NULL: as in
    /// the batch, or not needed.
    const uint64_t *time;
    /// NULL unless needed. In the first lane the tag selected by the pipeline; in the others, with
    /// DJ_NEED_FINER, the low half of the finer lane's key at the previous access to the block.
    const uint32_t *prev_tag;
    const uint64_t *prev_time;     ///< NULL unless needed
    const uint64_t *byte_distance; ///< NULL unless needed
} dj_lane_view;

typedef struct dj_view {
    const dj_batch *batch;
    const dj_lane_view *lanes; ///< group by group, each ordered by block size
    uint32_t lane_count;
    /// Accesses are in the order of the trace and follow those of the previous view. False for accesses
    /// whose distance became known when two summaries were joined; those come without events and have their
    /// positions in column `time`.
    bool in_order;
    /// Accesses are consecutive. If not, those that no lane sees may be left out, and the others have their
    /// positions in column `time`; see dj_observer_ops.needs_all.
    bool complete;
} dj_view;

enum dj_need {
    DJ_NEED_EXACT = DJ_CAN_EXACT,
    DJ_NEED_PER_ACCESS = DJ_CAN_PER_ACCESS,
    DJ_NEED_TAGS = DJ_CAN_TAGS, ///< in the first lane
    DJ_NEED_TIMES = DJ_CAN_TIMES,
    DJ_NEED_WEIGHTS = DJ_CAN_WEIGHTS,
    DJ_NEED_FIRST_TIMES = 1u << 17, ///< times in the first lane; dj_pipeline_config.first_times
    DJ_NEED_FINER =
        1u << 16, ///< tags in all lanes but the first: which block of the next finer lane was used last
};

/// Bits of dj_capability that an engine needs to meet these needs.
static inline uint32_t dj_need_of_engine(uint32_t needs)
{
    return needs & DJ_NEED_FINER ? (needs & ~(uint32_t)DJ_NEED_FINER) | DJ_CAN_TAGS : needs;
}

/// Position of access `index` in the lane's own numbering, to which prev_time refers.
static inline uint64_t dj_lane_view_time(const dj_view *view, uint32_t lane, uint32_t index)
{
    const uint64_t *time = view->lanes[lane].time;
    return time ? time[index] : dj_batch_time(view->batch, index);
}

/// Passed to dj_observer_ops.create.
typedef struct dj_setup {
    const dj_lane_id *lanes;
    uint32_t lane_count;
    /// The partitions of each lane, or NULL. Complete when `finish` is called.
    const dj_partition_table *const *partitions;
    /// Fixed memory: of the distances from here on, only those with 12 significant bits occur, so a histogram
    /// needs no array for them. 0: not limited.
    uint64_t exact_distances;
    bool is_part;        ///< analyzing a part, to be merged: first accesses are passed at the very end
    const void *options; ///< the observer's options structure, or NULL
} dj_setup;

/// Observers use these to save their states in summary files and to load them.
typedef struct dj_packer dj_packer;
typedef struct dj_unpacker dj_unpacker;

typedef struct dj_observer_ops {
    const char *name;
    const char *summary;
    uint32_t needs; ///< bits of dj_need
    /// The section that `finish` fills: exactly one. NULL for an observer that writes no section.
    const dj_section_ops *fills;
    /// Sections that must be filled first, terminated by NULL; NULL: none. If its own section is among them,
    /// the observer adds to what another observer stored there.
    const dj_section_ops *const *after;

    int (*create)(dj_context *context, const dj_setup *setup, void **state);
    void (*destroy)(void *state);
    /// May be NULL. Called for every batch, in order, as soon as its keys are known; the answers in the
    /// lanes are NULL. For observers that need no distances.
    int (*watch)(void *state, dj_context *context, const dj_view *view);
    /// Bits of dj_column_bit: batches without any of these columns may be skipped. 0: none may be skipped.
    uint32_t watches;
    /// May be NULL: never. Whether it needs all accesses of this batch. Otherwise those that no lane sees
    /// (DJ_VERDICT_ABSENT, DJ_VERDICT_UNSAMPLED) may be left out, in `watch` and in `see`, and the others be
    /// gathered from several batches. Called for every batch, in order; but another thread may be showing
    /// earlier batches, so it may only use state of its own.
    bool (*needs_all)(void *state, const dj_batch *batch);
    /// May be NULL. Called for every access once, with its distances in all lanes.
    int (*see)(void *state, dj_context *context, const dj_view *view);
    /// May be NULL. Replaces `see` where the engine counts distances itself (DJ_CAN_TOTALS): called
    /// just before `finish` with all distances of lane `lane` so far and the number of first accesses.
    /// `distances` belongs to the lane of the profile. Both are estimates for all blocks if the lane is
    /// sampled.
    int (*total)(void *state, dj_context *context, uint32_t lane, const dj_histogram *distances,
                 uint64_t cold);
    /// Adds the results of `other`, which analyzed the part of the trace that follows immediately and
    /// begins at `position`. NULL: cannot be used where parts are joined.
    int (*merge)(void *state, dj_context *context, const void *other, uint64_t position);
    /// Order-independent: several states may share the batches of one trace, each on its own thread,
    /// and `merge` with position 0 combines them.
    bool unordered;
    /// May be used with a sample of the blocks: it counts every access 2^weight_log2 times (dj_lane_view), or
    /// what it counts does not depend on the sample. Others are refused there.
    bool weighs;
    /// May be used with fixed memory: its own does not grow with the number of blocks, given that few
    /// distances differ (dj_setup.exact_distances).
    bool bounded;
    /// May be NULL: 0. With fixed memory: the bytes that it may take until it is asked again, and in
    /// `finish`, of what still grows with the blocks, with the partitions, or with how many values differ.
    /// Depends on what it has been shown alone.
    uint64_t (*bytes_ahead)(const void *state);
    /// May be NULL. With fixed memory, between batches: the rate of a lane's sample has fallen, and the
    /// blocks for which `keeps` returns false are no longer in it. Releases memory that depends on them, and
    /// rounds values to 12 significant bits.
    int (*thin)(void *state, dj_context *context, uint32_t lane, dj_keeps *keeps, void *user);
    /// Stores the results so far in its section of a profile; the sections in `after` are filled. More
    /// accesses may follow, and then it is called again with another profile.
    int (*finish)(void *state, dj_context *context, dj_profile *profile);
    /// May be NULL: cannot be used for summaries. Writes the state, including its options, for `load`.
    int (*save)(const void *state, dj_context *context, dj_packer *to);
    /// Restores a saved state; replaces `create`. Treats its input as untrusted. The options in the
    /// setup are the reader's, usually NULL.
    int (*load)(dj_context *context, const dj_setup *setup, dj_unpacker *from, void **state);
    bool finishes_once; ///< `finish` moves the results into the profile; the observer must not see more
                        ///< accesses
} dj_observer_ops;

DJ_API size_t dj_observer_count(void);
DJ_API const dj_observer_ops *dj_observer_get(size_t index);
DJ_API const dj_observer_ops *dj_observer_find(const char *name);

#ifdef __cplusplus
}
#endif
#endif
