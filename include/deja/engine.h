// SPDX-License-Identifier: MIT
/// \file
/// Engines turn keys into reuse distances. They know nothing about traces, blocks, sites or reports.
#ifndef DEJA_ENGINE_H
#define DEJA_ENGINE_H

#include <deja/error.h>
#include <deja/histogram.h>
#include <deja/option.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The distance of a first access.
#define DJ_COLD UINT64_MAX
/// The distance of an access that a lane does not count (filter.h), and of what is not an access.
#define DJ_ABSENT (UINT64_MAX - 1)

/// What a work asks about a key.
enum dj_op {
    DJ_OP_ACCESS,
    /// The block of the key becomes invalid: its position in the stack stays occupied until an access fills
    /// it, as in a cache. The next access to the key is a first access. Needs DJ_CAN_INVALIDATE.
    DJ_OP_INVALIDATE,
    /// The key leaves the stack, as if it had never been accessed. Needs DJ_CAN_REMOVE.
    DJ_OP_REMOVE,
};

/// A unit of work: keys in, answers out. The caller owns the memory; between push and the pull that
/// returns the work, the engine may read the keys and write the answers.
typedef struct dj_work {
    size_t count; ///< may be 0
    const uint64_t *key;
    /// enum dj_op; NULL: all are accesses. Others have distance DJ_ABSENT and no further answers, and do
    /// nothing to an unknown key.
    const uint8_t *op;
    const uint32_t *tag;    ///< stored with the key by the engine; NULL unless requested
    const uint64_t *time;   ///< stored with the key by the engine; NULL unless requested
    const uint64_t *weight; ///< bytes of the element; NULL unless requested

    uint64_t *distance;  ///< DJ_COLD at a first access; NULL if the engine only counts (DJ_CAN_TOTALS)
    uint32_t *prev_tag;  ///< tag of the previous access to the key; 0 when cold
    uint64_t *prev_time; ///< time of the previous access to the key; DJ_COLD when cold
    /// Sum of the latest weights of the distinct keys accessed in between; of all keys so far if cold.
    uint64_t *byte_distance;
    /// With params.coarser: receives the answers for the same keys without their lowest bit. Its own
    /// `coarser` is for the keys without their lowest two bits, and so on. If its `prev_tag` is not NULL,
    /// the engine stores there the low half of the next finer work's `key` at the previous access. Only
    /// then does it read the keys of the works in between; the two keys that one coarser key combines
    /// must differ in bit 0 only.
    struct dj_work *coarser;
    struct dj_work *next; ///< reserved for the engine's queue
} dj_work;

/// What an engine can do and what an observer may need.
enum dj_capability {
    DJ_CAN_EXACT = 1u << 0,      ///< distances are exact
    DJ_CAN_PER_ACCESS = 1u << 1, ///< a distance for each access, not only a histogram
    DJ_CAN_TAGS = 1u << 2,
    DJ_CAN_TIMES = 1u << 3,
    DJ_CAN_SUMMARY = 1u << 4,    ///< can return the last-access order of its keys
    DJ_CAN_BOUNDED = 1u << 5,    ///< memory does not grow with the number of keys
    DJ_CAN_WEIGHTS = 1u << 6,    ///< byte distances
    DJ_CAN_TOTALS = 1u << 7,     ///< can count distances itself instead of returning each
    DJ_CAN_INVALIDATE = 1u << 8, ///< DJ_OP_INVALIDATE; neither with weights nor with params.coarser
    DJ_CAN_REMOVE = 1u << 9,     ///< DJ_OP_REMOVE; not with params.coarser
};

typedef struct dj_engine_params {
    uint32_t use;           ///< bits of dj_capability to enable (tags, times, weights, totals, operations)
    uint64_t expected_keys; ///< a hint; 0 if unknown
    /// There will never be more keys at the same time; 0: unknown. An engine then takes no more memory than
    /// its `bytes_for` says.
    uint64_t most_keys;
    uint32_t coarser;    ///< number of coarser works chained to each work; at most dj_engine_ops.coarser
    const void *options; ///< the engine's options structure, or NULL for the defaults
} dj_engine_params;

