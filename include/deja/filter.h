// SPDX-License-Identifier: MIT
/// \file
/// Filters decide which accesses a lane counts. A lane with filters behaves as if the trace contained
/// only the accesses that pass them: distances, times and bytes count those accesses only.
#ifndef DEJA_FILTER_H
#define DEJA_FILTER_H

#include <deja/batch.h>
#include <deja/option.h>

#ifdef __cplusplus
extern "C" {
#endif

/// What happens to an access in a lane.
enum dj_verdict {
    DJ_VERDICT_ABSENT, ///< the lane does not see it
    DJ_VERDICT_COUNT,  ///< updates the stack and is counted
    DJ_VERDICT_FILL,   ///< updates the stack but is not counted
    /// Invalidates its block (DJ_OP_INVALIDATE) in the stack of its partition, and is no access otherwise.
    /// Needs DJ_CAN_INVALIDATE.
    DJ_VERDICT_INVALIDATE,
    /// Not in the sample: the lane does not see it, but knows that it would have counted.
    DJ_VERDICT_UNSAMPLED,
};
enum { DJ_VERDICTS = DJ_VERDICT_UNSAMPLED + 1 };

/// Whether the access updates the stack.
static inline bool dj_verdict_accesses(uint8_t verdict)
{
    return verdict == DJ_VERDICT_COUNT || verdict == DJ_VERDICT_FILL;
}

/// Whether the access is one of those that the lane counts, or stands for.
static inline bool dj_verdict_belongs(uint8_t verdict)
{
    return verdict == DJ_VERDICT_COUNT || verdict == DJ_VERDICT_UNSAMPLED;
}

struct dj_packer;
struct dj_unpacker;

/// Passed to dj_filter_ops.create.
typedef struct dj_filter_setup {
    const void *options;    ///< the filter's options structure
    uint64_t largest_block; ///< of the lanes that it filters for
} dj_filter_setup;

/// A filter is one such table and one line in the registry. The verbs accept its options; the filter is
/// used if any of them is set.
typedef struct dj_filter_ops {
    const char *name;
    const char *summary;
    const dj_option *options; ///< may be NULL
    size_t options_bytes;
    const void *default_options;
    uint32_t verdicts; ///< verdicts that it may assign, as bits 1 << enum dj_verdict
    bool fills_first;  ///< all accesses that it fills precede all that it counts
    bool by_position;  ///< verdicts depend on earlier accesses, so it cannot be used for parts of a trace

    /// Describes which accesses pass, as in "reads"; "": all of them, so the filter is not needed.
    void (*describe)(const void *options, char *text, size_t capacity);
    /// Bits of dj_column_bit that it reads; may be NULL: none.
    uint32_t (*columns)(const void *options);
    /// May be NULL: 0. If it samples (DJ_VERDICT_UNSAMPLED): log2 of the number of blocks that each block in
    /// the sample stands for. Lanes multiply distances by that number, and observers multiply counts.
    unsigned (*weight_log2)(const void *options);
    /// May be NULL: 0. If it samples: the bytes that the process may use. If not 0, the rate begins as
    /// `weight_log2` says and falls whenever the lanes are full (`thin`); they drop the blocks that are then
    /// not in the sample (`has`).
    uint64_t (*memory)(const void *options);
    int (*create)(dj_context *context, const dj_filter_setup *setup, void **state);
    void (*destroy)(void *state);
    /// Called for every batch, in order. `verdicts` holds those of the earlier filters, initially
    /// DJ_VERDICT_COUNT; an absent access must stay absent.
    int (*judge)(void *state, dj_context *context, const dj_batch *batch, uint8_t *verdicts);
    /// May be NULL. Called after judge. Returns whether all accesses from *from on are absent, in that
    /// batch and in all later ones.
    bool (*ended)(const void *state, uint32_t *from);
    /// With `memory`. Called between batches: halves the rate. Returns false if it cannot fall further.
    bool (*thin)(void *state);
    /// With `memory`. Whether the sample has a block, given its number at the largest block size, and its
    /// device (0 if the trace has none).
    bool (*has)(const void *state, uint64_t block, uint32_t device);
    /// With `memory`: writes what `has` depends on into a summary, for `load`. NULL: parts cannot be joined.
    void (*save)(const void *state, struct dj_packer *to);
    /// Restores a filter of which only `thin` and `has` are used; `setup` has no options. Treats its input as
    /// untrusted.
    int (*load)(dj_context *context, const dj_filter_setup *setup, struct dj_unpacker *from, void **state);
} dj_filter_ops;

DJ_API size_t dj_filter_count(void);
DJ_API const dj_filter_ops *dj_filter_get(size_t index);
DJ_API const dj_filter_ops *dj_filter_find(const char *name);

/// A filter and its options (NULL: the defaults).
typedef struct dj_filter_choice {
    const dj_filter_ops *ops;
    const void *options;
} dj_filter_choice;

/// The options in use: never NULL if the filter has any.
static inline const void *dj_filter_choice_options(const dj_filter_choice *choice)
{
    return choice->options ? choice->options : choice->ops->default_options;
}

/// The memory that the analysis may use, in bytes; 0: no limit.
static inline uint64_t dj_filter_choice_memory(const dj_filter_choice *choice)
{
    return choice->ops->memory ? choice->ops->memory(dj_filter_choice_options(choice)) : 0;
}

/// How a lane is partitioned: each thread, device, file or cache gets a separate LRU stack.
enum dj_partition {
    DJ_PARTITION_NONE, ///< all accesses share one stack
    DJ_PARTITION_THREAD,
    DJ_PARTITION_DEVICE,
    DJ_PARTITION_FILE,
    DJ_PARTITION_CACHE, ///< by sharer, or by groups of sharers (dj_lane_group.sharers_per_cache)
};

/// "", "thread", "device", "file", "cache".
DJ_API const char *dj_partition_name(enum dj_partition partition);
/// Bits of dj_column_bit that it needs.
DJ_API uint32_t dj_partition_columns(enum dj_partition partition);

/// The partitions of a lane, numbered in the order of their first accesses.
typedef struct dj_partition_table {
    size_t count;
    struct dj_partition_row {
        uint64_t id; ///< of the thread, device or file; number of the cache
        char *name;  ///< "" if it has none
    } * rows;
} dj_partition_table;

#ifdef __cplusplus
}
#endif
#endif
