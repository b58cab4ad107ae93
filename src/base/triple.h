// SPDX-License-Identifier: MIT
// A hash map from three 32-bit numbers to one: open addressing (probe.h), at most half full. 32 to 64 bytes
// per key.
#ifndef DEJA_BASE_TRIPLE_H
#define DEJA_BASE_TRIPLE_H

#include <deja/error.h>

#include "base/probe.h"

typedef struct dj_triple_entry {
    uint32_t a, b, c;
    uint32_t value; // DJ_TRIPLE_FREE: the entry is free
} dj_triple_entry;

#define DJ_TRIPLE_FREE UINT32_MAX

typedef struct dj_triples {
    dj_triple_entry *entries;
    uint64_t mask; // entries − 1
    uint64_t count;
} dj_triples;

int dj_triples_create(dj_triples *triples, dj_context *context);
void dj_triples_destroy(dj_triples *triples); // a zero-initialized one is allowed

// Makes space for one more key.
int dj_triples_grow(dj_triples *triples, dj_context *context);

static inline uint64_t dj_triple_hash(uint32_t a, uint32_t b, uint32_t c)
{
    uint64_t h = ((uint64_t)b << 32 | a) * UINT64_C(0x9e3779b97f4a7c15);
    h = (h ^ h >> 32 ^ c) * UINT64_C(0xbf58476d1ce4e5b9);
    return h ^ h >> 29;
}

// The entry of a key, or the free entry where it would go.
static inline dj_triple_entry *dj_triples_probe(const dj_triples *triples, uint32_t a, uint32_t b, uint32_t c)
{
    DJ_PROBE (at, dj_triple_hash(a, b, c), triples->mask) {
        dj_triple_entry *e = &triples->entries[at];
        if (e->value == DJ_TRIPLE_FREE || (e->a == a && e->b == b && e->c == c))
            return e;
    }
}

// Returns a pointer to the value of a key, valid until the next call; NULL if memory runs out. For a new key
// the value is DJ_TRIPLE_FREE, and the caller must store another value before using the map again.
static inline uint32_t *dj_triples_at(dj_triples *triples, dj_context *context, uint32_t a, uint32_t b,
                                      uint32_t c)
{
    dj_triple_entry *e = dj_triples_probe(triples, a, b, c);
    if (e->value != DJ_TRIPLE_FREE)
        return &e->value;
    if (2 * triples->count > triples->mask) {
        if (dj_triples_grow(triples, context) != DJ_OK)
            return NULL;
        e = dj_triples_probe(triples, a, b, c);
    }
    triples->count++;
    *e = (dj_triple_entry){a, b, c, DJ_TRIPLE_FREE};
    return &e->value;
}

#endif
