// SPDX-License-Identifier: MIT
/// \file
/// Spatial locality: how each reuse distance changes when the block size doubles, from b to 2b (Gu,
/// Christopher, Bai, Zhang and Ding, "A component model of spatial locality", ISMM 2009). The counts here
/// are part of a profile; scores are functions of them.
#ifndef DEJA_SPATIAL_H
#define DEJA_SPATIAL_H

#include <deja/error.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Bins are those of dj_log2_bin: 0, 1, 2–3, 4–7, …
enum { DJ_SPATIAL_BINS = 65 };
/// An access has effective spatial reuse if its bin at 2b is at least this far below its bin at b.
enum { DJ_SPATIAL_STEP = 3 };

/// The share of accesses with effective spatial reuse, relative to the 1/2 of a contiguous traversal.
/// Single lines of a program can exceed 1.
static inline double dj_spatial_score(uint64_t reuses, uint64_t effective)
{
    return reuses ? 2.0 * (double)effective / (double)reuses : 0.0;
}

/// Reuses at b, and the effective ones among them.
typedef struct dj_spatial_count {
    uint64_t reuses, effective;
} dj_spatial_count;

/// Blocks that fit into a cache, at least 1.
static inline uint64_t dj_spatial_cache_blocks(uint64_t cache_bytes, uint64_t block_bytes)
{
    return cache_bytes < block_bytes ? 1 : cache_bytes / block_bytes;
}

/// Counts for cache k, of C_k bytes; distances are compared with dj_spatial_cache_blocks of b at b and of
/// 2b at 2b.
typedef struct dj_spatial_cache {
    dj_spatial_count own; ///< distances at b from C_k up to, not including, C_{k+1} (the last: no end);
                          ///< effective: below C_k at 2b
    dj_spatial_count
        all; ///< like `own`, with all distances from C_k on: misses at b, and those that hit at 2b
} dj_spatial_cache;

/// One doubling, for the accesses of a tally.
typedef struct dj_spatial_counts {
    uint32_t bin_first, bin_count; ///< bins[0] is bin number bin_first
    dj_spatial_count *bins;        ///< by the bin of the distance at b; owned
    dj_spatial_cache *caches;      ///< one for each cache of the profile; owned
    size_t cache_count;            ///< of a tally or a profile
} dj_spatial_counts;

enum { DJ_STRIDES = 4 };

/// How the accesses of a tally use the blocks that they fetch into a cache.
typedef struct dj_usage {
    uint64_t steps; ///< accesses that follow another of the same place
    /// Distances of the steps, in address units, most frequent first. The counts are lower bounds.
    int64_t stride[DJ_STRIDES];
    uint64_t stride_count[DJ_STRIDES]; ///< 0: no more strides
    uint64_t grain;                    ///< greatest common divisor of all steps; 0: all are 0
    uint64_t step_sum;                 ///< sum of the magnitudes of all steps, modulo 2^64
    uint64_t fetched; ///< blocks that these accesses fetched into the cache, including cold misses
    uint64_t used;    ///< address units of them that any access used before eviction
} dj_usage;

/// Estimates from bursts: how many accesses of a tally a group of bursts knows something about, and what.
typedef struct dj_spatial_tally_part {
    uint32_t key; ///< dj_spatial_part_key
    uint32_t count;
} dj_spatial_tally_part;

typedef struct dj_spatial_parts {
    dj_spatial_tally_part *list; ///< by increasing key; owned
    size_t count;
} dj_spatial_parts;

/// The spatial locality of a tally.
typedef struct dj_spatial_tally {
    size_t pair_count, cache_count; ///< as in the profile
    dj_spatial_counts *pairs;       ///< owned
    dj_usage usage;
    dj_spatial_parts *parts; ///< of an estimate; owned, NULL: none
} dj_spatial_tally;

/// Estimates from bursts: reuses of a range of distances, and accesses whose distance at b is unknown, so
/// that they may belong to the range or not.
typedef struct dj_spatial_bounds {
    uint64_t reuses, effective; ///< known
    uint64_t if_effective;      ///< effective if they belong to it
    uint64_t if_not;            ///< not effective if they belong to it
    uint64_t either;
} dj_spatial_bounds;

