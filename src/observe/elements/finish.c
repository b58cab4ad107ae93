// SPDX-License-Identifier: MIT
// From the counts of observer `elements` to its section.
#include "observe/elements/elements.h"

#include <stdlib.h>

static bool is_empty(const dj_object_segment *s)
{
    return s->touches[0] + s->touches[1] == 0;
}

// Segments may be this large without two of them being added up: element size, alignment, or both.
static unsigned element_shift(const dj_object_map *map, uint32_t *used)
{
    uint64_t offsets = 0;
    *used = 0;
    for (uint32_t i = 0; i < map->capacity; i++)
        if (!is_empty(&map->list[i])) {
            offsets |= i;
            ++*used;
        }
    return offsets ? (unsigned)__builtin_ctzll(offsets) : 0;
}

static int copy_map(const dj_object_map *from, dj_context *context, unsigned shift, dj_element_map *to)
{
    uint32_t count = from->capacity;
    while (is_empty(&from->list[count - 1]))
        count--;
    count = ((count - 1) >> shift) + 1;
    to->list = calloc(count, sizeof *to->list);
    if (!to->list)
        return dj_fail_memory(context, "the element maps", count * sizeof *to->list);
    for (uint32_t i = 0; i < count; i++) {
        const dj_object_segment *s = &from->list[i << shift];
        to->list[i] =
            (dj_element_segment){s->touches[0] + s->touches[1], s->far[1], s->far[0], s->touches[1]};
    }
    to->object = from->object;
    to->segment_bytes = UINT64_C(1) << (from->shift + shift);
    to->count = count;
    return DJ_OK;
}

int dj_object_maps_finish(void *state, dj_context *context, dj_profile *profile)
{
    dj_object_maps *s = state;
    dj_element_maps *out = NULL;
    int err = dj_profile_add_section(context, profile, &dj_section_elements, &out);
    if (err)
        return err;
    dj_object_maps_sort(s);
    out->long_from = s->long_from;
    out->left_out = s->dropped_count;
    out->maps = calloc(DJ_ELEMENT_MAPS_MOST, sizeof *out->maps);
    if (!out->maps)
        return dj_fail_memory(context, "the element maps", DJ_ELEMENT_MAPS_MOST * sizeof *out->maps);
    for (size_t i = 0; !err && i < s->count; i++) {
        uint32_t used;
        const unsigned shift = element_shift(s->list[i], &used);
        if (used < 2)
            continue;
        if (out->count == DJ_ELEMENT_MAPS_MOST) {
            out->left_out++;
            continue;
        }
        err = copy_map(s->list[i], context, shift, &out->maps[out->count]);
        out->count += !err;
    }
    return err;
}
