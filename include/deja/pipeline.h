// SPDX-License-Identifier: MIT
/// \file
/// The pipeline connects a source, lanes and observers:
///
///     source → batch → split → lanes: [filter → keyer → engine] → observers → profile
#ifndef DEJA_PIPELINE_H
#define DEJA_PIPELINE_H

#include <deja/engine.h>
#include <deja/observer.h>
#include <deja/profile.h>
#include <deja/source.h>

#ifdef __cplusplus
extern "C" {
#endif

/// What the engine stores with each key.
enum dj_tag {
    DJ_TAG_SITE,
    DJ_TAG_PLACE,
};

typedef struct dj_observer_choice {
    const dj_observer_ops *ops;
    const void *options;
} dj_observer_choice;

/// Lanes that see the same accesses, each with a different block size.
typedef struct dj_lane_group {
    const uint64_t *blocks; ///< block sizes in address units, increasing, each a multiple of the first
    size_t block_count;
    const dj_filter_choice *filters; ///< applied in this order
    size_t filter_count;
    enum dj_partition partition;
    /// With DJ_PARTITION_CACHE: sharers 0 to n - 1 have the first cache, and so on; 0: 1; DJ_SHARERS_MOST:
    /// all sharers have one.
    uint32_t sharers_per_cache;
    /// With DJ_PARTITION_CACHE: a write (also DJ_KIND_MODIFY) invalidates the block in all other caches.
    /// Needs DJ_CAN_INVALIDATE. See dj_lane_view.lost_to.
    bool coherent;
} dj_lane_group;

typedef struct dj_pipeline_config {
    const dj_engine_ops *engine; ///< NULL: the default
    const void *engine_options;  ///< NULL: its defaults
    const uint64_t *blocks;      ///< of the only group, which sees all accesses; ignored if there are groups
    size_t block_count;
    /// Lanes are numbered across all groups. All block sizes are multiples of the smallest one of the
    /// first group, at whose boundaries accesses are split.
    const dj_lane_group *groups;
    size_t group_count;
    bool split; ///< count an access in every block (of the smallest size) that it touches
    enum dj_tag tag;
    const dj_observer_choice *observers;
    size_t observer_count;
    /// Run the observers on this many additional threads while the engine continues; 0: on the calling
    /// thread. Transparent to the observers: with more than one thread, those that are `unordered` get
    /// one state per thread, the others share one thread. Not allowed with `summarize`.
    unsigned observer_threads;
    bool first_times; ///< the first lane of each group has prev_time, if the engine can provide it
    bool summarize;   ///< keep first accesses pending, so that parts can be joined
    /// Called periodically with what the source has read so far; may be NULL.
    void (*on_progress)(void *user, const dj_progress *progress, uint64_t accesses);
    /// Called after each batch. If it returns true, the run returns as at the end of the source, so that
    /// the caller can obtain a profile of what was read so far. May be NULL.
    bool (*pause)(void *user);
    void *user; ///< passed to both
} dj_pipeline_config;

typedef struct dj_pipeline dj_pipeline;

/// Refuses combinations that cannot work, with the reason (DJ_ERR_UNSUPPORTED). Copies the config,
/// `blocks` and `groups`; everything else it points to must outlive the pipeline.
DJ_API int dj_pipeline_create(dj_context *context, const dj_pipeline_config *config, dj_pipeline **out);

/// Processes all batches of `source`. May be called again with a source that continues where this one
/// ended. Bad input and a request to stop return DJ_ERR_INPUT and DJ_ERR_STOPPED; everything before
/// that counts, and the profile will be marked partial. All batches are released on return.
DJ_API int dj_pipeline_run(dj_pipeline *pipeline, dj_context *context, dj_source *source);

/// Whether `pause` ended the last run, so that the next one continues it.
DJ_API bool dj_pipeline_is_paused(const dj_pipeline *pipeline);

/// Joins `later`, which analyzed the part of the trace that follows immediately, into `pipeline`. Both
/// must have been created with `summarize` and the same config. Exact and associative. Empties `later`;
/// destroy it afterwards. Neither can run again. Cost: O((keys of both) log keys).
DJ_API int dj_pipeline_join(dj_pipeline *pipeline, dj_context *context, dj_pipeline *later);

/// Creates the profile of everything so far; pending first accesses are cold. With `pause` the pipeline can
/// continue to run afterwards.
DJ_API int dj_pipeline_finish(dj_pipeline *pipeline, dj_context *context, dj_profile **out);

DJ_API void dj_pipeline_destroy(dj_pipeline *pipeline);

/// Memory of the engines, summed over lanes and partitions.
DJ_API void dj_pipeline_stats(const dj_pipeline *pipeline, dj_engine_stats *out);

#ifdef __cplusplus
}
#endif
#endif
