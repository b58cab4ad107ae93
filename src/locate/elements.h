// SPDX-License-Identifier: MIT
// The elements that instances of statements have accessed so far: a hash table with open addressing, at
// most half full. Elements of finished instances are removed when it fills up, so memory is bounded by the
// current ones.
#ifndef DEJA_LOCATE_ELEMENTS_H
#define DEJA_LOCATE_ELEMENTS_H

#include <deja/error.h>

typedef struct dj_element {
    uint64_t address, size;
    uint64_t instance; // 0: the entry is free
    uint64_t position; // of its access among the counted ones
    uint32_t thread, frame;
    uint8_t kind; // enum dj_kind, combined over all its accesses
} dj_element;

typedef struct dj_element_set {
    dj_element *entries;
    uint64_t mask; // entries − 1
    uint64_t used;
    bool (*is_at_work)(const void *user, const dj_element *element);
    const void *user;
} dj_element_set;

int dj_element_set_create(dj_element_set *set, dj_context *context);
void dj_element_set_destroy(dj_element_set *set); // a zeroed structure is allowed

// The entry of the element, valid until the next call; NULL: out of memory. A new entry is a copy of
// `element`, and sets *fresh.
dj_element *dj_element_set_at(dj_element_set *set, dj_context *context, const dj_element *element,
                              bool *fresh);

#endif
