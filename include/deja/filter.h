// SPDX-License-Identifier: MIT
/// \file
/// Filters say which accesses a lane counts. A lane with filters is as if the
/// trace had no other accesses than those that they leave: distances, times and
/// bytes are counted among them alone.
#ifndef DEJA_FILTER_H
#define DEJA_FILTER_H

#include <deja/batch.h>
#include <deja/option.h>

#ifdef __cplusplus
extern "C" {
#endif

/// What becomes of an access in a lane.
enum dj_verdict {
    DJ_VERDICT_ABSENT,     ///< it is not there
    DJ_VERDICT_COUNT,      ///< it updates the stack and is counted
    DJ_VERDICT_FILL,       ///< it updates the stack and is not counted
    DJ_VERDICT_INVALIDATE, ///< it takes its block out of the stack; needs DJ_CAN_INVALIDATE
};

/// A filter is such a table and one line in the registry. Options of filters are options of
/// the verbs; a filter takes part where they ask for something.
typedef struct dj_filter_ops {
    const char *name;
    const char *summary;
    const dj_option *options; ///< may be NULL
    size_t options_bytes;
    const void *default_options;
    uint32_t verdicts; ///< bits 1 << enum dj_verdict that it may give, besides leaving what it finds
    bool fills_first;  ///< all its fills come before all that counts after it
    bool by_position;  ///< what it says of an access depends on those before: not for pieces of a trace

    /// Which accesses are left, in words, as in "reads"; "": all, so that it is not needed.
    void (*describe)(const void *options, char *text, size_t room);
    /// Bits of dj_column_bit that it looks at; may be NULL: none.
    uint32_t (*columns)(const void *options);
    int (*create)(dj_context *context, const void *options, void **state);
    void (*destroy)(void *state);
    /// Every batch, in order. `verdicts` has those of the filters before, DJ_VERDICT_COUNT at first; what
    /// is absent stays so.
    int (*judge)(void *state, dj_context *context, const dj_batch *batch, uint8_t *verdicts);
    /// May be NULL. After judge: whether all accesses from *from of that batch on are absent, and those of
    /// all batches to come.
    bool (*ended)(const void *state, uint32_t *from);
} dj_filter_ops;

DJ_API size_t dj_filter_count(void);
DJ_API const dj_filter_ops *dj_filter_get(size_t index);
DJ_API const dj_filter_ops *dj_filter_find(const char *name);

/// A filter and its options (NULL: the defaults).
typedef struct dj_filter_choice {
    const dj_filter_ops *ops;
    const void *options;
} dj_filter_choice;

/// What has a stack of its own in a lane.
enum dj_partition {
    DJ_PARTITION_NONE, ///< all accesses share one
    DJ_PARTITION_THREAD,
    DJ_PARTITION_DEVICE,
    DJ_PARTITION_FILE,
};

/// "", "thread", "device", "file".
DJ_API const char *dj_partition_name(enum dj_partition partition);
/// Bits of dj_column_bit that it takes.
DJ_API uint32_t dj_partition_columns(enum dj_partition partition);

/// The parts of a partitioned lane, numbered in the order in which they were met.
typedef struct dj_partition_table {
    size_t count;
    struct dj_partition_row {
        uint64_t id; ///< of the thread, device or file
        char *name;  ///< "" when it has none
    } * rows;
} dj_partition_table;

#ifdef __cplusplus
}
#endif
#endif
