// SPDX-License-Identifier: MIT
/// \file
/// Measuring: from a trace to its profile, with engine, observers and attribution
/// chosen and set up by what is asked for. session.h does the same for programs.
/// Who needs other stages puts a pipeline together (pipeline.h).
#ifndef DEJA_MEASURE_H
#define DEJA_MEASURE_H

#include <deja/pipeline.h>
#include <deja/summary.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Where an access counts that touches several blocks.
enum dj_splitting {
    DJ_SPLIT_USUAL, ///< as is usual: in each for block I/O, and, with `spatial`, for memory; else in the
                    ///< first
    DJ_SPLIT_EACH,  ///< in each block (of the smallest size) that it touches
    DJ_SPLIT_FIRST, ///< in the block where it begins
};

/// A cache whose misses the profile is to have exactly.
typedef struct dj_cache_size {
    const char *name;
    uint64_t bytes;
} dj_cache_size;

/// Spatial locality: what changes from each block size to the next, which is twice as large.
typedef struct dj_spatial_request {
    uint64_t ranked_block;    ///< the smaller block of the pair that matters most; 0: the first
    uint64_t residency_bytes; ///< cache in which the use of blocks is counted; 0: the smallest, or 32 KiB
    /// Block sizes for a program that analyzes its own elements; 0: 1 to 256.
    const uint64_t *element_blocks;
    size_t element_block_count;
} dj_spatial_request;

/// What to measure of a trace or a program. All zero: the reuse distances of all
/// accesses, at the block size that is usual for the trace, by the engine that
/// suits it. What it points to must outlive the measurement.
typedef struct dj_request {
    /// Block sizes in address units, increasing, each a multiple of the first; none:
    /// 64 bytes for memory, 4096 for block I/O, 1 for keys, and several, each twice
    /// the one before, with `spatial`.
    const uint64_t *blocks;
    size_t block_count;
    enum dj_splitting splitting;

    const char *engine; ///< name; NULL or "auto": one that suits the trace
    /// The options structure of each engine of the registry, in its order; NULL: defaults.
    void *const *engine_options;

    const dj_filter_choice *filters; ///< which accesses count, one after the other; those whose options ask
                                     ///< for nothing are left out
    size_t filter_count;
    enum dj_partition partition; ///< each thread, device or file has a stack of its own: section `partitions`

    const char *start_at; ///< count from the first time that this function or region is entered; NULL: from
                          ///< the beginning. Needs `places`
    const char *within;   ///< count only what this function or region does, with what it calls; NULL: all.
                          ///< Needs `places`
    uint64_t skip;        ///< leave out so many accesses of what would count
    uint64_t stop_after;  ///< stop after so many; 0: at the end
    bool statements;      ///< count each element once in each instance of a statement
    bool fresh_heap;      ///< memory that is allocated again is new data. Needs `places`

    bool places; ///< find out which code accesses which data: see attribution.h
    const dj_cache_size *caches;
    size_t cache_count;
    const dj_spatial_request *spatial; ///< NULL: none
    const dj_observer_choice
        *observers; ///< beside `histogram` and `traffic`, and those of what is asked above
    size_t observer_count;

    /// For the provenance; NULL: the files that are read, the program.
    const char *const *inputs;
    size_t input_count;
    const char *command; ///< as typed; NULL: none

    /// For traces: called now and then with what was read; may be NULL.
    void (*on_progress)(void *user, const dj_progress *progress, uint64_t accesses);
    /// For traces: all has been read, and only names are still to be found; may be NULL.
    void (*after_reading)(void *user);
    void *user; ///< of both
} dj_request;

/// Sets what a source must give for the filters and the partition of a request, before it is opened.
DJ_API void dj_request_ask(const dj_request *request, dj_source_options *source);

/// Measures a source from where it stands to its end. It stays the caller's.
/// Bad input and a request to stop return DJ_ERR_INPUT and DJ_ERR_STOPPED, and
/// with it a partial profile in *out if anything was read; otherwise *out is NULL
/// after an error. A trace without accesses is bad input.
DJ_API int dj_measure_source(dj_context *context, dj_source *source, const dj_request *request,
                             dj_profile **out);
/// The same for files, opened as one trace by dj_source_open.
DJ_API int dj_measure_files(dj_context *context, const char *const *paths, size_t count,
                            const dj_source_options *options, const dj_request *request, dj_profile **out);
/// The same for a part of a trace, which may be without accesses, to be joined with
/// the others. It must be whole: after bad input and a request to stop there is none.
DJ_API int dj_measure_part(dj_context *context, dj_source *source, const dj_request *request, dj_part part,
                           dj_summary **out);

/// A list of observers that grows, for dj_request.
typedef struct dj_observer_list {
    dj_observer_choice *items;
    size_t count, capacity;
} dj_observer_list;

/// Adds an observer of the registry; `options` (NULL: defaults) must outlive it.
DJ_API int dj_observer_list_add(dj_context *context, dj_observer_list *list, const char *name,
                                const void *options);
DJ_API void dj_observer_list_free(dj_observer_list *list);

#ifdef __cplusplus
}
#endif
#endif