/// What is known of an access in a burst. An unknown distance is at least the number of blocks that the burst
/// had accessed before.
enum dj_spatial_seen {
    DJ_SPATIAL_SEEN_POOR,      ///< both distances are known, and the reuse is not effective
    DJ_SPATIAL_SEEN_EFFECTIVE, ///< both are known, and it is
    DJ_SPATIAL_SEEN_DOUBLE,    ///< only the distance at 2b
    DJ_SPATIAL_SEEN_NEITHER,
};

/// Accesses of a group of bursts. Group 0 is the first burst, which stands for itself.
typedef struct dj_spatial_part {
    uint32_t group;
    uint32_t seen;  ///< enum dj_spatial_seen
    uint32_t here;  ///< bin at b, or the lowest possible one
    uint32_t there; ///< DJ_SPATIAL_SEEN_DOUBLE: bin at 2b; otherwise 0
    uint64_t count;
} dj_spatial_part;

/// The same for the distances of a cache.
typedef struct dj_spatial_part_cache {
    uint32_t group, cache;
    dj_spatial_bounds own, all; ///< as in dj_spatial_cache
} dj_spatial_part_cache;

/// What the key of a part of a tally consists of. Only what a range needs is kept, so that there are few.
typedef struct dj_spatial_part_key {
    unsigned pair;
    /// Distances are bins, or the number of caches whose size they are not below.
    bool by_cache;
    unsigned here;  ///< of a known distance at b; otherwise 0, or the bin DJ_SPATIAL_STEP if it is effective
    unsigned there; ///< at 2b: by cache, or if only this one is known
    enum dj_spatial_seen seen;
    unsigned group; ///< as in dj_spatial_part
} dj_spatial_part_key;

/// One doubling, for the entire trace. Every access is in exactly one row of `map` or in `cold`.
typedef struct dj_spatial_pair {
    uint64_t block_bytes;                           ///< b, in address units
    uint64_t map[DJ_SPATIAL_BINS][DJ_SPATIAL_BINS]; ///< [bin at b][bin at 2b]
    uint64_t cold[DJ_SPATIAL_BINS];                 ///< cold at b, by the bin at 2b
    uint64_t cold_both;                             ///< cold at b and at 2b
    uint64_t
        intercepted[DJ_SPATIAL_BINS]; ///< of each row: the other half of the 2b block was used in between
    uint64_t distance_sum[DJ_SPATIAL_BINS]; ///< of each row: sum of the distances at b
    dj_spatial_cache *caches;               ///< one for each cache; owned
    uint64_t *cache_sum;                    ///< sum of the distances at b counted in `own`; owned
    size_t cache_count;                     ///< as in the profile
    dj_spatial_part *parts;                 ///< of an estimate, by group; owned
    size_t part_count;
    dj_spatial_part_cache *part_caches; ///< likewise
    size_t part_cache_count;
} dj_spatial_pair;

typedef struct dj_spatial_cache_size {
    char *name; ///< "L1", or its size as given
    uint64_t bytes;
} dj_spatial_cache_size;

typedef struct dj_spatial {
    dj_spatial_pair *pairs; ///< by block size
    size_t pair_count;
    dj_spatial_cache_size *caches; ///< increasing; none if blocks have no size in bytes
    size_t cache_count;
    uint64_t usage_block; ///< block size for which usage is counted; 0: it is not counted
    uint64_t usage_cache; ///< bytes of the cache
    /// Of an estimate from bursts: the accesses of each group of bursts that its error is based on, of which
    /// group 0 is the first burst. None: exact.
    uint64_t *group_accesses;
    size_t group_count;
    double group_weight; ///< accesses of the trace that each of these stands for, except those of group 0
    bool by_place;       ///< tallies have parts, too
} dj_spatial;

