// SPDX-License-Identifier: MIT
#include "base/footprint.h"

#include <stdlib.h>
#include <string.h>

static bool size_of(uint64_t count, size_t element_bytes, size_t *bytes)
{
    return !__builtin_mul_overflow(count, element_bytes, bytes) && *bytes <= PTRDIFF_MAX;
}

void *dj_footprint_array(dj_footprint *footprint, dj_context *context, const char *what, uint64_t count,
                         size_t element_bytes)
{
    size_t bytes;
    void *array = NULL;
    if (size_of(count, element_bytes, &bytes))
        array = calloc(bytes ? bytes : 1, 1);
    else
        bytes = 0;
    if (array)
        dj_footprint_add(footprint, bytes);
    else
        dj_fail_memory(context, what, bytes);
    return array;
}

int dj_footprint_resize(dj_footprint *footprint, dj_context *context, const char *what, void *array,
                        uint64_t count, uint64_t new_count, size_t element_bytes)
{
    size_t bytes;
    if (!size_of(new_count, element_bytes, &bytes))
        return dj_fail_memory(context, what, 0);
    void *old;
    memcpy(&old, array, sizeof old); // `array` points to a pointer of any type
    void *resized = realloc(old, bytes ? bytes : 1);
    if (!resized)
        return dj_fail_memory(context, what, bytes);
    memcpy(array, &resized, sizeof resized);
    // The old and the new array may have existed at the same time while one was copied.
    dj_footprint_add(footprint, bytes);
    dj_footprint_remove(footprint, count * element_bytes);
    // cppcheck-suppress memleak ; it does not see that memcpy passes on ownership
    return DJ_OK;
}

void dj_footprint_free(dj_footprint *footprint, void *array, uint64_t count, size_t element_bytes)
{
    if (array)
        dj_footprint_remove(footprint, count * element_bytes);
    free(array);
}
