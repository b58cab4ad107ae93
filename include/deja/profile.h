// SPDX-License-Identifier: MIT
/// \file
/// The profile: a plain value that contains everything that was measured. Models and reports are pure
/// functions of it. It can be saved, loaded and reported without measuring again.
#ifndef DEJA_PROFILE_H
#define DEJA_PROFILE_H

#include <deja/attribution.h>
#include <deja/histogram.h>
#include <deja/section.h>

#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The relative error of distances is below this.
#define DJ_DISTANCE_ERROR_END 0.5

/// How the numbers were obtained. Printed by every report.
typedef struct dj_provenance {
    char *version; ///< of Deja
    char *command; ///< as typed, or ""
    char *engine;
    char *format;
    char **inputs; ///< names of the files
    size_t input_count;
    char *unit;          ///< the name of a block: "block", "key", "element"
    uint64_t unit_bytes; ///< bytes of an address unit; 0: blocks and keys have no size in bytes
    bool exact;          ///< false: an estimate, see the two errors
    double error_bound;  ///< of miss ratios, absolute; 0 if exact or unknown
    /// Of distances, relative: a distance d is recorded as d' with d · (1 − error) ≤ d' ≤ d. 0 if exact or
    /// unknown; dj_mrc_band derives the range of each miss ratio from it.
    double distance_error;
    bool split;           ///< an access counts in every block that it touches
    char *statements;     ///< how statement instances were distinguished; "": every access counts
    char *selection;      ///< which part of the run counts, and how: "within f, skip 5"; "": all of it
    char *engine_options; ///< "threads=4"; "": the defaults
    char *filter;         ///< which accesses the first lanes count, as text; "": all
    double sampling;      ///< share of the keys that the first lanes analyze; 1, or 0: all
    char *thread_order;   ///< how accesses of several threads are ordered; "": one thread, or unknown
    bool partial;         ///< ended early: interrupted, ended by a signal, or cut short by bad input
    char *partial_reason; ///< "" unless partial
    char *missing;        ///< which processes of a program were not analyzed, and why; "": none
} dj_provenance;

/// Identifies a lane: which accesses it counts, and at which block size.
typedef struct dj_lane_id {
    uint64_t block_bytes; ///< 1 for keys
    char *filter;         ///< the accesses that it counts, as text such as "reads"; "" or NULL: all
    /// "thread", "device", "file", "cache", "coherent cache of 2 sharers": each has its own LRU stack; "" or
    /// NULL: one stack for all.
    char *partition;
    double sampling; ///< share of the keys that it analyzes; 1: all
} dj_lane_id;

/// The results of one lane: one block size, and the accesses that its filter counts.
typedef struct dj_lane_profile {
    dj_lane_id id;
    uint64_t accesses;      ///< counted in this lane
    uint64_t distinct;      ///< distinct blocks; this and the next two are filled by observer histogram
    uint64_t cold;          ///< first accesses
    dj_histogram *distance; ///< over reuses; never NULL, empty unless requested
    /// Loaded from a file with bins wider than one value: each distance is recorded as the longest of its
    /// bin (in old files as the upper end), and `moments` are those of the original distances.
    bool binned;
    bool in_log2_bins; ///< binned, and the bins are those of DJ_BINS_LOG2; false: that is not known
    dj_moments moments;
    uint64_t *longest; ///< of each non-empty bin, while a file is read; NULL afterwards
    size_t longest_count;
    dj_section_list sections; ///< what else was requested
    struct dj_sample *sample; ///< of a partition from a sample; otherwise NULL, and there may be a section
} dj_lane_profile;

/// Section `time`.
typedef struct dj_time_profile {
    dj_histogram *distance; ///< over reuses
} dj_time_profile;

/// The standard error of a miss ratio from a sample, at cache sizes from `size` up to the next row.
typedef struct dj_sample_error {
    uint64_t size; ///< in blocks, or in bytes
    double error;  ///< the largest in this range
} dj_sample_error;

