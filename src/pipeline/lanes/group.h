// SPDX-License-Identifier: MIT
// A group of lanes: the filters that say which accesses they take, the
// partition, and what was selected of the batches that are under way.
#ifndef DEJA_PIPELINE_LANES_GROUP_H
#define DEJA_PIPELINE_LANES_GROUP_H

#include "pipeline/lanes/partition.h"
#include <deja/pipeline.h>

// Some of the selected accesses that go to one engine.
typedef struct dj_share {
    uint32_t partition;  // row of the table; 0 without
    uint32_t begin, end; // in `order`
} dj_share;

// What the lanes of a group take of a batch.
typedef struct dj_selection {
    struct dj_selection *next;
    uint32_t count; // of the batch
    uint32_t counted, filled;
    bool whole;          // every access counts, and all go to one engine: there is no `order`
    uint8_t *verdict;    // of each access of the batch
    uint32_t *partition; // likewise; NULL: there is one stack
    uint64_t *time;      // likewise, as dj_lane_view.time; NULL: not wanted
    uint16_t *order;     // those that are not absent, by partition
    dj_share *shares;
    uint32_t share_count;
    size_t share_room;
} dj_selection;

static inline uint32_t dj_selection_present(const dj_selection *s)
{
    return s->counted + s->filled;
}

typedef struct dj_group dj_group;

// `words` are those of a group that was kept in a file and takes no more batches; NULL: of the filters.
int dj_group_create(dj_context *context, const dj_lane_group *config, const char *words, bool times,
                    dj_group **out);
void dj_group_destroy(dj_group *group); // NULL is fine

// Which accesses it counts, in words; "": all.
const char *dj_group_words(const dj_group *group);
// NULL: there is one stack.
const dj_partition_table *dj_group_partitions(const dj_group *group);
// Whether it leaves out or partitions anything; where not, nothing is selected.
bool dj_group_is_selective(const dj_group *group);

// Selects from the next batch. The selection lives until it is popped.
int dj_group_select(dj_group *group, dj_context *context, const dj_batch *batch, const dj_selection **out);
// Lets go of the oldest selection.
void dj_group_pop(dj_group *group);
void dj_group_abandon(dj_group *group);

// Whether all accesses from *from of the batch selected last on are absent, and those of all later ones.
bool dj_group_ended(const dj_group *group, uint32_t *from);

// So far.
typedef struct dj_group_counts {
    uint64_t counted, filled;
} dj_group_counts;
dj_group_counts *dj_group_counted(dj_group *group);

#endif
