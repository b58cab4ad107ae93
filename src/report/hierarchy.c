// SPDX-License-Identifier: MIT
// Simulated caches as a table: their misses by kind, and what they fetch and write back.
#include "report/hierarchy.h"

#include <string.h>

#include "base/human.h"

uint64_t dj_full_misses(const dj_profile *profile, uint64_t blocks)
{
    const dj_lane_profile *lane = &profile->lanes[0];
    return lane->cold + dj_histogram_sum(lane->distance, blocks, UINT64_MAX);
}

static dj_datum bytes_of(const dj_profile *profile, uint64_t blocks)
{
    return dj_datum_whole(DJ_DATUM_BYTES,
                          blocks * profile->lanes[0].id.block_bytes * profile->provenance.unit_bytes);
}

static const char *name_ways(dj_document *document, const dj_level *level)
{
    return level->ways == level->size_blocks
               ? "full"
               : dj_document_format(document, "%llu", (unsigned long long)level->ways);
}

static void add_level(dj_sheet *table, const dj_profile *profile, const dj_level *level)
{
    const dj_level_counts *c = &level->counts;
    const double accesses = (double)profile->lanes[0].accesses, misses = (double)c->misses;
    const bool writes = profile->reads + profile->writes > 0;
    const dj_datum cells[] = {
        dj_datum_text(dj_document_format(table->document, "%s, %s", level->name,
                                         dj_name_bytes(table->document, profile, level->size_blocks))),
        dj_datum_text(level->name),
        dj_datum_whole(DJ_DATUM_NUMBER, level->size_blocks),
        dj_datum_whole(DJ_DATUM_NUMBER, level->ways),
        dj_datum_text(name_ways(table->document, level)),
        dj_datum_whole(DJ_DATUM_SHORT, c->misses),
        dj_datum_part(DJ_DATUM_PERCENT, misses, accesses),
        dj_datum_whole(DJ_DATUM_NUMBER, c->cold),
        dj_datum_part(DJ_DATUM_SHARE, (double)c->cold, misses),
        dj_datum_whole(DJ_DATUM_NUMBER, level->capacity),
        dj_datum_part(DJ_DATUM_SHARE, (double)level->capacity, misses),
        dj_datum_whole(DJ_DATUM_NUMBER, c->conflict),
        dj_datum_part(DJ_DATUM_SHARE, (double)c->conflict, misses),
        dj_datum_part(DJ_DATUM_PERCENT, (double)dj_full_misses(profile, level->size_blocks), accesses),
        bytes_of(profile, c->misses),
        writes ? bytes_of(profile, c->writebacks) : dj_datum_none("?"),
    };
    DJ_CELLS(table, cells);
}

void dj_add_hierarchy(dj_document *document, const dj_profile *profile)
{
    static const dj_sheet_column columns[] = {
        {.title = ""},
        {.name = "cache"},
        {.name = "size_blocks"},
        {.name = "ways"},
        {.title = "ways", .width = 4, .rank = 3},
        {.title = "misses", .name = "misses", .width = 6, .rank = 2},
        {.title = "%", .name = "miss_ratio", .width = 6},
        {.name = "cold"},
        {.title = "cold", .width = 4},
        {.name = "capacity"},
        {.title = "capacity", .width = 8},
        {.name = "conflict"},
        {.title = "conflict", .width = 8},
        {.title = "full", .name = "full_miss_ratio", .width = 6, .rank = 1},
        {.title = "fetched", .name = "fetched_bytes", .width = 8, .rank = 4},
        {.title = "written", .name = "written_bytes", .width = 8, .rank = 5},
    };
    const dj_hierarchy *h = dj_profile_hierarchy(profile);
    if (!h)
        return;
    dj_sheet *table = dj_document_table(document, DJ_NODE_TABLE, "caches with their sets");
    DJ_COLUMNS(table, columns);
    for (size_t i = 0; i < h->level_count; i++)
        add_level(table, profile, &h->levels[i]);
    dj_document_say(document, DJ_TEXT_LEGEND, 2,
                    "simulated, one behind the other; %%: of the accesses; conflict: would hit in a fully "
                    "associative cache; full: misses of such caches, each seeing all accesses; fetched, "
                    "written: from and to the next level, or memory; sets by virtual addresses, no "
                    "prefetching")
        ->gap = false;
}