/// The mean size of the keys below 2 × size, weighted by their size: how uneven the content of a cache is.
typedef struct dj_mean_size {
    uint64_t size;
    double mean;
} dj_mean_size;

/// Section `bytes`.
typedef struct dj_byte_profile {
    dj_histogram *distance; ///< bytes that an LRU cache needs to hit, including the element itself
    dj_histogram *weight;   ///< its values, counted in requested bytes; NULL in some old files
    uint64_t cold_bytes;    ///< bytes requested by first accesses; 0 without `weight`
    /// In a sample: the errors of miss ratios by requests and by bytes, and the sizes of keys, all by
    /// increasing size. Empty otherwise.
    dj_sample_error *errors, *byte_errors;
    size_t error_count, byte_error_count;
    dj_mean_size *means;
    size_t mean_count;
    uint64_t sampled_bytes; ///< requested bytes as the sample estimates them; their real number is known
} dj_byte_profile;

/// Sections `fingerprint`, an ordered hash over all distances, and `digest`, a
/// composable sum over all (position, distance).
typedef struct dj_hash_profile {
    uint64_t hash;
} dj_hash_profile;

enum dj_policy {
    DJ_POLICY_LRU,  ///< evicts the least recently used
    DJ_POLICY_FIFO, ///< evicts what has been in the cache longest
    DJ_POLICY_LFU,  ///< evicts the least often used since it was fetched, the least recent on a tie
};

/// A cache whose misses were counted by simulation.
typedef struct dj_simulated {
    enum dj_policy policy;
    uint64_t size_blocks; ///< sets × ways
    uint64_t sets;        ///< 1: fully associative
    uint64_t ways;
    uint64_t misses; ///< including cold misses
} dj_simulated;

/// Section `simulated`.
typedef struct dj_simulated_profile {
    dj_simulated *caches;
    size_t count;
} dj_simulated_profile;

/// Section `keys`: per-address statistics (deja stats).
typedef struct dj_key_profile {
    dj_histogram *access_counts; ///< over keys: number of accesses of each
    uint64_t single_use;         ///< keys accessed once
    /// If lists were requested: for each key, in order of first access, its distances (without the cold
    /// miss) at distances[offset[i] … offset[i + 1]).
    size_t list_count;
    uint64_t *list_key;    ///< number of the block, or the key
    uint64_t *list_device; ///< NULL if the trace has no devices
    uint64_t *list_offset;
    uint64_t *list_distances;
    size_t device_count, offset_count,
        distance_count; ///< of the lists above: 0 or list_count, list_count + 1
} dj_key_profile;

/// Section `strides`: the distance between consecutive accesses, in blocks.
typedef struct dj_stride_profile {
    uint64_t pairs;  ///< consecutive pairs on one device
    uint64_t within; ///< those with a distance of at most `near_blocks`
    uint64_t near_blocks;
    dj_histogram *stride; ///< absolute distance in blocks
    bool binned;          ///< loaded from wider bins (see dj_lane_profile); `moments` are the original ones
    dj_moments moments;
} dj_stride_profile;

/// Section `sizes` of a profile: how large the requests are that the first lane counts.
typedef struct dj_size_profile {
    dj_histogram *sizes; ///< in bytes, or in the unit of the trace; empty if requests have no sizes
} dj_size_profile;

typedef struct dj_profile {
    dj_provenance provenance;
    uint64_t accesses; ///< of the trace, after splitting; a lane with a filter may count fewer
    uint64_t requests; ///< as recorded in the trace
    uint64_t bytes;    ///< sum of sizes; 0 if the trace has none
    uint64_t outside;  ///< accesses reported by annotations that are outside recorded data; not counted above
    uint64_t reads, writes; ///< 0 and 0 if the trace does not distinguish them
    dj_lane_profile *lanes; ///< by groups, each ordered by block size; reports show the first
    size_t lane_count;
    dj_section_list sections; ///< what was requested for the entire trace
} dj_profile;

