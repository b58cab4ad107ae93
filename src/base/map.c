// SPDX-License-Identifier: MIT
#include "base/map.h"

enum { LEAST_ENTRIES = 16 };

static int allocate(dj_map *map, dj_context *context, uint64_t entries)
{
    dj_map_entry *fresh = dj_footprint_array(map->footprint, context, "a hash map", entries, sizeof *fresh);
    if (!fresh)
        return DJ_ERR_MEMORY;
    map->entries = fresh;
    map->mask = entries - 1;
    map->limit = entries / 4 * 3;
    return DJ_OK;
}

int dj_map_create(dj_map *map, dj_context *context, dj_footprint *footprint, uint64_t expected_keys)
{
    *map = (dj_map){.footprint = footprint};
    return allocate(map, context, dj_probe_entries(expected_keys, LEAST_ENTRIES));
}

void dj_map_destroy(dj_map *map)
{
    if (map->entries)
        dj_footprint_free(map->footprint, map->entries, map->mask + 1, sizeof *map->entries);
    map->entries = NULL;
}

int dj_map_grow(dj_map *map, dj_context *context)
{
    dj_map old = *map;
    if (old.mask >= UINT64_MAX / 2)
        return dj_fail_memory(context, "a hash map", 0);
    int err = allocate(map, context, 2 * (old.mask + 1));
    if (err != DJ_OK)
        return err;
    for (uint64_t i = 0; i <= old.mask; i++)
        if (old.entries[i].value != 0)
            *dj_map_probe(map, old.entries[i].key) = old.entries[i];
    dj_map_destroy(&old);
    return DJ_OK;
}

uint64_t dj_map_remove(dj_map *map, uint64_t key)
{
    dj_map_entry *entry = dj_map_probe(map, key);
    uint64_t value = entry->value, mask = map->mask, free_at = (uint64_t)(entry - map->entries);
    if (value == 0)
        return 0;
    map->count--;
    // An entry further on that probed past the free one moves there and leaves the next free one.
    DJ_PROBE (at, free_at + 1, mask) {
        const dj_map_entry *e = &map->entries[at];
        if (e->value == 0)
            break;
        uint64_t home = dj_map_hash(e->key) & mask;
        if (((at - home) & mask) < ((at - free_at) & mask))
            continue;
        map->entries[free_at] = *e;
        free_at = at;
    }
    map->entries[free_at].value = 0;
    return value;
}
