// SPDX-License-Identifier: MIT
// Which blocks a fully associative LRU cache holds, beside a cache with sets that sees the same requests. A
// block has a position, that of its last use in time; the cache holds the last `capacity` positions that are
// in use. One bit for each of eight positions per block.
#ifndef DEJA_OBSERVE_HIERARCHY_RECENT_H
#define DEJA_OBSERVE_HIERARCHY_RECENT_H

#include <deja/error.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct dj_recent {
    uint64_t capacity, live; // positions in use, of those from `tail` on
    uint32_t head, tail;     // the next position, and the first one in the cache
    uint32_t end;            // of the positions
    uint64_t *used;          // a bit for each; set from `head` on
    uint32_t *ranks;         // while renumbering: positions in use before each word
} dj_recent;

// `most` is the largest number of uses between two renumberings for which there is always space.
int dj_recent_create(dj_recent *recent, dj_context *context, uint64_t capacity, size_t most);
void dj_recent_free(dj_recent *recent); // a zeroed structure is allowed

static inline bool dj_recent_has(const dj_recent *r, uint32_t position)
{
    return position >= r->tail;
}

static inline void dj_recent_forget(dj_recent *r, uint32_t position)
{
    r->used[position / 64] &= ~(UINT64_C(1) << position % 64);
}

// The oldest block falls out.
void dj_recent_advance(dj_recent *recent);

// The next use of the block at `position` (0: it has none), and the new position. There must be space.
static inline uint32_t dj_recent_use(dj_recent *r, uint32_t position)
{
    const bool had = dj_recent_has(r, position);
    dj_recent_forget(r, position);
    if (!had && r->live == r->capacity)
        dj_recent_advance(r);
    else
        r->live += !had;
    return r->head++;
}

static inline uint32_t dj_recent_space(const dj_recent *r)
{
    return r->end - r->head;
}

// Closes the gaps between positions: begin, replace each position, end. At most twice the capacity may be in
// use.
void dj_recent_begin_renumber(dj_recent *recent);
static inline uint32_t dj_recent_renumber(const dj_recent *r, uint32_t position)
{
    const uint64_t below = r->used[position / 64] & ((UINT64_C(1) << position % 64) - 1);
    return 1 + r->ranks[position / 64] + (uint32_t)__builtin_popcountll(below);
}
void dj_recent_end_renumber(dj_recent *recent);

#endif
