// SPDX-License-Identifier: MIT
/// \file
/// Section `sharing`: programs or threads that share caches. For each of them its reuse distances alone, in
/// a cache shared by all, and in caches that others' writes invalidate; and what the others changed.
#ifndef DEJA_SHARING_H
#define DEJA_SHARING_H

#include <deja/place.h>
#include <deja/profile.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The distances of one sharer in caches shared by a given number of sharers.
typedef struct dj_sharer_distances {
    uint32_t sharers_per_cache;
    /// Accesses, distinct blocks, cold misses and reuse distances, in a form that models accept. Only the
    /// block size of `id` is set.
    dj_lane_profile lane;
    /// Accesses to blocks that another cache wrote to since this one last accessed them, whether or not a
    /// cache of a given size had evicted them before the write; part of lane.cold.
    uint64_t invalidated;
} dj_sharer_distances;

/// Reuses at distances from `lo` to `hi`, as a model expects them.
typedef struct dj_expected_bin {
    uint64_t lo, hi; ///< both inclusive; equal below 8192, then 4096 bins per doubling
    double count;
} dj_expected_bin;

/// The distances in a cache that all share, predicted from each sharer alone.
#define DJ_SAME_ORDER 0.8
#define DJ_BROKEN_OTHERWISE 0.2 ///< of the reuses
typedef struct dj_prediction {
    char *model;
    double accuracy;        ///< 1 - E / 2, E: the sum of the differences of bars 1 wide; 0 without reuses
    double accuracy_coarse; ///< the same for bars that are 1 % of their distance wide, and at least 1
    double cold;            ///< accesses that are the first of all sharers to their block
    double reuses;
    dj_expected_bin *bins; ///< increasing, with the sum `reuses`
    size_t bin_count;
    /// Of the times at which this sharer and another one first access the blocks of both; the highest of all
    /// others. The lower one of two: of all blocks (Pearson), and of blocks that this sharer accesses at
    /// nearly the same time (Kendall), so that popular blocks alone do not make it high. From DJ_SAME_ORDER
    /// on they access them in the same order, which models do not expect.
    double correlation;
    double broken; ///< reuses that another sharer is expected to break
} dj_prediction;

/// CPU times below this are too coarse for a speed: they are sampled every few milliseconds.
#define DJ_CPU_SECONDS_LEAST 0.01

/// A thread of a recorded program. CPU times are sampled; 0: unknown.
typedef struct dj_thread_work {
    uint64_t thread; ///< its number in the recording: the first is 1, the next one created is 2, and so on
    uint64_t accesses;
    double cpu_seconds;        ///< while it was recorded
    double native_cpu_seconds; ///< in a run without a tracer
} dj_thread_work;

typedef struct dj_sharer_profile {
    char *name;
    bool is_thread;                         ///< of one trace
    uint64_t thread;                        ///< its number in the trace; 0 if it is none
    double speed;                           ///< relative to the others; 0: the order was recorded
    double cpu_seconds, native_cpu_seconds; ///< of a thread, as in dj_thread_work
    bool kinds_unknown;                     ///< which of its accesses write; they count as reads
    uint64_t blocks;                        ///< distinct ones that it accessed
    uint64_t shared;                        ///< those of them that another sharer accessed too
    uint64_t shared_accesses;               ///< accesses to those
    dj_sharing_counts counts;
    dj_sharer_distances standalone; ///< as if it were alone
    dj_sharer_distances concurrent; ///< all share one cache
    dj_sharer_distances separate;   ///< each has its own cache; writes invalidate the block in the others
    dj_sharer_distances *groups;    ///< other numbers of sharers per cache; likewise invalidated
    size_t group_count;
    dj_prediction *predictions;
    size_t prediction_count;
} dj_sharer_profile;

/// Blocks that exactly these sharers accessed.
typedef struct dj_sharing_class {
    uint64_t sharers; ///< bit i: sharer i
    uint64_t blocks;
} dj_sharing_class;

#define DJ_SHARED_BY_ALL UINT32_MAX
/// A cache of the machine that the sharers run on.
typedef struct dj_shared_cache {
    char *name;
    uint64_t bytes;
    uint32_t sharers; ///< that share each such cache; DJ_SHARED_BY_ALL: all
} dj_shared_cache;

/// Of several values. The median of an even number of values is the lower of the two in the middle.
typedef struct dj_count_range {
    uint64_t minimum, median, maximum;
} dj_count_range;
typedef struct dj_mean_range {
    double minimum, median, maximum;
} dj_mean_range;

