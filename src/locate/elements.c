// SPDX-License-Identifier: MIT
#include "locate/elements.h"

#include <stdlib.h>

#include "base/map.h"

enum { LEAST_ENTRIES = 1024 };

int dj_element_set_create(dj_element_set *set, dj_context *context)
{
    set->entries = calloc(LEAST_ENTRIES, sizeof *set->entries);
    if (!set->entries)
        return dj_fail_memory(context, "the elements of statements", LEAST_ENTRIES * sizeof *set->entries);
    set->mask = LEAST_ENTRIES - 1;
    return DJ_OK;
}

void dj_element_set_destroy(dj_element_set *set)
{
    free(set->entries);
    set->entries = NULL;
}

static dj_element *probe(const dj_element_set *set, const dj_element *e)
{
    uint64_t at = dj_map_hash(e->address ^ e->instance << 32 ^ e->instance >> 32) + e->size;
    for (;; at++) {
        dj_element *entry = &set->entries[at & set->mask];
        if (entry->instance == 0 ||
            (entry->instance == e->instance && entry->address == e->address && entry->size == e->size))
            return entry;
    }
}

// Removes elements of finished instances; doubles the table if more than a quarter remains.
static int sweep(dj_element_set *set, dj_context *context)
{
    uint64_t kept = 0, entries = set->mask + 1;
    for (uint64_t i = 0; i <= set->mask; i++) {
        dj_element *e = &set->entries[i];
        if (e->instance != 0 && !set->is_at_work(set->user, e))
            e->instance = 0;
        kept += e->instance != 0;
    }
    if (kept > entries / 4)
        entries *= 2;
    dj_element_set old = *set;
    set->entries = calloc(entries, sizeof *set->entries);
    if (!set->entries) {
        set->entries = old.entries;
        return dj_fail_memory(context, "the elements of statements", entries * sizeof *set->entries);
    }
    set->mask = entries - 1;
    set->used = kept;
    for (uint64_t i = 0; i <= old.mask; i++)
        if (old.entries[i].instance != 0)
            *probe(set, &old.entries[i]) = old.entries[i];
    free(old.entries);
    return DJ_OK;
}

dj_element *dj_element_set_at(dj_element_set *set, dj_context *context, const dj_element *element,
                              bool *fresh)
{
    dj_element *entry = probe(set, element);
    *fresh = entry->instance == 0;
    if (!*fresh)
        return entry;
    if (2 * set->used > set->mask) {
        if (sweep(set, context) != DJ_OK)
            return NULL;
        entry = probe(set, element);
    }
    set->used++;
    *entry = *element;
    return entry;
}
