// SPDX-License-Identifier: MIT
// What a row of a page says about its accesses: a tally, and what was measured beside it. The structures
// refer to the tally, and are in an arena.
#ifndef DEJA_VIEW_MEASURES_H
#define DEJA_VIEW_MEASURES_H

#include <deja/components.h>
#include <deja/profile.h>
#include <deja/sharing.h>
#include <deja/stall.h>

#include "base/arena.h"

// Of a pair of block sizes.
typedef struct dj_view_doubling {
    uint64_t block, reuses, effective, long_reuses, long_effective;
} dj_view_doubling;

typedef struct dj_view_stride {
    int64_t stride;
    uint64_t count;
} dj_view_stride;

typedef struct dj_view_usage {
    uint64_t steps, grain, fetched, used;
    dj_view_stride strides[DJ_STRIDES];
    uint64_t stride_count;
} dj_view_usage;

typedef struct dj_view_range {
    double low, high;
} dj_view_range;

typedef struct dj_view_sharing {
    dj_sharing_counts counts;
    uint64_t sharers; // how many
    const dj_sharing_misses *caches;
    size_t cache_count;
} dj_view_sharing;

// Stall time in nanoseconds.
typedef struct dj_view_stall {
    uint64_t low, estimate, high;
} dj_view_stall;

typedef struct dj_view_measures {
    dj_view_doubling *spatial;
    size_t spatial_count;
    dj_view_usage *usage;
    dj_view_range *ranges; // of the accesses, then of the misses at each cut
    size_t range_count;
    dj_view_sharing *sharing;
    dj_view_stall *stall;
} dj_view_measures;

// What defines the measures of a profile.
typedef struct dj_view_measured {
    const dj_profile *profile;
    const dj_spatial *spatial; // NULL: none
    dj_ranking_options ranked; // which reuses are long
    dj_stall_model time;       // without costs: there are no estimates
} dj_view_measured;

// `costs` may be NULL.
int dj_view_measured_find(dj_context *context, const dj_profile *profile, const dj_machine_costs *costs,
                          dj_view_measured *out);
// Adds nothing once memory has run out.
dj_view_measures dj_view_measure(const dj_view_measured *measured, const dj_tally *tally, dj_arena *arena);
// Poor spatial reuses of the ranked pair of block sizes: long ones minus twice the effective ones among them.
int64_t dj_view_poor(const dj_view_measured *measured, const dj_tally *tally);
// The estimated stall time of a tally, in the arena; NULL: it is unknown.
dj_view_stall *dj_view_stall_of(const dj_view_measured *measured, const dj_tally *tally, dj_arena *arena);
// Its estimate in nanoseconds; 0: it is unknown.
uint64_t dj_view_stall_estimate(const dj_view_measured *measured, const dj_tally *tally);
dj_view_stall dj_view_stall_get(const dj_seconds *seconds);

// Tables: a tally in place, the measures as fields of a row.
extern const dj_table dj_view_tally_table, dj_view_doubling_table, dj_view_usage_table, dj_view_range_table,
    dj_view_sharing_table, dj_view_stall_table;

#define DJ_VIEW_MEASURES(row_, measures_)                                                                    \
    {DJ_FIELD_ROWS("spatial", row_, measures_.spatial, measures_.spatial_count, dj_view_doubling_table)},    \
        {DJ_FIELD(POINTER, "usage", row_, measures_.usage), .rows = &dj_view_usage_table},                   \
        {DJ_FIELD_ROWS("ranges", row_, measures_.ranges, measures_.range_count, dj_view_range_table)},       \
        {DJ_FIELD(POINTER, "sharing", row_, measures_.sharing), .rows = &dj_view_sharing_table},             \
    {                                                                                                        \
        DJ_FIELD(POINTER, "stall", row_, measures_.stall), .rows = &dj_view_stall_table                      \
    }
#define DJ_VIEW_TALLY(name_, row_, member_)                                                                  \
    {                                                                                                        \
        DJ_FIELD(OBJECT, name_, row_, member_), .rows = &dj_view_tally_table                                 \
    }

#endif