/// The misses in a cache over several schedules.
typedef struct dj_schedule_misses {
    char *cache;             ///< its name
    dj_count_range all;      ///< of all sharers together
    dj_count_range *sharers; ///< of each
    size_t count;
} dj_schedule_misses;

/// Above this share of forced accesses, there is almost no other order than the recorded one.
#define DJ_FORCED_MOST 0.9

/// What was measured in several orders of the same accesses (DJ_INTERLEAVE_SCHEDULE). Everything else is
/// that of the first.
typedef struct dj_schedules {
    uint64_t count;             ///< schedules
    uint64_t quantum;           ///< accesses of a turn
    uint64_t seed;              ///< of the first; the others follow
    uint64_t waits;             ///< how often a thread waits for another one, without those that others imply
    double forced;              ///< share of the accesses made while no other thread could have run
    dj_schedule_misses *caches; ///< as in dj_sharing; none if those were replaced
    size_t cache_count;
    dj_mean_range distance;   ///< mean reuse distance in one cache for all: of all sharers together
    dj_mean_range *distances; ///< of each
    size_t distance_count;
} dj_schedules;

typedef struct dj_sharing {
    char *order;         ///< how the accesses were interleaved, in words
    bool random;         ///< the order is random
    uint64_t word_bytes; ///< the unit in which writes are compared with reads
    dj_sharer_profile *sharers;
    size_t count;
    dj_sharing_class *classes; ///< decreasing in blocks; none if there are more than 64 sharers
    size_t class_count;
    dj_shared_cache *caches; ///< from the smallest to the largest
    size_t cache_count;
    dj_schedules *schedules; ///< NULL: one order was measured
    /// Counts by place, until observer `sharing-places` moves them to the attribution. Never saved.
    dj_sharing_tally **places;
    size_t place_count;
    dj_invalidation_row *invalidations;
    size_t invalidation_count;
    uint64_t *shared_blocks; ///< by object
    size_t shared_block_count;
} dj_sharing;

/// The distances of a sharer in caches that so many share; NULL if that was not measured.
DJ_API const dj_sharer_distances *dj_sharer_in_cache(const dj_sharing *sharing, size_t sharer,
                                                     uint32_t sharers_per_cache);

/// Whether a sharer violates what models assume, as far as the measurement shows it: it accesses shared
/// blocks in the same order as another one, or others break far more or fewer of its reuses than expected, as
/// with a few shared blocks that all use often.
DJ_API bool dj_sharer_is_predictable(const dj_sharer_profile *sharer, const dj_prediction *prediction);

/// NULL unless it was measured.
DJ_API dj_sharing *dj_profile_sharing(const dj_profile *profile);

/// Copies the caches of the machine, from the smallest to the largest.
DJ_API int dj_sharing_set_caches(dj_context *context, dj_sharing *sharing, const dj_shared_cache *caches,
                                 size_t count);
/// Other caches than those that were measured, for a profile with sharers. Their misses follow from the
/// distances. By place, and over several schedules, misses are known only for the measured caches; those are
/// dropped.
DJ_API int dj_sharing_replace_caches(dj_context *context, dj_profile *profile, const dj_shared_cache *caches,
                                     size_t count);

/// A cache whose misses are counted by place.
typedef struct dj_sharing_cut {
    uint64_t blocks;
    uint32_t sharers_per_cache; ///< one of those of the coherent lanes, or 0: all
} dj_sharing_cut;

/// The lanes of observer `sharing`.
enum dj_sharing_lane {
    DJ_LANE_SHARED,   ///< one cache for all
    DJ_LANE_OWN,      ///< partitioned by sharer
    DJ_LANE_COHERENT, ///< this and each further one: coherent, with a number of sharers per cache
};

/// Observer `sharing`. The number of sharers per cache of each coherent lane; the first must be 1. With a
/// table of places it also counts by place, if the accesses have places and previous ones (DJ_TAG_PLACE);
/// observer `sharing-places` then adds these counts to the attribution.
typedef struct dj_sharing_options {
    const uint32_t *sharers_per_cache;
    size_t count;
    const dj_place_table *places; ///< that column place refers to; NULL: nothing is counted by place
    const dj_sharing_cut *cuts;   ///< caches whose misses are counted by place; at most 64
    size_t cut_count;
    bool only_distances; ///< nothing else: counts, shared blocks and classes remain 0
} dj_sharing_options;

#ifdef __cplusplus
}
#endif
#endif
