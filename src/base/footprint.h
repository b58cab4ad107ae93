// SPDX-License-Identifier: MIT
// Counts the memory that a component holds, where it is allocated and freed.
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

// Allocates and counts a zeroed array. Returns NULL, with a message in the context, if the size overflows or
// memory runs out; `what` names the array in the message.
void *dj_footprint_array(dj_footprint *footprint, dj_context *context, const char *what, uint64_t count,
                         size_t element_bytes);

// Resizes *array from `count` to `new_count` elements; new elements are undefined. On failure the array is
// unchanged.
int dj_footprint_resize(dj_footprint *footprint, dj_context *context, const char *what, void *array,
                        uint64_t count, uint64_t new_count, size_t element_bytes);

// Frees an array from either function above; NULL is allowed.
void dj_footprint_free(dj_footprint *footprint, void *array, uint64_t count, size_t element_bytes);

#endif
