// SPDX-License-Identifier: MIT
/// \file
/// Options of the observers that have any.
#ifndef DEJA_OBSERVER_OPTIONS_H
#define DEJA_OBSERVER_OPTIONS_H

#include <deja/profile.h>

/// Observer `strides`.
typedef struct dj_strides_options {
    uint64_t near_blocks; ///< consecutive accesses at most so far apart are near; default 1
} dj_strides_options;

/// Observer `simulate`: caches that hold blocks of the first lane. Without
/// options fully associative LRU caches of 64, 1024 and 16384 blocks.
typedef struct dj_simulate_options {
    enum dj_policy policy;
    uint64_t ways;         ///< of each set; 0, or not below the size: fully associative
    const uint64_t *sizes; ///< in blocks; each gets size / ways sets
    size_t size_count;
    bool hash; ///< sets are chosen by a hash of the key, not by the key modulo the sets
} dj_simulate_options;

#endif
