// SPDX-License-Identifier: MIT
// A group of lanes: the filters that decide which accesses the lanes see, the partition, and the
// selections from the batches in flight.
#ifndef DEJA_PIPELINE_LANES_GROUP_H
#define DEJA_PIPELINE_LANES_GROUP_H

#include "pipeline/lanes/partition.h"
#include <deja/observer.h>
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
    unsigned weight_log2; // of each access; 0: there is no sample
    bool complete;        // every access counts, as itself, and all go to one engine: `order` is not used
    uint8_t *verdict;     // for each access of the batch
    uint32_t *partition;  // likewise; NULL: one stack
    uint64_t *time;       // likewise, as dj_lane_view.time; NULL: not needed
    uint16_t *order;      // positions of those that are present, grouped by partition
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

// A group that is loaded from a file.
typedef struct dj_saved_group {
    char *description;    // which accesses it counts
    unsigned weight_log2; // of a block in its sample
    // With fixed memory: its bytes, the weight at the beginning, which accesses count as long as all blocks
    // are analyzed, and the filter whose rate falls. The group takes its state.
    uint64_t memory;
    unsigned first_log2;
    char *exact_description;
    const dj_filter_ops *thinning;
    void *thinning_state;
} dj_saved_group;

// `saved` makes a group that accepts no batches, with the rate at the beginning; NULL: it is made from the
// filters.
int dj_group_create(dj_context *context, const dj_lane_group *config, dj_saved_group *saved, bool times,
                    dj_group **out);
void dj_group_destroy(dj_group *group); // NULL is allowed

// Which accesses it counts, as text; "": all. With fixed memory, it depends on whether the rate has fallen.
const char *dj_group_description(const dj_group *group);
// The same as if it had.
const char *dj_group_request(const dj_group *group);
// NULL: one stack.
const dj_partition_table *dj_group_partitions(const dj_group *group);
// Whether it has filters or a partition; otherwise nothing is selected.
bool dj_group_is_selective(const dj_group *group);
// log2 of the number of blocks that a block in its sample stands for; 0: it does not sample.
unsigned dj_group_weight_log2(const dj_group *group);
// Fixed memory: the bytes that the process may use, and the rate of the sample may fall; 0: not limited.
uint64_t dj_group_memory(const dj_group *group);
// With fixed memory, between batches: halves the rate. Returns false if it cannot fall further.
bool dj_group_thin(dj_group *group);
// With fixed memory: whether the sample has a block, given its number at the largest block size.
bool dj_group_has(const dj_group *group, uint64_t block, uint32_t device);
// With fixed memory, for a group that was loaded: the rate that it had, and what is saved of it.
void dj_group_set_weight_log2(dj_group *group, unsigned weight_log2);
void dj_group_save(const dj_group *group, unsigned first_log2, dj_packer *to);
// Fills in what dj_group_save wrote.
int dj_saved_group_load(dj_saved_group *saved, dj_context *context, uint64_t largest_block,
                        dj_unpacker *from);
void dj_saved_group_free(dj_saved_group *saved);
// Whether a filter may invalidate.
bool dj_group_invalidates(const dj_group *group);

// Numbers the partitions of the next batch, before it is judged.
int dj_group_meet(dj_group *group, dj_context *context, const dj_batch *batch);
// Judges that batch: verdicts, partitions and their numbers, valid until the next call of this or of
// dj_group_select.
int dj_group_judge(dj_group *group, dj_context *context, const dj_batch *batch, const dj_selection **out);
// Keeps the verdicts and partitions at these positions of the batch judged last, after those kept before. At
// most DJ_BATCH_CAPACITY in total.
int dj_group_keep(dj_group *group, dj_context *context, const uint16_t *at, uint32_t count);
// Selects from the batch judged last, or from a batch of all accesses that were kept. The selection is valid
// until popped.
enum dj_group_from { DJ_GROUP_JUDGED, DJ_GROUP_KEPT };
int dj_group_select(dj_group *group, dj_context *context, enum dj_group_from from, const dj_selection **out);
// Releases the oldest selection.
void dj_group_pop(dj_group *group);
// Releases all selections and what was kept.
void dj_group_abandon(dj_group *group);

// Whether all accesses from *from on are absent, in the batch judged last and in all later ones.
bool dj_group_ended(const dj_group *group, uint32_t *from);

typedef struct dj_group_counts {
    uint64_t counted; // with those that a sample stands for
    uint64_t filled;
} dj_group_counts;
dj_group_counts *dj_group_counted(dj_group *group);

#endif
