// SPDX-License-Identifier: MIT
// Random lists of keys and element maps for a profile.
#ifndef DEJA_TESTS_UNIT_ANY_SECTIONS_H
#define DEJA_TESTS_UNIT_ANY_SECTIONS_H

#include <deja/attribution.h>
#include <deja/elements.h>

#include <stdlib.h>

#include "base/random.h"
#include "unit/lane.h"

static dj_histogram *any_histogram(dj_random *random)
{
    dj_histogram *made = NULL;
    assert_int_equal(dj_histogram_create(context, &made), DJ_OK);
    for (uint64_t n = dj_random_below(random, 40); n > 0; n--)
        assert_int_equal(dj_histogram_add(made, context,
                                          dj_random_next(random) >> dj_random_below(random, 64) >> 1,
                                          1 + (dj_random_next(random) >> (20 + dj_random_below(random, 44)))),
                         DJ_OK);
    return made;
}

static void fill_keys(dj_random *random, dj_key_profile *keys)
{
    keys->access_counts = any_histogram(random);
    keys->single_use = dj_random_next(random);
    keys->list_count = (size_t)dj_random_below(random, 9);
    if (keys->list_count == 0)
        return;
    const bool devices = dj_random_below(random, 2);
    keys->offset_count = keys->list_count + 1;
    keys->distance_count = (size_t)dj_random_below(random, 30);
    keys->list_key = calloc(keys->list_count, sizeof(uint64_t));
    keys->list_offset = calloc(keys->offset_count, sizeof(uint64_t));
    keys->list_distances = calloc(keys->distance_count + 1, sizeof(uint64_t));
    keys->device_count = devices ? keys->list_count : 0;
    keys->list_device = devices ? calloc(keys->list_count, sizeof(uint64_t)) : NULL;
    for (size_t i = 0; i < keys->list_count; i++) {
        keys->list_key[i] = dj_random_next(random);
        keys->list_offset[i + 1] = keys->distance_count;
        if (devices)
            keys->list_device[i] = dj_random_below(random, UINT32_MAX);
    }
    for (size_t i = 0; i < keys->distance_count; i++)
        keys->list_distances[i] = dj_random_next(random) >> dj_random_below(random, 64);
}

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

// Places have fewer misses and write-backs from level to level, and add up to the whole.
static void fill_hierarchy(dj_random *random, dj_profile *profile)
{
    dj_attribution *a = dj_profile_attribution(profile);
    dj_hierarchy *h = NULL;
    assert_int_equal(dj_profile_add_section(context, profile, &dj_section_hierarchy, &h), DJ_OK);
    h->level_count = a->cut_count ? a->cut_count : 3;
    assert_true(h->level_count <= DJ_LEVELS_MOST);
    h->levels = calloc(h->level_count, sizeof *h->levels);
    for (size_t k = 0; k < h->level_count; k++) {
        h->levels[k] = (dj_level){.size_blocks = a->cut_count ? a->cuts[k].blocks : 512, .ways = 1};
        h->levels[k].name = strdup(k ? "L2" : "L1");
    }
    for (size_t i = 0; i < a->place_count; i++) {
        dj_tally *tally = &a->places[i].tally;
        uint64_t misses = tally->accesses, writes = tally->writes;
        if (dj_random_below(random, 4) == 0)
            continue;
        assert_int_equal(dj_level_tally_create(context, h->level_count, &tally->levels), DJ_OK);
        for (size_t k = 0; k < h->level_count; k++) {
            dj_level_counts *c = &tally->levels->levels[k];
            misses = c->misses = dj_random_below(random, misses + 1);
            writes = c->writebacks = dj_random_below(random, writes + 1);
            c->cold = c->misses / 3;
            c->conflict = c->misses / 2;
            dj_level_counts_add(&h->levels[k].counts, c);
        }
    }
    for (size_t k = 0; k < h->level_count; k++)
        h->levels[k].capacity = dj_level_capacity(&h->levels[k].counts);
}

static void fill_tlb(dj_random *random, dj_profile *profile)
{
    dj_tlb_profile *t = NULL;
    assert_int_equal(dj_profile_add_section(context, profile, &dj_section_tlb, &t), DJ_OK);
    t->assumed = dj_random_below(random, 2);
    t->count = (size_t)dj_random_below(random, 4);
    t->levels = calloc(t->count + 1, sizeof *t->levels);
    for (size_t i = 0; i < t->count; i++) {
        t->levels[i] = (dj_tlb_level){NULL, dj_random_next(random), dj_random_next(random),
                                      dj_random_below(random, profile->lanes[0].accesses + 1)};
        t->levels[i].name = strdup("L1");
    }
}

#endif
