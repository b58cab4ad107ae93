// SPDX-License-Identifier: MIT
// Numbers the partitions of a lane, by thread, device, file or cache, in the order of their first accesses.
#ifndef DEJA_PIPELINE_LANES_PARTITION_H
#define DEJA_PIPELINE_LANES_PARTITION_H

#include "base/map.h"
#include <deja/pipeline.h>
#include <deja/sharers.h>

// A limit, since each partition has a separate engine.
enum { DJ_PARTITIONS_MOST = 1 << 20 };

typedef struct dj_partitioner {
    enum dj_partition by;
    dj_partition_table table;
    size_t capacity;
    dj_map rows; // by id: row + 1
    dj_footprint footprint;
    uint32_t current; // threads and files: row of the accesses from here on; UINT32_MAX: unknown
    // Caches:
    uint32_t sharers_per_cache;
    uint32_t *row_of; // by sharer: row + 1; 0: unknown
    size_t row_of_capacity;
} dj_partitioner;

int dj_partitioner_create(dj_partitioner *partitioner, dj_context *context, const dj_lane_group *group);
void dj_partitioner_destroy(dj_partitioner *partitioner);

// Writes what has a separate stack in the group, in words as in "each thread"; "": nothing.
void dj_partition_describe(const dj_lane_group *group, char *text, size_t capacity);

// Sets the row of each access of the batch.
int dj_partitioner_number(dj_partitioner *partitioner, dj_context *context, const dj_batch *batch,
                          uint32_t *rows);

#endif
