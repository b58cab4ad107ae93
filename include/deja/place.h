// SPDX-License-Identifier: MIT
/// \file
/// Places: the site, calling context and data object of an access, combined into one number. A table of
/// places only grows and never moves, so an observer on another thread may look up every place in the
/// batches that it receives.
#ifndef DEJA_PLACE_H
#define DEJA_PLACE_H

#include <deja/error.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct dj_place {
    uint32_t site, cct_node, object, thread;
} dj_place;

enum { DJ_PLACE_CHUNK = 1 << 16, DJ_PLACE_CHUNKS = 1 << 12 };

typedef struct dj_place_table {
    dj_place *chunks[DJ_PLACE_CHUNKS];
    uint32_t count; ///< owned by the thread that fills the table
} dj_place_table;

static inline const dj_place *dj_place_get(const dj_place_table *table, uint32_t place)
{
    return &table->chunks[place / DJ_PLACE_CHUNK][place % DJ_PLACE_CHUNK];
}

#ifdef __cplusplus
}
#endif
#endif
