// SPDX-License-Identifier: MIT
// A group of lanes: the filters that decide which accesses the lanes see, the partition, and the
// selections from the batches in flight.
#ifndef DEJA_PIPELINE_LANES_GROUP_H
#define DEJA_PIPELINE_LANES_GROUP_H

#include "pipeline/lanes/partition.h"
#include <deja/pipeline.h>

// Selected accesses that go to the same engine.
typedef struct dj_share {
    uint32_t partition;  // row of the table; 0 if not partitioned
    uint32_t begin, end; // in `order`
} dj_share;

// What the lanes of a group see of a batch.
typedef struct dj_selection {
    struct dj_selection *next;
    uint32_t count; // accesses of the batch
    uint32_t counted, filled, invalidated, unsampled;
    bool complete;       // every access counts and all go to one engine: `order` is not used
    uint8_t *verdict;    // for each access of the batch
    uint32_t *partition; // likewise; NULL: one stack
    uint64_t *time;      // likewise, as dj_lane_view.time; NULL: not needed
    uint16_t *order;     // positions of those that are present, grouped by partition
    dj_share *shares;
    uint32_t share_count;
    size_t share_capacity;
} dj_selection;

// Number of accesses that update a stack.
static inline uint32_t dj_selection_present(const dj_selection *s)
{
    return s->counted + s->filled;
}

typedef struct dj_group dj_group;

// `description` is that of a group loaded from a file, which accepts no batches; NULL: created from the
// filters.
int dj_group_create(dj_context *context, const dj_lane_group *config, const char *description, bool times,
                    dj_group **out);
void dj_group_destroy(dj_group *group); // NULL is allowed

// Which accesses it counts, as text; "": all.
const char *dj_group_description(const dj_group *group);
// NULL: one stack.
const dj_partition_table *dj_group_partitions(const dj_group *group);
// Whether it has filters or a partition; otherwise nothing is selected.
bool dj_group_is_selective(const dj_group *group);
// log2 of the number of blocks that a block in its sample stands for; 0: it does not sample.
unsigned dj_group_weight_log2(const dj_group *group);
// Whether a filter may invalidate.
bool dj_group_invalidates(const dj_group *group);

// Selects from the next batch. The selection is valid until popped.
int dj_group_select(dj_group *group, dj_context *context, const dj_batch *batch, const dj_selection **out);
// Releases the oldest selection.
void dj_group_pop(dj_group *group);
void dj_group_abandon(dj_group *group);

// Whether all accesses from *from on are absent, in the batch selected last and in all later ones.
bool dj_group_ended(const dj_group *group, uint32_t *from);

typedef struct dj_group_counts {
    uint64_t counted; // with those that a sample stands for
    uint64_t filled;
} dj_group_counts;
dj_group_counts *dj_group_counted(dj_group *group);

#endif
