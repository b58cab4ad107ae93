// SPDX-License-Identifier: MIT
// Blocks that a coherent cache accessed recently, by the low bits of the key. Most accesses change nothing in
// the directory (coherence.h) and end here.
#ifndef DEJA_PIPELINE_LANES_FRONT_H
#define DEJA_PIPELINE_LANES_FRONT_H

#include <stdint.h>

enum { DJ_FRONT_BLOCKS = 16 };

enum dj_front_state {
    DJ_FRONT_UNKNOWN,
    DJ_FRONT_HELD,      // the cache holds the block: a read changes nothing
    DJ_FRONT_EXCLUSIVE, // and it is the only one, and wrote it last: a write changes nothing
};

// Zero-initialized.
typedef struct dj_front {
    uint64_t key[DJ_FRONT_BLOCKS];
    uint8_t state[DJ_FRONT_BLOCKS]; // enum dj_front_state
} dj_front;

static inline enum dj_front_state dj_front_get(const dj_front *front, uint64_t key)
{
    const uint64_t at = key % DJ_FRONT_BLOCKS;
    return front->key[at] == key ? (enum dj_front_state)front->state[at] : DJ_FRONT_UNKNOWN;
}

static inline void dj_front_set(dj_front *front, uint64_t key, enum dj_front_state state)
{
    const uint64_t at = key % DJ_FRONT_BLOCKS;
    front->key[at] = key;
    front->state[at] = (uint8_t)state;
}

// Lowers what is known about a block.
static inline void dj_front_limit(dj_front *front, uint64_t key, enum dj_front_state most)
{
    if (dj_front_get(front, key) > most)
        dj_front_set(front, key, most);
}

#endif
