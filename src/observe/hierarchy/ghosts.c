// SPDX-License-Identifier: MIT
#include "observe/hierarchy/ghosts.h"

#include <stdlib.h>

int dj_ghosts_create(dj_ghosts *g, dj_context *context, uint64_t sets)
{
    const uint64_t count = sets * DJ_GHOSTS + DJ_SLOTS_PAD;
    *g = (dj_ghosts){.sets = sets};
    g->key = calloc(count, sizeof *g->key);
    g->position = calloc(count, sizeof *g->position);
    if (!g->key || !g->position)
        return dj_fail_memory(context, "a simulated cache", count * sizeof *g->key);
    return dj_map_create(&g->others, context, &g->footprint, 0);
}

void dj_ghosts_free(dj_ghosts *g)
{
    free(g->key);
    free(g->position);
    if (g->others.entries)
        dj_map_destroy(&g->others);
}

int dj_ghosts_reserve(dj_ghosts *g, dj_context *context, size_t count)
{
    int err = DJ_OK;
    while (!err && g->others.limit - g->others.count < count)
        err = dj_map_grow(&g->others, context);
    return err;
}

void dj_ghosts_purge(dj_ghosts *g, dj_recent *recent)
{
    for (uint64_t i = 0; i < g->sets * DJ_GHOSTS; i++)
        if (!dj_recent_has(recent, g->position[i])) {
            dj_recent_forget(recent, g->position[i]);
            g->position[i] = 0;
        }
    for (uint64_t i = 0; i <= g->others.mask; i++) {
        const dj_map_entry *e = &g->others.entries[i];
        if (e->value && !dj_recent_has(recent, (uint32_t)e->value))
            dj_recent_forget(recent, (uint32_t)e->value);
    }
}

int dj_ghosts_renumber(dj_ghosts *g, dj_context *context, const dj_recent *recent)
{
    dj_map kept;
    int err = dj_map_create(&kept, context, &g->footprint, g->others.count / 2);
    if (err)
        return err;
    for (uint64_t i = 0; i < g->sets * DJ_GHOSTS; i++)
        if (g->position[i])
            g->position[i] = dj_recent_renumber(recent, g->position[i]);
    for (uint64_t i = 0; !err && i <= g->others.mask; i++) {
        const dj_map_entry *e = &g->others.entries[i];
        if (!e->value || !dj_recent_has(recent, (uint32_t)e->value))
            continue;
        uint64_t *to = dj_map_at(&kept, context, e->key);
        if (to)
            *to = dj_recent_renumber(recent, (uint32_t)e->value);
        else
            err = DJ_ERR_MEMORY;
    }
    dj_map_destroy(&g->others);
    g->others = kept;
    return err;
}
