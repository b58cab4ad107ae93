// SPDX-License-Identifier: MIT
// Joins the maps of parts of a trace, and saves them in summaries. Observer `places` makes sure that places
// have the same numbers in all parts.
#include "observe/elements/elements.h"

#include "base/grow.h"
#include "base/pack.h"
#include "observe/observers.h"

#include <deja/observer_options.h>

static int refuse(dj_context *context)
{
    return dj_fail(
        context, DJ_ERR_INPUT,
        "the parts do not come from one recording that was read from its beginning in the same way");
}

// All places of a part, also those of accesses that are still pending.
static size_t count_places(const dj_object_maps *s)
{
    return s->table && s->table->count > s->place_count ? s->table->count : s->place_count;
}

static uint32_t object_of(const dj_object_maps *s, size_t place)
{
    return place < s->place_count ? s->objects[place] : dj_place_get(s->table, (uint32_t)place)->object;
}

// Of two parts, the one that knows more places knows those of the other.
static int merge_places(dj_object_maps *s, dj_context *context, const dj_object_maps *o)
{
    const size_t known = s->place_count, count = count_places(o);
    int err = count > known ? dj_object_maps_reserve(s, context, count) : DJ_OK;
    for (size_t i = 0; !err && i < count; i++) {
        if (i < known && s->objects[i] != object_of(o, i))
            return refuse(context);
        s->objects[i] = object_of(o, i);
    }
    return err;
}

static int merge_map(dj_object_maps *s, dj_context *context, const dj_object_map *from)
{
    dj_object_map *to;
    int err = dj_object_maps_at(s, context, from->object, &to);
    if (err || to == &s->none || from->capacity == 0)
        return err;
    const unsigned shift = from->shift;
    dj_object_map_fold(to, shift);
    for (uint32_t i = 0; !err && i < from->capacity; i++) {
        const uint64_t offset = (uint64_t)i << shift;
        const bool empty = from->list[i].touches[0] + from->list[i].touches[1] == 0;
        if (!empty && offset >> to->shift >= to->capacity)
            err = dj_object_map_reach(to, context, offset);
        if (!err && !empty)
            dj_object_segment_add(&to->list[offset >> to->shift], &from->list[i]);
    }
    return err;
}

int dj_object_maps_merge(void *state, dj_context *context, const void *other, uint64_t position)
{
    (void)position;
    dj_object_maps *s = state;
    const dj_object_maps *o = other;
    if (s->long_from != o->long_from)
        return dj_fail(context, DJ_ERR_INPUT, "the caches of the parts differ");
    int err = merge_places(s, context, o);
    for (size_t i = 0; !err && i < o->dropped_count; i++)
        err = dj_object_maps_drop(s, context, o->dropped[i]);
    for (size_t i = 0; !err && i < o->count; i++)
        err = merge_map(s, context, o->list[i]);
    return err;
}

static void save_map(const dj_object_map *map, dj_packer *to)
{
    dj_pack_number(to, map->object);
    dj_pack_number(to, map->shift);
    dj_pack_number(to, map->capacity);
    for (uint32_t i = 0; i < map->capacity; i++) {
        const dj_object_segment *s = &map->list[i];
        dj_pack_number(to, s->touches[0]);
        dj_pack_number(to, s->touches[1]);
        dj_pack_number(to, s->far[0]);
        dj_pack_number(to, s->far[1]);
    }
}

int dj_object_maps_save(const void *state, dj_context *context, dj_packer *to)
{
    (void)context;
    const dj_object_maps *s = state;
    dj_pack_number(to, s->long_from);
    dj_pack_number(to, count_places(s));
    for (size_t i = 0; i < count_places(s); i++)
        dj_pack_number(to, object_of(s, i));
    dj_pack_number(to, s->dropped_count);
    for (size_t i = 0; i < s->dropped_count; i++)
        dj_pack_number(to, s->dropped[i]);
    dj_pack_number(to, s->count);
    for (size_t i = 0; i < s->count; i++)
        save_map(s->list[i], to);
    return DJ_OK;
}

enum { OBJECTS_MOST = 1 << 28 };

static int load_object(dj_context *context, dj_unpacker *from, uint32_t *object)
{
    uint64_t number = 0;
    int err = dj_unpack_below(from, context, OBJECTS_MOST, "an object", &number);
    *object = (uint32_t)number;
    return err;
}

static int load_map(dj_object_maps *s, dj_context *context, dj_unpacker *from)
{
    dj_object_map *map = NULL;
    uint64_t shift = 0, capacity = 0;
    uint32_t object = 0;
    int err = load_object(context, from, &object);
    if (!err)
        err = dj_object_maps_at(s, context, object, &map);
    if (!err && (map == &s->none || map->capacity > 0))
        err = dj_fail(context, DJ_ERR_INPUT, "an object has two element maps; the file is damaged");
    if (!err)
        err = dj_unpack_below(from, context, 63 - 10, "the size of a segment", &shift);
    if (!err)
        err = dj_unpack_below(from, context, DJ_SEGMENTS_MOST, "the number of segments", &capacity);
    if (!err)
        map->shift = (unsigned)shift;
    for (uint64_t i = 0; !err && i < capacity; i++) {
        err = dj_object_map_reach(map, context, i << shift);
        if (err)
            return err;
        uint64_t *const numbers[] = {&map->list[i].touches[0], &map->list[i].touches[1], &map->list[i].far[0],
                                     &map->list[i].far[1]};
        for (size_t k = 0; !err && k < sizeof numbers / sizeof numbers[0]; k++)
            err = dj_unpack_number(from, context, numbers[k]);
    }
    return err;
}

static int load_places(dj_object_maps *s, dj_context *context, dj_unpacker *from)
{
    uint64_t places = 0;
    int err = dj_unpack_below(from, context, (uint64_t)DJ_PLACE_CHUNK * DJ_PLACE_CHUNKS,
                              "the number of places", &places);
    for (uint64_t i = 0; !err && i < places; i++) {
        err = dj_object_maps_reserve(s, context, i + 1);
        if (!err)
            err = load_object(context, from, &s->objects[i]);
    }
    return err;
}

static int load_all(dj_object_maps *s, dj_context *context, dj_unpacker *from)
{
    uint64_t count = 0;
    uint32_t object = 0;
    int err = load_places(s, context, from);
    if (!err)
        err = dj_unpack_below(from, context, OBJECTS_MOST, "the number of objects", &count);
    for (uint64_t i = 0; !err && i < count; i++) {
        err = load_object(context, from, &object);
        if (!err)
            err = dj_object_maps_drop(s, context, object);
    }
    if (!err)
        err = dj_unpack_below(from, context, DJ_ELEMENT_MAPS_COUNTED, "the number of element maps", &count);
    for (uint64_t i = 0; !err && i < count; i++)
        err = load_map(s, context, from);
    return err;
}

int dj_object_maps_load(dj_context *context, const dj_setup *setup, dj_unpacker *from, void **state)
{
    dj_places_options options = {0};
    int err = dj_unpack_number(from, context, &options.pair_from);
    dj_setup own = *setup;
    own.options = &options;
    if (!err)
        err = dj_observer_elements.create(context, &own, state);
    if (err)
        return err;
    err = load_all(*state, context, from);
    if (err)
        dj_observer_elements.destroy(*state);
    return err;
}