DJ_API int dj_spatial_create(dj_context *context, size_t pair_count, size_t cache_count, dj_spatial **out);
DJ_API void dj_spatial_destroy(dj_spatial *spatial); ///< NULL is allowed
/// DJ_ERR_INPUT unless block sizes double, caches increase, and counts add up: no distance grows with the
/// block size, and the columns of each pair are the rows of the next.
DJ_API int dj_spatial_check(dj_context *context, const dj_spatial *spatial);

/// All pairs and caches, empty.
DJ_API int dj_spatial_tally_create(dj_context *context, size_t pair_count, size_t cache_count,
                                   dj_spatial_tally **out);
DJ_API void dj_spatial_tally_destroy(dj_spatial_tally *tally); ///< NULL is allowed
/// Adds `other`, of the same profile.
DJ_API int dj_spatial_tally_add(dj_spatial_tally *tally, dj_context *context, const dj_spatial_tally *other);
/// Extends the counts to the bins `first` to `end` − 1; existing counts are kept.
DJ_API int dj_spatial_counts_widen(dj_spatial_counts *counts, dj_context *context, uint32_t first,
                                   uint32_t end);
DJ_API int dj_spatial_counts_add(dj_spatial_counts *to, dj_context *context, const dj_spatial_counts *other,
                                 size_t cache_count);
DJ_API uint32_t dj_spatial_pack_key(const dj_spatial_part_key *key);
DJ_API dj_spatial_part_key dj_spatial_unpack_key(uint32_t key);
/// Adds the parts of others, or, with `from` NULL, none. *to may be NULL: none yet.
DJ_API int dj_spatial_parts_add(dj_spatial_parts **to, dj_context *context, const dj_spatial_parts *from);
DJ_API void dj_spatial_parts_destroy(dj_spatial_parts *parts); ///< NULL is allowed
DJ_API void dj_usage_add(dj_usage *usage, const dj_usage *other);
/// Counts a stride; may discard counts of other strides to make space.
DJ_API void dj_usage_add_stride(dj_usage *usage, int64_t stride, uint64_t count);

/// Row `bin` of a pair: its reuses, and how many are effective by the bins alone.
DJ_API dj_spatial_count dj_spatial_row(const dj_spatial_pair *pair, unsigned bin);
/// The reuses of a tally in bins from `bin` on.
DJ_API dj_spatial_count dj_spatial_counts_from(const dj_spatial_counts *counts, unsigned bin);
/// The sum of all rows; its score is that of the pair.
DJ_API dj_spatial_count dj_spatial_whole(const dj_spatial_pair *pair);
/// Formula 2 over all pairs, each weighted by 1 / b. 0 if there are no reuses.
DJ_API double dj_spatial_all_blocks(const dj_spatial *spatial);

/// Where the exact value probably is, if it is estimated.
typedef struct dj_spatial_range {
    double low, high;
} dj_spatial_range;

static inline bool dj_spatial_is_estimate(const dj_spatial *spatial)
{
    return spatial->group_count > 0;
}
/// Of the score of the reuses of a pair in bins `from` to `end` − 1.
DJ_API dj_spatial_range dj_spatial_score_range(const dj_spatial *spatial, size_t pair, unsigned from,
                                               unsigned end);
/// Of their share of all reuses at b.
DJ_API dj_spatial_range dj_spatial_share_range(const dj_spatial *spatial, size_t pair, unsigned from,
                                               unsigned end);
/// The same for the reuses that miss in a cache; `own`: but would hit in the next larger one.
DJ_API dj_spatial_range dj_spatial_cache_score_range(const dj_spatial *spatial, size_t pair, size_t cache,
                                                     bool own);
DJ_API dj_spatial_range dj_spatial_cache_share_range(const dj_spatial *spatial, size_t pair, size_t cache,
                                                     bool own);
/// Of the reuses of a tally.
typedef struct dj_spatial_tally_range {
    dj_spatial_range reuses;
    dj_spatial_range poor; ///< reuses − 2 · effective
    dj_spatial_range score;
} dj_spatial_tally_range;

/// Of dj_spatial_all_blocks.
DJ_API dj_spatial_range dj_spatial_all_blocks_range(const dj_spatial *spatial);

#ifdef __cplusplus
}
#endif
#endif