/// The keys an engine has seen, least recently used first. Columns other than `key` are NULL unless
/// requested. Freed with dj_order_free.
typedef struct dj_order {
    size_t count;
    uint64_t *key;
    uint32_t *tag;
    uint64_t *time;
    uint64_t *weight;
} dj_order;

DJ_API void dj_order_free(dj_order *order);

typedef struct dj_engine_stats {
    uint64_t keys;  ///< distinct keys in memory
    uint64_t bytes; ///< memory in use now
    uint64_t peak_bytes;
} dj_engine_stats;

/// Whether an engine is to keep a key.
typedef bool dj_keeps(void *user, uint64_t key);

/// An engine is one such table and one line in the registry. `state` is the value that `create` stored.
typedef struct dj_engine_ops {
    const char *name;
    const char *summary;
    const char *cost;     ///< time and space, for `deja info`
    uint32_t can;         ///< bits of dj_capability
    bool folds;           ///< repeated accesses to one key cost almost nothing
    bool by_option;       ///< used if the user sets one of its options and names no engine
    bool for_long_traces; ///< used for long traces if the user names no engine; the last available one
                          ///< is chosen
    uint32_t coarser;     ///< number of coarser works that it can answer with each work, at less cost than
                          ///< separate engines
    const dj_option *options; ///< may be NULL
    size_t options_bytes;
    const void *default_options;
    /// With these options (NULL: the defaults), a distance d is answered by d' with d · (1 − error) ≤ d' ≤ d;
    /// the error is at least 0 and below 0.5. NULL: 0 if the engine is exact, otherwise unknown.
    double (*distance_error)(const void *options);

    /// Checks whether this machine has the device that the engine needs; if not, DJ_ERR_DEVICE and the
    /// reason. May take a second. NULL: it needs none.
    int (*find_device)(dj_context *context);
    int (*create)(dj_context *context, const dj_engine_params *params, void **state);
    void (*destroy)(void *state);
    /// Accepts work. May answer it at once or much later.
    int (*push)(void *state, dj_context *context, dj_work *work);
    /// Returns the oldest completely answered work, in the order pushed, or NULL if none is ready.
    int (*pull)(void *state, dj_context *context, dj_work **out);
    /// Makes all pushed work ready to pull. More work may follow. When drain returns, even with an
    /// error, the engine no longer touches any work.
    int (*drain)(void *state, dj_context *context);
    /// Last-access order of the keys. Only with DJ_CAN_SUMMARY, after drain.
    int (*order)(void *state, dj_context *context, dj_order *out);
    /// Only with DJ_CAN_TOTALS in use, after drain: adds the number of occurrences of each distance,
    /// and to *cold the number of first accesses, since the beginning.
    int (*totals)(void *state, dj_context *context, dj_histogram *into, uint64_t *cold);
    /// Only with DJ_CAN_REMOVE in use, after drain: removes every key for which `keeps` returns false, as by
    /// DJ_OP_REMOVE. NULL: not supported.
    int (*keep)(void *state, dj_context *context, dj_keeps *keeps, void *user);
    /// The memory that suffices for a number of instances, created with these parameters, that together never
    /// hold more than `keys` keys, which are `most_keys` of each, if keys are removed by `keep` only. It also
    /// suffices while they grow. NULL: unknown.
    uint64_t (*bytes_for)(const dj_engine_params *params, uint32_t engines, uint64_t keys);
    void (*stats)(const void *state, dj_engine_stats *out);
} dj_engine_ops;

/// Engine 0 is the default.
DJ_API size_t dj_engine_count(void);
DJ_API const dj_engine_ops *dj_engine_get(size_t index);
/// NULL if there is no engine of that name.
DJ_API const dj_engine_ops *dj_engine_find(const char *name);

/// Convenience function: all distances of `count` keys at once, by `engine` (NULL: the default) with
/// its default options.
DJ_API int dj_distances(dj_context *context, const dj_engine_ops *engine, const uint64_t *keys, size_t count,
                        uint64_t *distances);

#ifdef __cplusplus
}
#endif
#endif
