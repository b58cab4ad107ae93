// SPDX-License-Identifier: MIT
// Cuts accesses at block borders, so that every piece lies in one block.
#ifndef DEJA_PIPELINE_LANES_SPLIT_H
#define DEJA_PIPELINE_LANES_SPLIT_H

#include <deja/batch.h>

// Most blocks that one request may touch; more is taken for a broken trace.
#define DJ_SPLIT_MOST ((uint64_t)1 << 32)

typedef struct dj_splitter {
    uint64_t block; // 0: nothing is split
    dj_batch *batch;
    uint32_t index; // next access of batch
    uint32_t event; // next event of batch
    uint64_t at;    // rest of that access, when its first pieces are out already
    uint64_t rest;
} dj_splitter;

// Takes over one reference to `batch`. The previous one must be used up.
void dj_splitter_feed(dj_splitter *splitter, dj_batch *batch);

// The next batch of pieces, with a reference for the caller; NULL when the
// batch that was fed is used up.
int dj_splitter_next(dj_splitter *splitter, dj_context *context, dj_pool *pool, dj_batch **out);

// Lets go of what was fed, after an error.
void dj_splitter_reset(dj_splitter *splitter);

#endif
