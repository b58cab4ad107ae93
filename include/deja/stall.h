// SPDX-License-Identifier: MIT
/// \file
/// Estimated time: from the misses of a profile and the costs of a machine to the seconds that the
/// processor waits for memory. Pure functions. Low: misses overlap as far as the machine can, and patterns
/// are prefetched. High: they overlap little. docs/time.md describes the model and its error.
#ifndef DEJA_STALL_H
#define DEJA_STALL_H

#include <deja/attribution.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { DJ_COST_POINTS_MOST = 32, DJ_COST_NAME = 128 };

/// What an access to a block of 64 bytes costs, in nanoseconds, if so many bytes were accessed since the
/// previous access to it. So the costs contain the effect of all caches, of the TLB, and of other programs.
typedef struct dj_cost_point {
    uint64_t bytes;
    double latency_ns; ///< of a load that the one before leads to
    double random_ns;  ///< of independent reads in random order, per block
    double update_ns;  ///< likewise, of reads followed by writes
    double read_ns;    ///< of a sequence that is read, per block
    double write_ns;   ///< of a sequence that is read and written, per block
} dj_cost_point;

/// The costs of a machine. Between the points they are interpolated; first accesses cost as much as at the
/// last point.
typedef struct dj_machine_costs {
    char processor[DJ_COST_NAME];
    bool measured;                             ///< on this machine; otherwise typical values are assumed
    dj_cost_point points[DJ_COST_POINTS_MOST]; ///< by bytes; the first fits into the first-level cache
    size_t point_count;                        ///< at least 2
    double access_ns;                          ///< of an access that hits, in a simple loop
} dj_machine_costs;

/// Typical values of current processors with caches of these sizes (increasing; 0: of typical sizes).
DJ_API void dj_costs_assume(const uint64_t *cache_bytes, size_t count, dj_machine_costs *out);

/// What estimates are made from.
typedef struct dj_stall_model {
    const dj_machine_costs *costs;
    const dj_hierarchy *caches; ///< whose conflict misses count, too; NULL: they are unknown
} dj_stall_model;

/// Seconds.
typedef struct dj_seconds {
    double low, estimate, high;
} dj_seconds;

/// The time that the processor waits for the misses of a tally, beyond the time of hits. It is additive:
/// the times of the rows of a breakdown add up to the whole. 0 unless misses were classed.
DJ_API dj_seconds dj_tally_stall(const dj_tally *tally, const dj_stall_model *model);
/// The parts of stall time: the classes of misses, and conflicts.
enum { DJ_STALL_CONFLICTS = DJ_MISS_CLASSES, DJ_STALL_PARTS };
DJ_API void dj_tally_stall_parts(const dj_tally *tally, const dj_stall_model *model,
                                 dj_seconds out[DJ_STALL_PARTS]);
/// "streaming", "strided", "strided across pages", "irregular", "dependent", "conflict".
DJ_API const char *dj_stall_part_name(size_t part);

/// Whether the profile knows the classes of its misses. Not if it was joined from parts, is an estimate from
/// a sample, or has blocks of other sizes.
DJ_API bool dj_attribution_has_classes(const dj_attribution *attribution);

/// The time of a whole attribution.
typedef struct dj_time {
    dj_seconds stall;
    dj_seconds parts[DJ_STALL_PARTS]; ///< of `stall`
    dj_seconds all;                   ///< with the accesses themselves, on one processor
} dj_time;
DJ_API dj_time dj_attribution_time(const dj_attribution *attribution, const dj_stall_model *model);

#ifdef __cplusplus
}
#endif
#endif
