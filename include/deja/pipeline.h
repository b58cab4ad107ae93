// SPDX-License-Identifier: MIT
/// \file
/// The pipeline puts a source, lanes and observers together:
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

/// What the engine remembers with each key.
enum dj_tag {
    DJ_TAG_SITE,
    DJ_TAG_PLACE,
};

typedef struct dj_observer_choice {
    const dj_observer_ops *ops;
    const void *options;
} dj_observer_choice;

/// Lanes that take the same accesses, at one block size each.
typedef struct dj_lane_group {
    const uint64_t *blocks; ///< block sizes in address units, increasing, each a multiple of the first
    size_t block_count;
    const dj_filter_choice *filters; ///< one after the other
    size_t filter_count;
    enum dj_partition partition;
} dj_lane_group;

typedef struct dj_pipeline_config {
    const dj_engine_ops *engine; ///< NULL: the default
    const void *engine_options;  ///< NULL: its defaults
    const uint64_t *blocks; ///< of the only group, which takes all accesses; unused where there are groups
    size_t block_count;
    /// Lanes are numbered through all groups. The block sizes of each are multiples of the first one of the
    /// first group, at whose borders accesses are split.
    const dj_lane_group *groups;
    size_t group_count;
    bool split; ///< count an access in every block (of the smallest size) that it touches
    enum dj_tag tag;
    const dj_observer_choice *observers;
    size_t observer_count;
    /// Show the observers what is answered on so many threads beside, while the
    /// engine goes on; 0: on this one. They need not know: with more than one, those
    /// that are `unordered` have a state for each, the others share one thread.
    /// Not where pieces are summarized.
    unsigned observer_threads;
    bool summarize; ///< keep first accesses pending, so that pieces can be joined
    /// Called now and then with what the source has read; may be NULL.
    void (*on_progress)(void *user, const dj_progress *progress, uint64_t accesses);
    /// Asked after each batch; true: the run returns here, as at the end of the
    /// source, for a profile of what was read so far. May be NULL.
    bool (*pause)(void *user);
    void *user; ///< of both
} dj_pipeline_config;

typedef struct dj_pipeline dj_pipeline;

/// Refuses pairings that cannot work, with the reason (DJ_ERR_UNSUPPORTED).
/// The config is copied; what it points to (but `blocks`, `groups` and what those point to) must outlive
/// the pipeline.
DJ_API int dj_pipeline_create(dj_context *context, const dj_pipeline_config *config, dj_pipeline **out);

/// Sends all batches of `source` through. May be called again with a source
/// that goes on where this one ended. Bad input and a request to stop return
/// DJ_ERR_INPUT and DJ_ERR_STOPPED; all before it counts, and the profile will
/// be marked partial. All batches are released when it returns.
DJ_API int dj_pipeline_run(dj_pipeline *pipeline, dj_context *context, dj_source *source);

/// Whether the last run ended because of `pause`, and the next one goes on.
DJ_API bool dj_pipeline_is_paused(const dj_pipeline *pipeline);

/// Joins `later`, which saw the piece of the trace that follows at once, into
/// `pipeline`. Both must have been made with `summarize` and the same config.
/// Associative and exact. `later` is emptied; destroy it afterwards. Neither
/// can run again. Cost: O((keys of both) log keys).
DJ_API int dj_pipeline_join(dj_pipeline *pipeline, dj_context *context, dj_pipeline *later);

/// Ends the run: what is still pending is cold. Fills a new profile. With
/// `pause` the pipeline can run on after it.
DJ_API int dj_pipeline_finish(dj_pipeline *pipeline, dj_context *context, dj_profile **out);

DJ_API void dj_pipeline_destroy(dj_pipeline *pipeline);

/// Memory of the engines, summed over lanes and partitions.
DJ_API void dj_pipeline_stats(const dj_pipeline *pipeline, dj_engine_stats *out);

#ifdef __cplusplus
}
#endif
#endif
