// SPDX-License-Identifier: MIT
/// \file
/// Caches as they are: sets of a few ways, one level behind the other, simulated while the distances are
/// measured. Reuse distances describe fully associative caches, and each as if all accesses reached it.
///
/// - A level has LRU sets. A block's set is its number modulo the number of sets.
/// - The first level sees all accesses, each further one what the level before it sends: the blocks that it
///   fetches, and the modified blocks that it evicts (write-back).
/// - Writes allocate. A miss fetches the block first; then the evicted block, if modified, goes to the next
///   level, which stores it whole, and fetches nothing if it does not have it. No level includes another.
/// - Only fetches can miss. Blocks that are still modified at the end are not written back.
///
/// There is no prefetching, no coherence, no translation of addresses and no other program.
#ifndef DEJA_HIERARCHY_H
#define DEJA_HIERARCHY_H

#include <deja/section.h>

#ifdef __cplusplus
extern "C" {
#endif

struct dj_attribution;

enum { DJ_LEVELS_MOST = 16 };

/// What happened at one level, in all or at a place. Those misses that are neither cold nor conflicts are for
/// capacity: dj_level_capacity. Each miss fetches a block from the next level, or from memory.
typedef struct dj_level_counts {
    uint64_t misses;   ///< of accesses, at the first level; further on, of the fetches of the level before
    uint64_t cold;     ///< misses of first accesses to a block
    uint64_t conflict; ///< other misses that hit in a fully associative LRU cache of this size that sees the
                       ///< same fetches and write-backs
    uint64_t
        writebacks; ///< modified blocks that the level evicted; of the place that wrote to the block last
} dj_level_counts;

/// The counts of a place for each level of section `hierarchy`, which are the cuts of the attribution.
typedef struct dj_level_tally {
    dj_level_counts *levels; ///< owned
    size_t level_count;
} dj_level_tally;

/// A level of the hierarchy.
typedef struct dj_level {
    char *name;           ///< "L1"
    uint64_t size_blocks; ///< sets × ways
    uint64_t ways;        ///< of each set; size_blocks: fully associative
    dj_level_counts counts;
    uint64_t capacity; ///< misses of these: dj_level_capacity
} dj_level;

/// Section `hierarchy` of a profile. Blocks are those of the first lane. Nothing is written back if the trace
/// does not distinguish reads and writes (dj_profile.reads and writes are 0).
typedef struct dj_hierarchy {
    dj_level *levels; ///< from the first on
    size_t level_count;
    dj_level_tally **places; ///< only until they are moved to the attribution (dj_tally.levels)
    size_t place_count;
} dj_hierarchy;

DJ_API dj_hierarchy *dj_profile_hierarchy(const struct dj_profile *profile); ///< NULL: not simulated

/// Whether the levels are the cuts of the attribution, if it has any.
DJ_API bool dj_hierarchy_fits(const dj_hierarchy *hierarchy, const struct dj_attribution *attribution);

DJ_API uint64_t dj_level_capacity(const dj_level_counts *counts);
DJ_API void dj_level_counts_add(dj_level_counts *counts, const dj_level_counts *other);
DJ_API int dj_level_tally_create(dj_context *context, size_t level_count, dj_level_tally **out);
DJ_API void dj_level_tally_destroy(dj_level_tally *tally); ///< NULL is allowed

#ifdef __cplusplus
}
#endif
#endif
