// SPDX-License-Identifier: MIT
// Which instance wrote each scalar on the stack last: by words, and by bytes where a part of a word is used.
#ifndef DEJA_REORDER_SCALARS_H
#define DEJA_REORDER_SCALARS_H

#include "base/map.h"
#include "reorder/dataflow.h"

enum { DJ_WORD_BYTES = 4 };

typedef struct dj_scalars {
    dj_map writers;
    dj_footprint footprint;
} dj_scalars;

int dj_scalars_create(dj_scalars *scalars, dj_context *context);
void dj_scalars_destroy(dj_scalars *scalars);

// Uses `bytes` bytes within one word: returns the instances that wrote them last in `before`, DJ_NONE where
// there is none, and with `writer` not DJ_NONE replaces them by that one.
int dj_scalars_use(dj_scalars *scalars, dj_context *context, uint64_t address, unsigned bytes,
                   uint32_t writer, uint32_t before[DJ_WORD_BYTES]);

#endif
