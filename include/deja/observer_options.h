// SPDX-License-Identifier: MIT
/// \file
/// Options of the observers that have any.
#ifndef DEJA_OBSERVER_OPTIONS_H
#define DEJA_OBSERVER_OPTIONS_H

#include <deja/place.h>
#include <deja/profile.h>
#include <deja/tlb.h>

/// Observer `strides`.
typedef struct dj_strides_options {
    uint64_t near_blocks; ///< consecutive accesses at most this many blocks apart are near; default 1
} dj_strides_options;

/// Observer `simulate`: caches of blocks of the first lane. Without options: fully associative LRU
/// caches of 64, 1024 and 16384 blocks.
typedef struct dj_simulate_options {
    enum dj_policy policy;
    uint64_t ways;         ///< per set; 0, or at least the size: fully associative
    const uint64_t *sizes; ///< in blocks; each gets size / ways sets
    size_t size_count;
    bool hash; ///< a hash of the key selects the set, not the key modulo the number of sets
} dj_simulate_options;

/// A level of simulated caches.
typedef struct dj_hierarchy_level {
    const char *name;
    uint64_t size_blocks; ///< sets × ways
    uint64_t ways;        ///< size_blocks: fully associative
} dj_hierarchy_level;

/// Observer `hierarchy`: caches of blocks of the first lane, one behind the other (hierarchy.h). Observer
/// `hierarchy-places` moves what it counts by place to the tallies of observer `places`.
typedef struct dj_hierarchy_options {
    const dj_hierarchy_level *levels; ///< the first level first
    size_t level_count;               ///< 1 to DJ_LEVELS_MOST
    bool by_place;                    ///< needs column place
} dj_hierarchy_options;

/// Observer `tlb`: each has the page size of a lane; `misses` is ignored.
typedef struct dj_tlb_options {
    const dj_tlb_level *levels;
    size_t count; ///< at most DJ_TLB_LEVELS_MOST
    bool assumed; ///< the sizes are typical ones
} dj_tlb_options;

/// Identifies the numbers in a table of places by hashes that are the same in every process.
enum dj_place_part { DJ_PLACE_SITE, DJ_PLACE_CCT_NODE, DJ_PLACE_OBJECT, DJ_PLACE_THREAD, DJ_PLACE_PARTS };
typedef struct dj_place_identity_list {
    uint64_t *list; ///< owned
    size_t count;
} dj_place_identity_list;
typedef struct dj_place_identities {
    dj_place_identity_list part[DJ_PLACE_PARTS];
} dj_place_identities;
DJ_API void dj_place_identities_free(dj_place_identities *identities);

/// Observer `places`: the distances of each place, and long reuses by pairs of
/// places. Needs column place and the tag DJ_TAG_PLACE. Observer `elements` has the same options, and needs
/// columns place and offset.
typedef struct dj_places_options {
    const dj_place_table *places; ///< the table that column place refers to
    const uint64_t *cuts;         ///< cache sizes in blocks of the first lane, increasing
    size_t cut_count;
    uint64_t pair_from; ///< pairs are recorded for distances from here on; 0: from the first cut on
    /// Called when the state is saved in a summary; NULL: it cannot be saved.
    int (*identify)(void *user, dj_context *context, dj_place_identities *out);
    void *user;
} dj_places_options;

/// Observer `spatial`: maps of the reuse distances from each lane to the next. Observer
/// `spatial-places`: the same by place, in the tallies of observer `places`, which must precede it.
/// Each block size must be twice the previous one.
typedef struct dj_spatial_options {
    const dj_spatial_cache_size *caches; ///< increasing
    size_t cache_count;
} dj_spatial_options;

/// Observer `usage`: strides of each place, and how much of the blocks that it brings into a cache is
/// used. Must follow `places` and `spatial`.
typedef struct dj_usage_options {
    uint64_t block;       ///< block size of one of the lanes
    uint64_t cache_bytes; ///< a block is evicted when its distance reaches cache_bytes / block
} dj_usage_options;

#endif
