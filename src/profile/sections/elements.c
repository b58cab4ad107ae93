// SPDX-License-Identifier: MIT
// Section `elements`: which parts of data objects were accessed.
#include <deja/attribution.h>
#include <deja/elements.h>

#include <stdlib.h>

#include "profile/fields.h"

#define REQUIRED .flags = DJ_FIELD_REQUIRED
static const dj_field segment_fields[] = {
    DJ_AT(U64, "accesses", dj_element_segment, accesses, REQUIRED),
    DJ_AT(U64, "cold", dj_element_segment, cold, REQUIRED),
    DJ_AT(U64, "long", dj_element_segment, longer, REQUIRED,
          .about = "reuses with a distance of at least long_from"),
    DJ_AT(U64, "writes", dj_element_segment, writes, REQUIRED),
    DJ_END,
};
static const dj_table segment_row = {segment_fields, sizeof(dj_element_segment), DJ_ROW_CELLS};

static const dj_field map_fields[] = {
    DJ_AT(U32, "object", dj_element_map, object, REQUIRED, .about = "index into the objects of attribution"),
    DJ_AT(U64, "segment_bytes", dj_element_map, segment_bytes, REQUIRED, .about = "a power of two"),
    DJ_AT(LIST, "segments", dj_element_map, list, .rows = &segment_row,
          .count_at = offsetof(dj_element_map, count), .flags = DJ_FIELD_REQUIRED | DJ_FIELD_FLAT,
          .most = DJ_SEGMENTS_MOST, .about = "accesses that begin in each, from the start of the object on"),
    DJ_END,
};
static const dj_table map_row = {map_fields, sizeof(dj_element_map), DJ_ROW_LINE};

static const dj_field fields[] = {
    DJ_AT(U64, "long_from", dj_element_maps, long_from, REQUIRED, .about = "long reuses have this distance"),
    DJ_AT(U64, "left_out", dj_element_maps, left_out, .flags = DJ_FIELD_OMIT,
          .about = "objects without a map, because others had more accesses"),
    DJ_AT(LIST, "maps", dj_element_maps, maps, .rows = &map_row, .count_at = offsetof(dj_element_maps, count),
          REQUIRED, .most = DJ_ELEMENT_MAPS_MOST, .about = "by accesses, most first"),
    DJ_END,
};

static bool is_possible(const dj_element_map *map)
{
    bool possible =
        map->count > 0 && map->segment_bytes > 0 && (map->segment_bytes & (map->segment_bytes - 1)) == 0;
    for (size_t i = 0; possible && i < map->count; i++) {
        const dj_element_segment *s = &map->list[i];
        possible = s->cold <= s->accesses && s->longer <= s->accesses - s->cold && s->writes <= s->accesses;
    }
    return possible;
}

static int check(dj_context *context, void *value)
{
    const dj_element_maps *e = value;
    for (size_t i = 0; i < e->count; i++)
        if (!is_possible(&e->maps[i]))
            return dj_fail(context, DJ_ERR_INPUT, "elements: the counts of maps[%zu] do not add up", i);
    return DJ_OK;
}

// The accesses of each object.
static uint64_t *count_objects(const dj_attribution *a)
{
    uint64_t *accesses = calloc(a->object_count + 1, sizeof *accesses);
    for (size_t i = 0; accesses && i < a->place_count; i++)
        if (a->places[i].object < a->object_count)
            accesses[a->places[i].object] += a->places[i].tally.accesses;
    return accesses;
}

static int settle(dj_context *context, dj_profile *profile, dj_lane_profile *lane, void *value)
{
    (void)lane;
    const dj_element_maps *e = value;
    const dj_attribution *a = dj_profile_attribution(profile);
    if (!a)
        return dj_fail(context, DJ_ERR_INPUT, "elements: there is no attribution");
    uint64_t *left = count_objects(a);
    if (!left)
        return dj_fail_memory(context, "the elements", a->object_count * sizeof *left);
    int err = DJ_OK;
    for (size_t i = 0; !err && i < e->count; i++) {
        const dj_element_map *map = &e->maps[i];
        bool fits = map->object < a->object_count;
        for (size_t k = 0; fits && k < map->count; k++) {
            fits = map->list[k].accesses <= left[map->object];
            left[map->object] -= fits ? map->list[k].accesses : 0;
        }
        if (!fits)
            err = dj_fail(context, DJ_ERR_INPUT, "elements: maps[%zu] has more accesses than its object", i);
    }
    free(left);
    return err;
}

dj_element_maps *dj_profile_elements(const dj_profile *profile)
{
    return dj_profile_section(profile, &dj_section_elements);
}

const dj_section_ops dj_section_elements = {
    .name = "elements",
    .summary = "which parts of data objects were accessed",
    .version = 1,
    .scope = DJ_SCOPE_PROFILE,
    .table = {fields, sizeof(dj_element_maps), DJ_ROW_OBJECT},
    .check = check,
    .settle = settle,
};
