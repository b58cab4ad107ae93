// SPDX-License-Identifier: MIT
// Arrays that grow by doubling.
#ifndef DEJA_BASE_GROW_H
#define DEJA_BASE_GROW_H

#include <deja/error.h>

// Grows *array (of *capacity elements) to at least `needed`; new elements are zero. On failure the array is
// unchanged. `what` names it in the message.
int dj_grow(dj_context *context, const char *what, void *array, size_t *capacity, size_t needed,
            size_t element_bytes);

#endif
