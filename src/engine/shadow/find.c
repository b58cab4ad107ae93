// SPDX-License-Identifier: MIT
// From keys to slots in engine shadow, in three steps, each some run beginnings ahead of the next:
// prefetch the directory entry; look up the page and prefetch its time; read the time and prefetch its
// word on the timeline.
#include "engine/shadow/shadow.h"

enum { AHEAD = 96, PAGES_AHEAD = 64 };

static inline dj_shadow *shadow_of(dj_fast *f)
{
    return (dj_shadow *)(void *)f;
}

static inline uint64_t page_of(const dj_shadow *s, uint32_t beginning)
{
    const dj_fast_chunk *c = &s->fast.chunk;
    return c->key[c->beginning[beginning]] >> s->page_bits;
}

static inline dj_shadow_recent *recent_of(dj_shadow *s, uint64_t page)
{
    return &s->recent[page % DJ_SHADOW_RECENT];
}

static inline void prefetch_page(dj_shadow *s, uint64_t page)
{
    const dj_shadow_recent *recent = recent_of(s, page);
    if (recent->page != page)
        __builtin_prefetch(&s->directory.entries[dj_map_hash(page) & s->directory.mask]);
}

static uint32_t look_up_page(dj_shadow *s, uint64_t page)
{
    dj_map_entry *entry = dj_map_probe(&s->directory, page);
    if (entry->value == 0) { // its space is reserved
        entry->key = page;
        entry->value = ++s->directory.count;
    }
    uint32_t first = (uint32_t)((entry->value - 1) << s->page_bits);
    *recent_of(s, page) = (dj_shadow_recent){.page = page, .first_slot = first, .there = true};
    return first;
}

static void look_up_pages(dj_shadow *s, uint32_t to)
{
    dj_fast_chunk *c = &s->fast.chunk;
    const uint64_t inside = (UINT64_C(1) << s->page_bits) - 1;
    for (uint32_t i = s->looked_up; i < to; i++) {
        if (i + AHEAD < c->beginnings)
            prefetch_page(s, page_of(s, i + AHEAD));
        uint64_t key = c->key[c->beginning[i]], page = key >> s->page_bits;
        const dj_shadow_recent *recent = recent_of(s, page);
        uint32_t slot = recent->page == page && recent->there ? recent->first_slot : look_up_page(s, page);
        slot += (uint32_t)(key & inside);
        c->slot[c->beginning[i]] = slot;
        __builtin_prefetch(&s->fast.slots.words[slot]);
    }
    s->looked_up = to;
}

static void start(dj_fast *f)
{
    dj_shadow *s = shadow_of(f);
    s->looked_up = 0;
    for (uint32_t i = 0; i < f->chunk.beginnings && i < AHEAD; i++)
        prefetch_page(s, page_of(s, i));
    look_up_pages(s, f->chunk.beginnings < PAGES_AHEAD ? f->chunk.beginnings : PAGES_AHEAD);
}

static void find(dj_fast *f, uint32_t to, uint32_t ahead)
{
    const dj_fast_chunk *c = &f->chunk;
    look_up_pages(shadow_of(f), ahead + PAGES_AHEAD < c->beginnings ? ahead + PAGES_AHEAD : c->beginnings);
    // The value may still change before it is used, but rarely does.
    for (uint32_t i = to; i < ahead; i++)
        __builtin_prefetch(&f->timeline.words[f->slots.words[c->slot[c->beginning[i]]] / 64]);
}

const dj_fast_finder dj_shadow_finder = {.start = start, .find = find};
