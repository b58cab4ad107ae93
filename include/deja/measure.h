// SPDX-License-Identifier: MIT
/// \file
/// Measures the profile of a trace. The request determines the engine, the observers and the attribution.
/// session.h does the same for programs. For other combinations of stages, build a pipeline
/// (pipeline.h).
#ifndef DEJA_MEASURE_H
#define DEJA_MEASURE_H

#include <deja/observer_options.h>
#include <deja/pipeline.h>
#include <deja/sharers.h>
#include <deja/sharing.h>
#include <deja/summary.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Where an access that touches several blocks is counted.
enum dj_splitting {
    DJ_SPLIT_DEFAULT, ///< block I/O, and memory with `spatial`: in each block; otherwise in the first
    DJ_SPLIT_EACH,    ///< in each block (of the smallest size) that it touches
    DJ_SPLIT_FIRST,   ///< in the block where it begins
};

/// A cache whose misses the profile must record exactly.
typedef struct dj_cache_size {
    const char *name;
    uint64_t bytes;
} dj_cache_size;

/// Spatial locality: how distances change from each block size to the next, which is twice as large.
typedef struct dj_spatial_request {
    uint64_t ranked_block;    ///< the smaller block of the pair used for ranking; 0: the first
    uint64_t residency_bytes; ///< cache size for line utilization; 0: the smallest cache, or 32 KiB
    /// Block sizes for a program that analyzes its own elements; 0: 1 to 256.
    const uint64_t *element_blocks;
    size_t element_block_count;
} dj_spatial_request;

/// Caches that several programs or threads share (sharers.h).
typedef struct dj_sharing_request {
    /// The source is one trace, and its threads are the sharers. They are interleaved after they have been
    /// located, so `places` works in every order. false: the source is already interleaved.
    bool by_thread;
    dj_interleave_options interleave; ///< how to interleave the threads, or how the source was interleaved
    /// With `by_thread` and DJ_INTERLEAVE_SCHEDULE: how many schedules to measure, with consecutive seeds;
    /// 0: 1. The profile is that of the first, with the spread of all (dj_schedules).
    uint32_t schedules;
    bool only_distances; ///< not what the sharers do to each other, which takes longer
    bool predictable;    ///< also measure what predictions need (section `joint` of the lane of each alone)
    const dj_thread_work *threads; ///< CPU times of the threads of a program, for the profile; NULL: unknown
    size_t thread_count;
    /// The caches of the machine. One cache for all and one for each sharer are always measured.
    const dj_shared_cache *caches;
    size_t cache_count;
} dj_sharing_request;

/// Analyze only bursts of a trace, and estimate the rest (tracing.h).
typedef struct dj_burst_request {
    double rate; ///< the part of the accesses to analyze, above 0 and below 1
    uint64_t seed;
} dj_burst_request;

/// What to measure in a trace or program. All zero: the reuse distances of all accesses, at the default
/// block size of the trace, by the most suitable engine. What it points to must outlive the measurement.
typedef struct dj_request {
    /// Block sizes in address units, increasing, each a multiple of the first. None: 64 bytes for
    /// memory, 4096 for block I/O, 1 for keys; with `spatial` several, each twice the previous one.
    const uint64_t *blocks;
    size_t block_count;
    enum dj_splitting splitting;

    const char *engine; ///< name; NULL or "auto": chosen to suit the trace
    /// The options structure of each engine, in registry order; NULL: defaults.
    void *const *engine_options;

    const dj_filter_choice *filters; ///< which accesses count, applied in this order; filters whose options
                                     ///< are all defaults have no effect
    size_t filter_count;
    enum dj_partition partition; ///< one stack per thread, device or file: section `partitions`

    const char *start_at; ///< start counting when this function or region is first entered; NULL: at the
                          ///< beginning. Needs `places`
    const char *within;   ///< count only what this function or region does, including its callees; NULL:
                          ///< everything. Needs `places`
    uint64_t skip;        ///< skip this many of the accesses that would count
    uint64_t stop_after;  ///< stop after this many; 0: at the end
    bool statements;      ///< count each element once per statement instance
    bool fresh_heap;      ///< memory that is allocated again is new data. Needs `places`

    bool places; ///< determine which code accesses which data: see attribution.h
    /// Folders, separated by colons, to search for object files that are missing or have changed, and for
    /// their debug files. NULL: none
    const char *symbols;
    bool elements; ///< which parts of data objects are accessed: section `elements`. Needs `places`
    const dj_cache_size *caches;
    size_t cache_count;
    /// Caches to simulate with their sets, one behind the other: section `hierarchy`. None: nothing is
    /// simulated. With `places` they must be `caches`. Needs exact distances of all accesses, in one sequence
    const dj_hierarchy_level *levels;
    size_t level_count;
    const dj_spatial_request *spatial; ///< NULL: none
    const dj_sharing_request *sharing; ///< NULL: none
    /// For traces without devices; NULL: analyze everything. Filters cannot be combined with it. A program is
    /// traced in bursts if the session says so (session.h).
    const dj_burst_request *bursts;
    const dj_observer_choice
        *observers; ///< in addition to `histogram`, `traffic` and those that the members above imply
    size_t observer_count;

    /// For the provenance; NULL: the files that are read, or the program.
    const char *const *inputs;
    size_t input_count;
    const char *command; ///< as typed; NULL: none

    /// For traces: called periodically with what has been read so far; may be NULL.
    void (*on_progress)(void *user, const dj_progress *progress, uint64_t accesses);
    /// For traces: called after everything has been read, before names are resolved; may be NULL.
    void (*after_reading)(void *user);
    /// For traces: called after each batch. If it returns true, `keep` gets ownership of a profile of what
    /// was read so far. Both may be NULL.
    bool (*is_due)(void *user);
    void (*keep)(void *user, dj_profile *profile);
    void *user; ///< passed to all of them
} dj_request;

/// Sets the source options that the filters and the partition of a request need. Call before opening the
/// source.
DJ_API void dj_request_ask(const dj_request *request, dj_source_options *source);

/// Measures a source from its current position to its end. The caller keeps ownership of it. Bad input
/// and a request to stop return DJ_ERR_INPUT and DJ_ERR_STOPPED, with a partial profile in *out if
/// anything was read; otherwise *out is NULL after an error. A trace without accesses is bad input.
DJ_API int dj_measure_source(dj_context *context, dj_source *source, const dj_request *request,
                             dj_profile **out);
/// The same for files, opened as one trace by dj_source_open.
DJ_API int dj_measure_files(dj_context *context, const char *const *paths, size_t count,
                            const dj_source_options *options, const dj_request *request, dj_profile **out);
/// The same for a part of a trace, to be joined with the others; it may contain no accesses. It must be
/// complete: bad input or a request to stop yields no summary.
DJ_API int dj_measure_part(dj_context *context, dj_source *source, const dj_request *request, dj_part part,
                           dj_summary **out);

/// A growing list of observers, for dj_request.
typedef struct dj_observer_list {
    dj_observer_choice *items;
    size_t count, capacity;
} dj_observer_list;

/// Adds an observer of the registry; `options` (NULL: defaults) must outlive the list.
DJ_API int dj_observer_list_add(dj_context *context, dj_observer_list *list, const char *name,
                                const void *options);
DJ_API void dj_observer_list_free(dj_observer_list *list);

#ifdef __cplusplus
}
#endif
#endif
