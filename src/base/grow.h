// SPDX-License-Identifier: MIT
// Arrays that grow.
#ifndef DEJA_BASE_GROW_H
#define DEJA_BASE_GROW_H

#include <deja/error.h>

// Grows *array (of *capacity elements) by doubling to at least `needed`; new elements are zero. On failure
// the array is unchanged. `what` names it in the message.
int dj_grow(dj_context *context, const char *what, void *array, size_t *capacity, size_t needed,
            size_t element_bytes);

// The same for arrays that take most of the memory: grows by a quarter, and new elements are undefined.
int dj_grow_slowly(dj_context *context, const char *what, void *array, size_t *capacity, size_t needed,
                   size_t element_bytes);

#endif
