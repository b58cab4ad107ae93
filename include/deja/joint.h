// SPDX-License-Identifier: MIT
/// \file
/// What a prediction of shared caches needs to know about each sharer: time distances together with reuse
/// distances, how much data windows of the trace touch, and a sample of the data.
#ifndef DEJA_JOINT_H
#define DEJA_JOINT_H

#include <deja/profile.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
    DJ_JOINT_TIME_BITS = 5,     ///< time distances of cells: exact below 64, then 32 bins per doubling
    DJ_JOINT_DISTANCE_BITS = 9, ///< reuse distances of cells: exact below 1024, then 512 bins per doubling
    DJ_JOINT_SAMPLE = 1024,     ///< keys in a sample
    DJ_JOINT_PHASES = 32,       ///< phases, at most
    DJ_JOINT_KINDS = 8,         ///< kinds of phases, at most
};

/// Reuses with similar time distances and similar reuse distances, in phases of one kind.
typedef struct dj_joint_cell {
    uint64_t kind;
    uint64_t time;     ///< lowest time distance of its bin, in accesses of the sharer; 1 in `a a`
    uint64_t distance; ///< lowest reuse distance of its bin
    uint64_t count;
} dj_joint_cell;

/// Distinct data in the windows of `length` accesses that start at multiples of `length`.
typedef struct dj_joint_window {
    uint64_t kind;   ///< of the phases that contain them
    uint64_t length; ///< a power of two
    uint64_t windows;
    double mean, variance;
} dj_joint_window;

/// A part of a trace.
typedef struct dj_joint_phase {
    uint64_t kind;
    uint64_t cold; ///< first accesses in it
} dj_joint_phase;

/// Windows of `length` accesses of a sharer in which the others make similar numbers of accesses.
typedef struct dj_joint_turn {
    uint64_t length;  ///< a power of two
    uint64_t windows; ///< that start at multiples of it
    uint64_t others;  ///< accesses of the others in all these windows
} dj_joint_turn;

/// A thread, program, device or file in its own LRU stack.
typedef struct dj_joint_sharer {
    uint64_t id;
    char *name;         ///< "" if it has none
    uint64_t accesses;  ///< including those of a warm-up
    uint64_t distinct;  ///< blocks
    dj_histogram *time; ///< time distances
    /// First accesses of all blocks, and last ones counted from the end; both from 1. Exact in traces of up
    /// to 2^14 accesses; otherwise times within a 2^13th of the trace are replaced by their mean.
    dj_histogram *first, *last;
    /// A trace is divided into phases of `phase_length` accesses, a power of two; the last may be shorter.
    /// Phases with similar reuses are of one kind. Kinds are numbered in the order of their appearance.
    uint64_t phase_length;
    dj_joint_phase *phases;
    size_t phase_count;   ///< 0 without accesses
    dj_joint_cell *cells; ///< by kind, time and distance; without the reuses of a warm-up
    size_t cell_count;
    dj_joint_window *windows; ///< in the complete trace, by length, from 2 on; their kind is 0
    size_t window_count;
    dj_joint_window
        *kind_windows; ///< within phases of each kind, by kind and length; none if there is one kind
    size_t kind_window_count;
    dj_joint_turn *turns; ///< by length, then by the others' accesses; none if there are no others
    size_t turn_count;
    uint64_t *sample; ///< the lowest hashes of the blocks, increasing; all if there are few
    size_t sample_count;
    uint64_t *sample_first; ///< when each of them was accessed first, counted from 1
    size_t sample_first_count;
} dj_joint_sharer;

/// Section `joint` of a lane, filled by observer `joint`.
typedef struct dj_joint {
    dj_joint_sharer *rows; ///< one, or one for each partition
    size_t count;
} dj_joint;

/// NULL unless requested.
DJ_API const dj_joint *dj_lane_joint(const dj_lane_profile *lane);

/// Observer `joint`. Without options it sees all lanes.
typedef struct dj_joint_options {
    uint64_t lanes; ///< bit i: lane i; 0: all
} dj_joint_options;

#ifdef __cplusplus
}
#endif
#endif
