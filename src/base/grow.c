// SPDX-License-Identifier: MIT
#include "base/grow.h"

#include <stdlib.h>
#include <string.h>

enum { LEAST = 16 };

static int reallocate(dj_context *context, const char *what, void *array, size_t *capacity, size_t fresh,
                      size_t element_bytes)
{
    size_t bytes;
    if (__builtin_mul_overflow(fresh, element_bytes, &bytes))
        return dj_fail_memory(context, what, 0);
    void *old;
    memcpy(&old, array, sizeof old);
    void *moved = realloc(old, bytes);
    if (!moved)
        return dj_fail_memory(context, what, bytes);
    memcpy(array, &moved, sizeof moved);
    *capacity = fresh;
    // cppcheck-suppress memleak ; it does not see that memcpy passes on ownership
    return DJ_OK;
}

int dj_grow(dj_context *context, const char *what, void *array, size_t *capacity, size_t needed,
            size_t element_bytes)
{
    const size_t old = *capacity;
    if (needed <= old)
        return DJ_OK;
    size_t fresh = old < LEAST ? LEAST : old;
    while (fresh < needed && fresh <= SIZE_MAX / 2)
        fresh *= 2;
    if (fresh < needed)
        return dj_fail_memory(context, what, 0);
    int err = reallocate(context, what, array, capacity, fresh, element_bytes);
    if (err)
        return err;
    char *moved;
    memcpy(&moved, array, sizeof moved);
    memset(moved + old * element_bytes, 0, (fresh - old) * element_bytes);
    return DJ_OK;
}

int dj_grow_slowly(dj_context *context, const char *what, void *array, size_t *capacity, size_t needed,
                   size_t element_bytes)
{
    if (needed <= *capacity)
        return DJ_OK;
    size_t fresh = *capacity + *capacity / 4;
    fresh = fresh < LEAST ? LEAST : fresh;
    return reallocate(context, what, array, capacity, fresh < needed ? needed : fresh, element_bytes);
}
