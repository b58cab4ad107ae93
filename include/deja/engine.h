// SPDX-License-Identifier: MIT
/// \file
/// Engines turn keys into reuse distances. They know nothing of traces,
/// blocks, sites or reports.
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
/// The distance of an access that a lane does not count (filter.h). Engines know nothing of it.
#define DJ_ABSENT (UINT64_MAX - 1)

/// A piece of work: questions (keys) and the room for the answers. The caller
/// owns the memory; from push until pull gives it back the engine may read the
/// questions and write the answers.
typedef struct dj_work {
    size_t count; ///< may be 0
    const uint64_t *key;
    const uint32_t *tag;    ///< what the engine is to remember with the key; NULL unless asked for
    const uint64_t *time;   ///< likewise
    const uint64_t *weight; ///< bytes of the element; NULL unless asked for

    uint64_t *distance;  ///< DJ_COLD at a first access; NULL where the engine counts (DJ_CAN_TOTALS in use)
    uint32_t *prev_tag;  ///< tag of the previous access to the key; 0 when cold
    uint64_t *prev_time; ///< time of the previous access to the key; DJ_COLD when cold
    /// Sum of the last weights of the distinct keys accessed between; of all keys seen so far when cold.
    uint64_t *byte_distance;
    /// With params.coarser: room for the answers to the same keys without their lowest bit, whose own
    /// `coarser` is for those without the lowest two, and so on. Where there is room for `prev_tag`, it is
    /// the low half of the `key` that the work before (of which this is the coarser) had at the previous
    /// access: keys of works in between are read for that alone, and the two that one coarser key stands
    /// for must differ in bit 0 alone.
    struct dj_work *coarser;
    struct dj_work *next; ///< for the engine's own queue
} dj_work;

/// What an engine can do and what an observer may need.
enum dj_capability {
    DJ_CAN_EXACT = 1u << 0,      ///< distances are exact
    DJ_CAN_PER_ACCESS = 1u << 1, ///< a distance for each access, not only a histogram
    DJ_CAN_TAGS = 1u << 2,
    DJ_CAN_TIMES = 1u << 3,
    DJ_CAN_SUMMARY = 1u << 4,    ///< can give the last-access order of its keys
    DJ_CAN_BOUNDED = 1u << 5,    ///< memory does not grow with the number of keys
    DJ_CAN_WEIGHTS = 1u << 6,    ///< byte distances
    DJ_CAN_TOTALS = 1u << 7,     ///< can count distances by itself, without telling each
    DJ_CAN_INVALIDATE = 1u << 8, ///< can take a key out of the stack; no engine does so far
};

typedef struct dj_engine_params {
    uint32_t use;           ///< bits of dj_capability to switch on (tags, times, weights, totals)
    uint64_t expected_keys; ///< a hint, 0 when unknown
    uint32_t coarser;       ///< how much coarser work comes with each; at most what the engine's table says
    const void *options;    ///< the engine's own options structure, or NULL for defaults
} dj_engine_params;

/// The keys an engine has seen, least recently used first. Columns other than
/// `key` are NULL when they were not asked for. Freed with dj_order_free.
typedef struct dj_order {
    size_t count;
    uint64_t *key;
    uint32_t *tag;
    uint64_t *time;
    uint64_t *weight;
} dj_order;

DJ_API void dj_order_free(dj_order *order);

typedef struct dj_engine_stats {
    uint64_t keys;  ///< distinct keys held
    uint64_t bytes; ///< memory held now
    uint64_t peak_bytes;
} dj_engine_stats;

/// An engine is such a table and one line in the registry. `state` is what
/// create made.
typedef struct dj_engine_ops {
    const char *name;
    const char *summary;
    const char *cost;         ///< time and space, for `deja info`
    uint32_t can;             ///< bits of dj_capability
    bool folds;               ///< accesses to one key in a row cost it next to nothing
    bool for_long;            ///< for long traces, where the user names none: the last one that can be had
    uint32_t coarser;         ///< how much coarser work it can answer along with each, for less than apart
    const dj_option *options; ///< may be NULL
    size_t options_bytes;
    const void *default_options;

    /// Whether this machine has the device that the engine takes, or why not (DJ_ERR_DEVICE). May take a
    /// second. NULL: it takes none.
    int (*find)(dj_context *context);
    int (*create)(dj_context *context, const dj_engine_params *params, void **state);
    void (*destroy)(void *state);
    /// Takes a piece of work. May answer at once, or much later.
    int (*push)(void *state, dj_context *context, dj_work *work);
    /// Gives back the oldest work that is answered whole, in the order pushed,
    /// or NULL when none is ready.
    int (*pull)(void *state, dj_context *context, dj_work **out);
    /// Everything pushed becomes ready to pull. More work may follow. When it
    /// returns, even with an error, the engine touches no work that it was given.
    int (*drain)(void *state, dj_context *context);
    /// Last-access order of the keys; only with DJ_CAN_SUMMARY, after drain.
    int (*order)(void *state, dj_context *context, dj_order *out);
    /// Only with DJ_CAN_TOTALS in use, after drain: adds how often each distance came, and to *cold how
    /// many accesses were first ones, from the beginning on.
    int (*totals)(void *state, dj_context *context, dj_histogram *into, uint64_t *cold);
    void (*stats)(const void *state, dj_engine_stats *out);
} dj_engine_ops;

/// Engine 0 is the default.
DJ_API size_t dj_engine_count(void);
DJ_API const dj_engine_ops *dj_engine_get(size_t index);
/// NULL when there is none of that name.
DJ_API const dj_engine_ops *dj_engine_find(const char *name);

/// Convenience over the table: all distances of `count` keys at once, by
/// `engine` (NULL: the default) with its default options.
DJ_API int dj_distances(dj_context *context, const dj_engine_ops *engine, const uint64_t *keys, size_t count,
                        uint64_t *distances);

#ifdef __cplusplus
}
#endif
#endif