DJ_API int dj_profile_create(dj_context *context, size_t lane_count, dj_profile **out);
DJ_API void dj_profile_destroy(dj_profile *profile);

/// Accessors, which hide how the profile is stored. What was measured in addition to reuse distances is
/// NULL or 0 unless requested.
static inline uint64_t dj_lane_block(const dj_lane_profile *lane)
{
    return lane->id.block_bytes;
}
/// The accesses that it counts, as text; "": all.
static inline const char *dj_lane_filter(const dj_lane_profile *lane)
{
    return lane->id.filter ? lane->id.filter : "";
}
/// "thread", "device" or "file" if each has its own LRU stack; "": there is one stack.
static inline const char *dj_lane_partition(const dj_lane_profile *lane)
{
    return lane->id.partition ? lane->id.partition : "";
}
DJ_API dj_attribution *dj_profile_attribution(const dj_profile *profile);
DJ_API dj_spatial *dj_profile_spatial(const dj_profile *profile);
DJ_API const dj_histogram *dj_profile_sizes(const dj_profile *profile);
DJ_API const dj_histogram *dj_lane_time(const dj_lane_profile *lane);
DJ_API const dj_histogram *dj_lane_byte_distance(const dj_lane_profile *lane);
DJ_API const dj_byte_profile *dj_lane_bytes(const dj_lane_profile *lane); ///< NULL: none
DJ_API const dj_histogram *dj_lane_byte_weight(const dj_lane_profile *lane);
DJ_API uint64_t dj_lane_cold_bytes(const dj_lane_profile *lane);
DJ_API const dj_key_profile *dj_lane_keys(const dj_lane_profile *lane);
DJ_API const dj_stride_profile *dj_lane_strides(const dj_lane_profile *lane);
DJ_API const dj_simulated *dj_lane_simulated(const dj_lane_profile *lane);
DJ_API size_t dj_lane_simulated_count(const dj_lane_profile *lane);
DJ_API bool dj_lane_has_fingerprint(const dj_lane_profile *lane);
DJ_API uint64_t dj_lane_fingerprint(const dj_lane_profile *lane);
DJ_API bool dj_lane_has_digest(const dj_lane_profile *lane);
DJ_API uint64_t dj_lane_digest(const dj_lane_profile *lane);

/// Moments of the reuse distances; the original ones if the lane is binned.
DJ_API dj_moments dj_lane_moments(const dj_lane_profile *lane);

/// Writes a profile as JSON (docs/formats.md). `width` applies to linear bins. Only exact bins are lossless;
/// a lane that was loaded from wider bins can only be saved with DJ_BINS_LOG2.
DJ_API int dj_profile_save(dj_context *context, const dj_profile *profile, enum dj_binning binning,
                           uint64_t width, FILE *out);
/// Writes the JSON schema (draft 2020-12) of what dj_profile_save writes: docs/profile.schema.json.
DJ_API int dj_profile_schema(dj_context *context, FILE *out);
/// Writes a profile in columns (`.dejap`, docs/formats.md): smaller, faster and always lossless.
DJ_API int dj_profile_save_columns(dj_context *context, const dj_profile *profile, FILE *out);
/// Write several profiles to one file, from which dj_profile_load_process reads them by number: begin, add
/// each with a number from 0, end.
DJ_API int dj_columns_begin(dj_context *context, FILE *out);
DJ_API int dj_columns_add(dj_context *context, const dj_profile *profile, size_t number, FILE *out);
DJ_API int dj_columns_end(dj_context *context, FILE *out);
/// Reads a file written by any of these. `name` appears in messages. DJ_ERR_INPUT if it is not such a file,
/// with a message that says what is wrong and where.
DJ_API int dj_profile_load(dj_context *context, FILE *in, const char *name, dj_profile **out);
/// The same for another process in the file, counted from 1; 0 is the profile itself.
DJ_API int dj_profile_load_process(dj_context *context, FILE *in, const char *name, size_t process,
                                   dj_profile **out);

#ifdef __cplusplus
}
#endif
#endif
