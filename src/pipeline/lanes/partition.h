// SPDX-License-Identifier: MIT
// Numbers the parts of a partitioned lane, by thread, device or file, in the
// order in which they are met.
#ifndef DEJA_PIPELINE_LANES_PARTITION_H
#define DEJA_PIPELINE_LANES_PARTITION_H

#include "base/map.h"
#include <deja/filter.h>

// More are no partition any more: each has an engine of its own.
enum { DJ_PARTITIONS_MOST = 1 << 20 };

typedef struct dj_partitioner {
    enum dj_partition by;
    dj_partition_table table;
    size_t room;
    dj_map rows; // by id: row + 1
    dj_footprint footprint;
    uint32_t current; // of threads and files: the row from here on; UINT32_MAX: none was told
} dj_partitioner;

int dj_partitioner_create(dj_partitioner *partitioner, dj_context *context, enum dj_partition by);
void dj_partitioner_destroy(dj_partitioner *partitioner);

// The row of each access of the batch.
int dj_partitioner_number(dj_partitioner *partitioner, dj_context *context, const dj_batch *batch,
                          uint32_t *rows);

#endif
