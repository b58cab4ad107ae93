// SPDX-License-Identifier: MIT
// The distinct keys that an engine has seen, numbered 1, 2, 3, … in order of first access, and what
// must be stored about the last access to each. Cost: one hash map probe per access; per key 21 to 43
// bytes for the map, 8 to 12 for the key column, 4 for tags, 8 for times, 8 for weights.
#ifndef DEJA_ENGINE_ELEMENTS_H
#define DEJA_ENGINE_ELEMENTS_H

#include "base/map.h"

#include <deja/engine.h>

enum { DJ_ELEMENTS_LEAST = 64 }; // the first capacity

typedef struct dj_elements {
    dj_map numbers;    // key → number
    uint32_t count;    // numbers 1 … count are in use, except for the released ones
    uint32_t released; // a released number, and in `key` the next one; 0: none
    uint32_t capacity; // all numbers in the columns are below this
    uint32_t most;     // the capacity that is enough for all keys that there may be; 0: unknown
    uint32_t use;      // bits of dj_capability: the columns in use
    uint64_t *key;     // each column is indexed by key number; element 0 is unused
    uint32_t *tag;
    uint64_t *time;
    uint64_t *weight;
    dj_footprint *footprint;
} dj_elements;

// Leaves nothing allocated on failure. `footprint` counts the memory.
int dj_elements_create(dj_elements *elements, dj_context *context, const dj_engine_params *params,
                       dj_footprint *footprint);
void dj_elements_destroy(dj_elements *elements); // it is empty then

// The memory that suffices for `keys` keys, if that is most_keys of the parameters; also while it grows.
uint64_t dj_elements_bytes(uint32_t use, uint64_t keys);

// Finds the number of a key; a new key gets the next number or a released one, and *cold is set.
int dj_elements_find(dj_elements *elements, dj_context *context, uint64_t key, uint32_t *number, bool *cold);

// Removes a key and returns its number, which stays in use until it is released; 0 if there is no such key.
uint32_t dj_elements_forget(dj_elements *elements, uint64_t key);
void dj_elements_release(dj_elements *elements, uint32_t number);

// Returns the tag and time of the previous access to element `number` and stores those of access `i` of
// `work`. The engine handles weights itself.
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
