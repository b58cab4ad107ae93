// SPDX-License-Identifier: MIT
// State shared by the files of a group.
#ifndef DEJA_PIPELINE_LANES_GROUP_STATE_H
#define DEJA_PIPELINE_LANES_GROUP_STATE_H

#include "pipeline/lanes/group.h"

typedef struct filter {
    const dj_filter_ops *ops;
    void *state;
} filter;

// A partition: how many accesses it has had, how many the batch has, and where those go in `order`.
typedef struct partition_state {
    uint64_t seen;
    uint32_t here, at;
} partition_state;

struct dj_group {
    filter *filters;
    size_t filter_count;
    char *description;
    bool selective, times, partitioned;
    bool fills, invalidates; // whether any filter may
    unsigned weight_log2;    // of a sampled block
    const filter *thinning;  // with fixed memory: the filter whose rate falls; NULL: none
    uint64_t memory;         // the bytes that limit it
    char *exact_description; // without that filter
    dj_partitioner partitioner;
    partition_state *partitions; // at least one
    size_t partition_capacity;
    dj_selection *judged, *kept;            // of the batch judged last; of what was kept from several
    dj_selection *oldest, *newest, *unused; // in flight; to be reused
    dj_group_counts counts;
};

#endif
