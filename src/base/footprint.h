// SPDX-License-Identifier: MIT
// Memory that a component holds, counted where it is taken and given back.
#ifndef DEJA_BASE_FOOTPRINT_H
#define DEJA_BASE_FOOTPRINT_H

#include <deja/error.h>

typedef struct dj_footprint {
    uint64_t bytes;
    uint64_t peak_bytes;
} dj_footprint;

static inline void dj_footprint_add(dj_footprint *footprint, uint64_t bytes)
{
    footprint->bytes += bytes;
    if (footprint->bytes > footprint->peak_bytes)
        footprint->peak_bytes = footprint->bytes;
}

static inline void dj_footprint_remove(dj_footprint *footprint, uint64_t bytes)
{
    footprint->bytes -= bytes;
}

// A new zeroed array, counted. NULL with a message in the context when the
// size overflows or memory is out; `what` names the array in it.
void *dj_footprint_array(dj_footprint *footprint, dj_context *context, const char *what, uint64_t count,
                         size_t element_bytes);

// Makes *array (of `count` elements) hold `new_count`; what is added is
// undefined. On failure the array is as it was.
int dj_footprint_resize(dj_footprint *footprint, dj_context *context, const char *what, void *array,
                        uint64_t count, uint64_t new_count, size_t element_bytes);

// Gives back an array of either of the above; NULL is fine.
void dj_footprint_free(dj_footprint *footprint, void *array, uint64_t count, size_t element_bytes);

#endif
