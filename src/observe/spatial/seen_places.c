// SPDX-License-Identifier: MIT
#include "observe/spatial/seen_places.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"

enum { KEY_BITS = 32 };

int dj_seen_places_create(dj_seen_places *p, dj_context *context)
{
    return dj_dictionary_create(&p->ids, context);
}

void dj_seen_places_free(dj_seen_places *p)
{
    for (size_t i = 0; i < p->part_capacity; i++)
        dj_spatial_parts_destroy(p->parts[i]);
    dj_dictionary_destroy(&p->ids);
    free(p->sightings);
    free(p->parts);
}

static int add(dj_seen_places *p, dj_context *context, uint32_t place, const dj_spatial_part_key *key)
{
    const uint64_t what = (uint64_t)place << KEY_BITS | dj_spatial_pack_key(key);
    uint32_t id;
    bool fresh;
    int err = dj_dictionary_value(&p->ids, context, what, &id, &fresh);
    if (!err && fresh)
        err = dj_grow(context, "the bursts of places", &p->sightings, &p->sighting_capacity, (size_t)id + 1,
                      sizeof *p->sightings);
    if (err)
        return err;
    if (fresh)
        p->sightings[p->sighting_count++] = (dj_sighting){.what = what};
    p->sightings[id].now += p->sightings[id].now < UINT32_MAX;
    return DJ_OK;
}

static enum dj_spatial_seen seen_of(const dj_seen_access *a, bool effective)
{
    if (a->known)
        return effective ? DJ_SPATIAL_SEEN_EFFECTIVE : DJ_SPATIAL_SEEN_POOR;
    return a->known_there ? DJ_SPATIAL_SEEN_DOUBLE : DJ_SPATIAL_SEEN_NEITHER;
}

// All reuses from a bin on are what ranges are about, so of an unknown distance only the bin at 2b matters,
// and whether it is certainly effective.
static dj_spatial_part_key key_by_bin(unsigned pair, const dj_seen_access *a)
{
    const unsigned here = dj_log2_bin(a->here), there = dj_log2_bin(a->there);
    const bool effective = there + DJ_SPATIAL_STEP <= here;
    dj_spatial_part_key key = {.pair = pair, .seen = seen_of(a, effective)};
    if (a->known)
        key.here = here;
    else if (a->known_there && effective)
        key.here = DJ_SPATIAL_STEP;
    else if (a->known_there)
        key.there = there;
    return key;
}

static unsigned caches_up_to(uint64_t distance, const uint64_t *cuts, size_t count)
{
    unsigned level = 0;
    while (level < count && distance >= cuts[level])
        level++;
    return level;
}

static dj_spatial_part_key key_by_cache(unsigned pair, const dj_seen_access *a, const uint64_t *cuts,
                                        size_t count)
{
    const unsigned here = caches_up_to(a->here, cuts, count),
                   there = caches_up_to(a->there, cuts + count, count);
    dj_spatial_part_key key = {
        .pair = pair, .by_cache = true, .there = there, .seen = seen_of(a, there < here)};
    if (a->known) {
        key.here = here;
        key.there = there < here ? there : here;
    }
    return key;
}

int dj_seen_places_count(dj_seen_places *p, dj_context *context, uint32_t place, unsigned pair,
                         const dj_seen_access *a, const uint64_t *cuts, size_t cache_count)
{
    const dj_spatial_part_key by_bin = key_by_bin(pair, a);
    int err = add(p, context, place, &by_bin);
    if (err || cache_count == 0 || (a->known && a->here < cuts[0]))
        return err;
    const dj_spatial_part_key by_cache = key_by_cache(pair, a, cuts, cache_count);
    return add(p, context, place, &by_cache);
}

void dj_seen_places_advance(dj_seen_places *p)
{
    for (size_t i = 0; i < p->sighting_count; i++) {
        p->sightings[i].before = p->sightings[i].now;
        p->sightings[i].now = 0;
    }
}

static int by_place_and_key(const void *a, const void *b)
{
    const dj_sighting *x = a, *y = b;
    return x->what < y->what ? -1 : x->what > y->what;
}

static int add_to_place(dj_seen_places *p, dj_context *context, uint32_t place, const dj_spatial_parts *parts)
{
    int err = place < p->part_capacity ? DJ_OK
                                       : dj_grow(context, "the bursts of places", &p->parts,
                                                 &p->part_capacity, (size_t)place + 1, sizeof *p->parts);
    return err ? err : dj_spatial_parts_add(&p->parts[place], context, parts);
}

// The list of sightings is sorted. Parts of the group take the place of the sightings of each place.
static int add_all(dj_seen_places *p, dj_context *context, dj_spatial_tally_part *list, unsigned group)
{
    int err = DJ_OK;
    for (size_t i = 0, end; !err && i < p->sighting_count; i = end) {
        const uint32_t place = (uint32_t)(p->sightings[i].what >> KEY_BITS);
        dj_spatial_parts parts = {.list = list};
        for (end = i; end < p->sighting_count && p->sightings[end].what >> KEY_BITS == place; end++) {
            const dj_sighting *s = &p->sightings[end];
            uint32_t count;
            if (__builtin_add_overflow(s->now, s->before, &count))
                count = UINT32_MAX;
            if (count > 0)
                list[parts.count++] = (dj_spatial_tally_part){(uint32_t)s->what | group, count};
        }
        err = add_to_place(p, context, place, &parts);
    }
    return err;
}

int dj_seen_places_end_burst(dj_seen_places *p, dj_context *context, unsigned group)
{
    if (p->sighting_count == 0)
        return DJ_OK;
    dj_spatial_tally_part *list = calloc(p->sighting_count, sizeof *list);
    if (!list)
        return dj_fail_memory(context, "the bursts of places", p->sighting_count * sizeof *list);
    qsort(p->sightings, p->sighting_count, sizeof *p->sightings, by_place_and_key);
    int err = add_all(p, context, list, group);
    free(list);
    p->sighting_count = 0;
    dj_dictionary_destroy(&p->ids);
    return err ? err : dj_dictionary_create(&p->ids, context);
}

int dj_seen_places_fill(const dj_seen_places *p, dj_context *context, dj_attribution *a)
{
    int err = DJ_OK;
    for (size_t i = 0; !err && i < a->place_count && i < p->part_capacity; i++)
        if (a->places[i].tally.spatial)
            err = dj_spatial_parts_add(&a->places[i].tally.spatial->parts, context, p->parts[i]);
    return err;
}
