// SPDX-License-Identifier: MIT
// Random element maps for a profile.
#ifndef DEJA_TESTS_UNIT_ANY_ELEMENTS_H
#define DEJA_TESTS_UNIT_ANY_ELEMENTS_H

#include <deja/attribution.h>
#include <deja/elements.h>

#include <stdlib.h>

#include "base/random.h"
#include "support/context.h"

// Half of the accesses of each object, in some of its segments.
static void fill_elements(dj_random *random, dj_profile *profile)
{
    dj_element_maps *e = NULL;
    const dj_attribution *a = dj_profile_attribution(profile);
    assert_int_equal(dj_profile_add_section(context, profile, &dj_section_elements, &e), DJ_OK);
    e->long_from = dj_random_next(random);
    e->left_out = dj_random_below(random, 3);
    e->maps = calloc(a->object_count + 1, sizeof *e->maps);
    for (uint32_t object = 0; object < a->object_count; object++) {
        uint64_t left = 0;
        for (size_t i = 0; i < a->place_count; i++)
            left += a->places[i].object == object ? a->places[i].tally.accesses : 0;
        dj_element_map *map = &e->maps[e->count++];
        *map =
            (dj_element_map){.object = object, .segment_bytes = UINT64_C(1) << dj_random_below(random, 50)};
        map->count = 1 + (size_t)dj_random_below(random, DJ_SEGMENTS_MOST);
        map->list = calloc(map->count, sizeof *map->list);
        for (size_t i = 0; i < map->count; i++) {
            const uint64_t n = dj_random_below(random, left / 2 + 1), cold = dj_random_below(random, n + 1);
            map->list[i] = (dj_element_segment){n, cold, dj_random_below(random, n - cold + 1),
                                                dj_random_below(random, n + 1)};
            left -= n;
        }
    }
}

#endif
