// SPDX-License-Identifier: MIT
#include "base/grow.h"

#include <stdlib.h>
#include <string.h>

enum { LEAST = 16 };

int dj_grow(dj_context *context, const char *what, void *array, size_t *capacity, size_t needed,
            size_t element_bytes)
{
    if (needed <= *capacity)
        return DJ_OK;
    size_t fresh_capacity = *capacity < LEAST ? LEAST : *capacity;
    while (fresh_capacity < needed && fresh_capacity <= SIZE_MAX / 2)
        fresh_capacity *= 2;
    size_t bytes;
    if (fresh_capacity < needed || __builtin_mul_overflow(fresh_capacity, element_bytes, &bytes))
        return dj_fail_memory(context, what, 0);
    void *old;
    memcpy(&old, array, sizeof old);
    char *fresh = realloc(old, bytes);
    if (!fresh)
        return dj_fail_memory(context, what, bytes);
    memset(fresh + *capacity * element_bytes, 0, (fresh_capacity - *capacity) * element_bytes);
    memcpy(array, &fresh, sizeof old);
    *capacity = fresh_capacity;
    return DJ_OK;
}
