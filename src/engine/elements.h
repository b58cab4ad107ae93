// SPDX-License-Identifier: MIT
// The distinct keys that an engine has seen, numbered 1, 2, 3, … in order of
// their first access, with what is to be remembered of the last access to
// each. Cost: a probe of a hash map an access; 21 to 43 bytes a key for the
// map and 8 to 12 for the key column, 4 for tags, 8 for times, 8 for weights.
#ifndef DEJA_ENGINE_ELEMENTS_H
#define DEJA_ENGINE_ELEMENTS_H

#include "base/map.h"

#include <deja/engine.h>

typedef struct dj_elements {
    dj_map numbers;    // key → number
    uint32_t count;    // numbers 1 … count are in use
    uint32_t capacity; // the columns hold numbers below it
    uint32_t use;      // bits of dj_capability: the columns that are kept
    uint64_t *key;     // each column is indexed by number; element 0 is unused
    uint32_t *tag;
    uint64_t *time;
    uint64_t *weight;
    dj_footprint *footprint;
} dj_elements;

// On failure nothing is held. Memory is counted in `footprint`.
int dj_elements_create(dj_elements *elements, dj_context *context, const dj_engine_params *params,
                       dj_footprint *footprint);
void dj_elements_destroy(dj_elements *elements);

// The number of a key; a key not seen before gets the next one, with *cold set.
int dj_elements_find(dj_elements *elements, dj_context *context, uint64_t key, uint32_t *number, bool *cold);

// Answers with the tag and time of the previous access to element `number`
// and remembers those of access `i` of `work`. Weights are left to the engine.
static inline void dj_elements_exchange(dj_elements *elements, const dj_work *work, size_t i, uint32_t number,
                                        bool cold)
{
    if (elements->tag) {
        work->prev_tag[i] = cold ? 0 : elements->tag[number];
        elements->tag[number] = work->tag[i];
    }
    if (elements->time) {
        work->prev_time[i] = cold ? DJ_COLD : elements->time[number];
        elements->time[number] = work->time[i];
    }
}

// Writes element `number` to position `at` of the order.
void dj_elements_order_put(const dj_elements *elements, uint32_t number, dj_order *out, size_t at);

#endif
