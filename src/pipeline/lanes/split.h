// SPDX-License-Identifier: MIT
// Splits accesses at block boundaries, so that every piece lies in one block.
#ifndef DEJA_PIPELINE_LANES_SPLIT_H
#define DEJA_PIPELINE_LANES_SPLIT_H

#include <deja/batch.h>

// Maximum number of blocks that one request may touch; more means that the trace is broken.
#define DJ_SPLIT_MOST ((uint64_t)1 << 32)

typedef struct dj_splitter {
    uint64_t block; // 0: never split
    dj_batch *batch;
    uint32_t index; // next access of batch
    uint32_t event; // next event of batch
    uint64_t at;    // rest of that access, if its first pieces have been returned already
    uint64_t rest;
} dj_splitter;

// Takes ownership of one reference to `batch`. The previous batch must be used up.
void dj_splitter_feed(dj_splitter *splitter, dj_batch *batch);

// Returns the next batch of pieces, with a reference for the caller; NULL when the batch is used up.
int dj_splitter_next(dj_splitter *splitter, dj_context *context, dj_pool *pool, dj_batch **out);

// Releases the batch, after an error.
void dj_splitter_reset(dj_splitter *splitter);

#endif
