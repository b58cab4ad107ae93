// SPDX-License-Identifier: MIT
// Simulated caches and their traffic as JSON; docs/formats.md describes it.
#include "report/json/entity_json.h"

static uint64_t block_bytes(const dj_profile *profile)
{
    return profile->lanes[0].id.block_bytes * profile->provenance.unit_bytes;
}

// What a level fetched from the next one, or from memory, and what it wrote back.
static void write_bytes(dj_json_writer *json, const dj_profile *profile, const dj_level_counts *counts)
{
    dj_json_uint(json, "fetched_bytes", counts->misses * block_bytes(profile));
    dj_json_uint(json, "written_bytes", counts->writebacks * block_bytes(profile));
}

void dj_json_entity_caches(dj_json_writer *json, const dj_profile *profile, const dj_tally *tally)
{
    static const dj_level_counts nothing;
    const dj_hierarchy *h = dj_profile_hierarchy(profile);
    if (!h)
        return;
    dj_json_begin_list(json, "caches");
    for (size_t i = 0; i < h->level_count; i++) {
        const dj_level_counts *counts = tally->levels ? &tally->levels->levels[i] : &nothing;
        dj_json_begin_row(json, NULL);
        dj_json_text(json, "name", h->levels[i].name);
        dj_json_uint(json, "misses", counts->misses);
        dj_json_uint(json, "cold", counts->cold);
        dj_json_uint(json, "capacity", dj_level_capacity(counts));
        dj_json_uint(json, "conflict", counts->conflict);
        dj_json_uint(json, "writebacks", counts->writebacks);
        write_bytes(json, profile, counts);
        dj_json_end_object(json);
    }
    dj_json_end_list(json);
}

void dj_json_traffic(dj_json_writer *json, const dj_profile *profile)
{
    const dj_hierarchy *h = dj_profile_hierarchy(profile);
    if (!h || block_bytes(profile) == 0)
        return;
    dj_json_begin_list(json, "traffic");
    for (size_t i = 0; i < h->level_count; i++) {
        dj_json_begin_row(json, NULL);
        dj_json_text(json, "name", h->levels[i].name);
        write_bytes(json, profile, &h->levels[i].counts);
        dj_json_end_object(json);
    }
    dj_json_end_list(json);
}
