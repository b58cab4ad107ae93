// SPDX-License-Identifier: MIT
#include "trace/renumber.h"

void dj_renumber_begin(dj_renumber *renumber)
{
    renumber->base = renumber->next;
}

static void move(uint64_t *id, uint64_t base)
{
    *id += base;
}

// An id that is defined here.
static void move_new(uint64_t *id, uint64_t base, uint64_t *next)
{
    *id += base;
    if (*id >= *next)
        *next = *id + 1;
}

void dj_renumber_event(dj_renumber *renumber, dj_event *event)
{
    switch (event->type) {
    case DJ_EVENT_MODULE:
        move_new(&event->a, renumber->base.module, &renumber->next.module);
        break;
    case DJ_EVENT_IDENTITY:
        move(&event->a, renumber->base.module);
        break;
    case DJ_EVENT_SITE:
        move_new(&event->a, renumber->base.site, &renumber->next.site);
        move(&event->b, renumber->base.module);
        break;
    case DJ_EVENT_CALL:
    case DJ_EVENT_STATEMENT:
    case DJ_EVENT_PASS:
        move(&event->a, renumber->base.site);
        break;
    case DJ_EVENT_ALLOC:
        move_new(&event->a, renumber->base.block, &renumber->next.block);
        break;
    case DJ_EVENT_FREE:
        move(&event->a, renumber->base.block);
        break;
    default: // threads keep their numbers, also where they synchronize
        break;
    }
}

void dj_renumber_sites(const dj_renumber *renumber, uint32_t *sites, uint32_t count)
{
    if (renumber->base.site == 0)
        return;
    for (uint32_t i = 0; i < count; i++)
        sites[i] += (uint32_t)renumber->base.site;
}
