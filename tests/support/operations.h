// SPDX-License-Identifier: MIT
// Streams in which some keys are invalidated or removed, and the oracles for them: real caches, and the
// definition.
#ifndef DEJA_TESTS_OPERATIONS_H
#define DEJA_TESTS_OPERATIONS_H

#include "support/streams.h"

#include <deja/engine.h>

enum { OPERATIONS = DJ_CAN_INVALIDATE | DJ_CAN_REMOVE };

// The key of an operation at `i`, chosen by how it relates to the accesses before it.
static inline uint64_t operation_key(const stream *s, size_t i, uint64_t *rng)
{
    uint64_t back;
    switch (random_below(rng, 9)) {
    case 0: // the most recent one, or the last operation's again
    case 1:
        back = 1;
        break;
    case 2: // near the top
    case 3:
        back = 1 + random_below(rng, 20);
        break;
    case 4: // near the bottom
        back = i - random_below(rng, i / 8 + 1);
        break;
    case 5: // unknown to all
        return UINT64_MAX / 3 + random_below(rng, 1000);
    case 6:
        back = 1 + random_below(rng, i + 1);
        break;
    default: // as likely as any
        return s->key[i];
    }
    return back <= i ? s->key[i - back] : s->key[i];
}

// Turns some accesses into operations of the kinds in `use`. 0, or −1 if out of memory.
static inline int stream_add_operations(stream *s, uint32_t use)
{
    static const uint64_t rates[] = {2, 3, 8, 16, 60, 300, 2000};
    uint64_t rng = ~s->seed, rate = rates[random_below(&rng, 7)], burst = 0;
    s->op = calloc(s->count + 1, sizeof *s->op);
    for (size_t i = 0; s->op && i < s->count; i++) {
        if (random_below(&rng, 700) == 0)
            burst = random_below(&rng, 100);
        burst -= burst > 0;
        if (burst == 0 && random_below(&rng, rate) != 0)
            continue;
        bool removes = use & DJ_CAN_REMOVE && (!(use & DJ_CAN_INVALIDATE) || random_below(&rng, 2));
        s->op[i] = removes ? DJ_OP_REMOVE : DJ_OP_INVALIDATE;
        s->key[i] = operation_key(s, i, &rng);
    }
    return s->op ? 0 : -1;
}

// A fully associative LRU cache. A line that was invalidated is filled before any is evicted.
typedef struct cache {
    size_t ways;
    struct cache_line {
        uint64_t key, used; // `used` 0: invalid
    } * lines;
} cache;

static inline struct cache_line *cache_find(const cache *c, uint64_t key)
{
    for (size_t i = 0; i < c->ways; i++)
        if (c->lines[i].used && c->lines[i].key == key)
            return &c->lines[i];
    return NULL;
}

// Whether it hits. `now` increases and is not 0.
static inline bool cache_access(const cache *c, uint64_t key, uint64_t now)
{
    struct cache_line *line = cache_find(c, key);
    bool hits = line != NULL;
    for (size_t i = 0; !hits && i < c->ways; i++)
        if (!line || c->lines[i].used < line->used)
            line = &c->lines[i];
    *line = (struct cache_line){key, now};
    return hits;
}

static inline void cache_invalidate(const cache *c, uint64_t key)
{
    struct cache_line *line = cache_find(c, key);
    if (line)
        line->used = 0;
}

// Directly from the definition: an access is forgotten when its key is removed.
static inline uint64_t distance_with_removals(const stream *s, size_t i)
{
    uint64_t distance = 0;
    for (size_t j = i; j-- > 0;) {
        if (s->key[j] == s->key[i])
            return s->op[j] == DJ_OP_ACCESS ? distance : DJ_COLD;
        if (s->op[j] != DJ_OP_ACCESS)
            continue;
        size_t later = j + 1;
        while (later < i && s->key[later] != s->key[j])
            later++;
        distance += later == i; // neither accessed nor removed since
    }
    return DJ_COLD;
}

#endif
