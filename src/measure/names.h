// SPDX-License-Identifier: MIT
// What the places of a part of a stream stand for, as bytes in the file of its
// summary: parts are named when they are joined, by the last of them, which has
// met all that the others have.
#ifndef DEJA_MEASURE_NAMES_H
#define DEJA_MEASURE_NAMES_H

#include "locate/locate.h"

typedef struct dj_named {
    const dj_located *located;
    const dj_symbols *symbols;
    char *const *cuts; // names of the caches
    size_t cut_count;
} dj_named;

// Freed with free().
int dj_names_pack(dj_context *context, const dj_named *named, uint8_t **bytes, size_t *count);
// Gives names to what observer `places` counted, from the files of the program.
// DJ_ERR_INPUT when those are others now, or the bytes are no such names.
int dj_names_give(dj_context *context, const uint8_t *bytes, size_t count, dj_attribution *to);

#endif
