// SPDX-License-Identifier: MIT
/// \file
/// Results for each thread, device or file of a partitioned lane. Each has a separate LRU stack.
#ifndef DEJA_PARTITIONS_H
#define DEJA_PARTITIONS_H

#include <deja/profile.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct dj_partition_profile {
    uint64_t id; ///< of the thread, device or file
    char *name;  ///< "" if it has none
    /// Accesses, distinct blocks, cold misses and reuse distances, in a form that models accept. Only the
    /// block size of `id` is set.
    dj_lane_profile lane;
} dj_partition_profile;

typedef struct dj_partitions {
    size_t count;
    dj_partition_profile *rows; ///< in the order of their first accesses
} dj_partitions;

/// Creates `count` rows with empty histograms.
DJ_API int dj_partitions_create(dj_context *context, size_t count, dj_partitions **out);
DJ_API void dj_partitions_destroy(dj_partitions *partitions); ///< NULL is allowed
/// Removes rows without accesses.
DJ_API void dj_partitions_drop_empty(dj_partitions *partitions);

/// NULL unless the lane is partitioned.
DJ_API dj_partitions *dj_lane_partitions(const dj_lane_profile *lane);

#ifdef __cplusplus
}
#endif
#endif
