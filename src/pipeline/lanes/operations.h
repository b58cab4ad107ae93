// SPDX-License-Identifier: MIT
// Operations on keys that are not accesses (enum dj_op), and their insertion between the accesses that the
// engines of a lane get from a batch.
#ifndef DEJA_PIPELINE_LANES_OPERATIONS_H
#define DEJA_PIPELINE_LANES_OPERATIONS_H

#include "pipeline/lanes/fold.h"

typedef struct dj_operation {
    uint64_t key;
    uint32_t partition;
    uint16_t position; // follows the access at this position of the batch
    uint8_t op;        // enum dj_op
} dj_operation;

// The operations of a batch, in its order. Zero-initialized.
typedef struct dj_operations {
    dj_operation *list;
    size_t count, capacity;
    uint32_t *sorted, *end; // indices, grouped by share; where each group ends
    size_t sorted_capacity, end_capacity;
    dj_share *shares; // those of the batch, and empty ones for partitions that only have operations
    size_t share_capacity;
    uint32_t *share_of; // by partition: number of its share + 1; zeros between calls
    size_t share_of_capacity;
    // Elements for the engines: accesses and operations. `from` is the index of a gathered access, or of
    // an operation, marked.
    uint32_t *from;
    size_t element_count;
    char *columns;
    size_t bytes;
    dj_work work; // in `columns`
} dj_operations;

void dj_operations_free(dj_operations *operations);

int dj_operations_add(dj_operations *operations, dj_context *context, const dj_operation *operation);

// Adds shares to the subset, so that there is one for the partition of each operation. They are valid
// until the next call.
int dj_operations_share(dj_operations *operations, dj_context *context, dj_subset *subset);

// Replaces the gathered columns in `work`, one element per access of the subset, by columns that include
// the operations, in the order of the batch, with space for the answers. There are no weights. Sets end[k]
// to the end of the elements of share k.
int dj_operations_insert(dj_operations *operations, dj_context *context, const dj_subset *subset,
                         dj_work *work, uint32_t *end);

// Whether the share has any operation.
static inline bool dj_operations_any(const dj_operations *operations, uint32_t share)
{
    return operations->end[share] > (share ? operations->end[share - 1] : 0);
}

// Copies the answers for accesses to the columns of `to`, one element per access of the subset.
void dj_operations_extract(const dj_operations *operations, const dj_work *to);

#endif
