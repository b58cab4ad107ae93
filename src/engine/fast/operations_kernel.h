// SPDX-License-Identifier: MIT
// Answers run beginnings while there are holes, the same for all paths; see fast/operations.h. Included
// after fast/kernel.h.
#include "engine/fast/operations.h"

// Clears a bit that is set.
static void remove_point(const dj_fast_timeline *t, uint32_t point)
{
    uint32_t word = point / 64, node = point / DJ_FAST_BLOCK_POINTS, level = 0;
    t->words[word] &= ~(UINT64_C(1) << point % 64);
    t->words[word | 7] -= UINT64_C(0x8040201008040200) << word % 8 * 9; // 1 in each later field
    subtract_after_16(t->in_group + (node & ~31u), node & 31);
    node /= DJ_FAST_GROUP_BLOCKS;
    for (; level + 1 < t->levels; level++, node /= DJ_FAST_NODE)
        subtract_after_32(t->above[level] + (node & ~15u), node & 15, 1);
    subtract_after_32(t->above[level] + (node & ~15u), node & 15, 1);
    for (uint32_t i = (node | 15) + 1; i < t->top_counts; i++)
        t->above[level][i]--;
}

// Applies the operations up to an access, from number `event` on; returns the next number.
static inline uint32_t apply_events(dj_fast *f, uint32_t event, uint32_t access)
{
    const dj_fast_operations *o = f->operations;
    for (; event < o->events && o->event[event].before <= access; event++)
        dj_fast_apply(f, o->event[event].op, o->event[event].point);
    return event;
}

static void answer_with_holes(dj_fast *f, uint64_t *distance)
{
    dj_fast_operations *o = f->operations;
    const dj_fast_chunk *c = &f->chunk;
    uint32_t event = 0;
    exchange_all(f, o->point);
    dj_fast_timeline_append(&f->timeline, c->endings);
    for (uint32_t i = 0; i < c->beginnings; i++) {
        uint32_t at = c->beginning[i] - DJ_FAST_WINDOW, point = o->point[i];
        __builtin_prefetch(&f->timeline.words[o->point[i + DJ_FAST_TOGETHER] / 64]);
        event = apply_events(f, event, at);
        distance[at] = point ? f->keys - 1 - dj_fast_timeline_before(&f->timeline, point) : DJ_COLD;
        uint32_t cleared = dj_fast_fill(o, point);
        if (cleared != 0)
            remove_point(&f->timeline, cleared);
        else
            f->keys++;
    }
    apply_events(f, event, UINT32_MAX);
}
