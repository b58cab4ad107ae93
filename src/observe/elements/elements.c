// SPDX-License-Identifier: MIT
// Which parts of data objects are accessed. Segments begin with one byte; when an object has more than
// DJ_SEGMENTS_MOST of them, neighbours are added up. So counts are exact, however large the object becomes.
// At the end, segments become as large as the elements, as far as offsets show them.
#include "observe/elements/elements.h"

#include "base/grow.h"
#include "observe/counted.h"
#include "observe/observers.h"

#include <deja/observer_options.h>

#include <stdlib.h>
#include <string.h>

static const char what[] = "the element maps";

// Objects without a map: all offsets are below 2 << 63.
static void set_none(dj_object_maps *s)
{
    s->none = (dj_object_map){.object = DJ_NOWHERE, .shift = 63, .capacity = 2, .list = s->unused};
}

static void free_map(dj_object_map *map)
{
    if (map)
        free(map->list);
    free(map);
}

static void destroy(void *state)
{
    dj_object_maps *s = state;
    if (!s)
        return;
    for (size_t i = 0; i < s->count; i++)
        free_map(s->list[i]);
    dj_counted_free(&s->counted);
    dj_map_destroy(&s->of_object);
    free(s->of_place);
    free(s->dropped);
    free(s->objects);
    free(s);
}

static int create(dj_context *context, const dj_setup *setup, void **state)
{
    static const dj_places_options none = {0};
    const dj_places_options *o = setup->options ? setup->options : &none;
    dj_object_maps *s = calloc(1, sizeof *s);
    int err = s ? dj_refuse_partitions(context, setup, "an element map") : dj_fail_memory(context, what, 0);
    if (!err)
        err = dj_map_create(&s->of_object, context, &s->footprint, 0);
    if (err) {
        free(s);
        return err;
    }
    s->table = o->places;
    s->long_from = o->pair_from ? o->pair_from : o->cut_count ? o->cuts[0] : 0;
    set_none(s);
    *state = s;
    return DJ_OK;
}

void dj_object_map_fold(dj_object_map *map, unsigned shift)
{
    if (!map->list) {
        map->shift = shift > map->shift ? shift : map->shift;
        return;
    }
    for (; map->shift < shift; map->shift++) {
        for (uint32_t i = 0; i < map->capacity; i++) {
            const dj_object_segment from = map->list[i];
            if (i % 2 == 0)
                map->list[i / 2] = from;
            else
                dj_object_segment_add(&map->list[i / 2], &from);
        }
        const uint32_t kept = (map->capacity + 1) / 2;
        memset(map->list + kept, 0, (map->capacity - kept) * sizeof *map->list);
    }
}

int dj_object_map_reach(dj_object_map *map, dj_context *context, uint64_t offset)
{
    unsigned shift = map->shift;
    while (offset >> shift >= DJ_SEGMENTS_MOST)
        shift++;
    dj_object_map_fold(map, shift);
    const uint64_t needed = (offset >> shift) + 1;
    uint32_t capacity = map->capacity ? map->capacity : 16;
    while (capacity < needed)
        capacity *= 2;
    if (capacity == map->capacity)
        return DJ_OK;
    dj_object_segment *list = realloc(map->list, capacity * sizeof *list);
    if (!list)
        return dj_fail_memory(context, what, capacity * sizeof *list);
    memset(list + map->capacity, 0, (capacity - map->capacity) * sizeof *list);
    map->list = list;
    map->capacity = capacity;
    return DJ_OK;
}

uint64_t dj_object_map_accesses(const dj_object_map *map)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < map->capacity; i++)
        sum += map->list[i].touches[0] + map->list[i].touches[1];
    return sum;
}

static int more_accesses_first(const void *a, const void *b)
{
    const dj_object_map *x = *(dj_object_map *const *)a, *y = *(dj_object_map *const *)b;
    if (x->accesses != y->accesses)
        return x->accesses > y->accesses ? -1 : 1;
    return x->object < y->object ? -1 : 1;
}

void dj_object_maps_sort(dj_object_maps *s)
{
    for (size_t i = 0; i < s->count; i++)
        s->list[i]->accesses = dj_object_map_accesses(s->list[i]);
    if (s->count > 0)
        qsort(s->list, s->count, sizeof *s->list, more_accesses_first);
}

// Its places count in none.
static void forget_map(dj_object_maps *s, dj_object_map *map)
{
    size_t kept = 0;
    for (size_t i = 0; i < s->place_count; i++)
        if (s->of_place[i] == map)
            s->of_place[i] = &s->none;
    for (size_t i = 0; i < s->count; i++)
        if (s->list[i] != map)
            s->list[kept++] = s->list[i];
    s->count = kept;
    free_map(map);
}

int dj_object_maps_drop(dj_object_maps *s, dj_context *context, uint32_t object)
{
    int err =
        dj_grow(context, what, &s->dropped, &s->dropped_capacity, s->dropped_count + 1, sizeof *s->dropped);
    uint64_t *known = err ? NULL : dj_map_at(&s->of_object, context, object);
    if (!known || *known == DJ_OBJECT_DROPPED)
        return known ? DJ_OK : DJ_ERR_MEMORY;
    if (*known)
        forget_map(s, (dj_object_map *)(uintptr_t)*known);
    *known = DJ_OBJECT_DROPPED;
    s->dropped[s->dropped_count++] = object;
    return DJ_OK;
}

static int drop_half(dj_object_maps *s, dj_context *context)
{
    int err = DJ_OK;
    dj_object_maps_sort(s);
    while (!err && s->count > DJ_ELEMENT_MAPS_COUNTED / 2)
        err = dj_object_maps_drop(s, context, s->list[s->count - 1]->object);
    return err;
}

static int add_map(dj_object_maps *s, dj_context *context, uint32_t object)
{
    int err = s->count == DJ_ELEMENT_MAPS_COUNTED ? drop_half(s, context) : DJ_OK;
    dj_object_map *map = err ? NULL : calloc(1, sizeof *map);
    if (!map)
        return err ? err : dj_fail_memory(context, what, sizeof *map);
    uint64_t *known = dj_map_at(&s->of_object, context, object);
    if (!known) {
        free(map);
        return DJ_ERR_MEMORY;
    }
    map->object = object;
    s->list[s->count++] = map;
    *known = (uintptr_t)map;
    return DJ_OK;
}

int dj_object_maps_at(dj_object_maps *s, dj_context *context, uint32_t object, dj_object_map **out)
{
    int err = dj_map_get(&s->of_object, object) ? DJ_OK : add_map(s, context, object);
    const uint64_t known = dj_map_get(&s->of_object, object);
    *out = err || !known || known == DJ_OBJECT_DROPPED ? &s->none : (dj_object_map *)(uintptr_t)known;
    return err;
}

// The first access of a place, or one beyond the map.
static int reach(dj_object_maps *s, dj_context *context, uint32_t place, uint64_t offset)
{
    dj_object_map **map = &s->of_place[place];
    int err = DJ_OK;
    if (*map == &s->fresh)
        err = offset == DJ_NO_OFFSET ? (*map = &s->none, DJ_OK)
                                     : dj_object_maps_at(s, context, s->objects[place], map);
    return err || *map == &s->none || offset == DJ_NO_OFFSET ? err
                                                             : dj_object_map_reach(*map, context, offset);
}

int dj_object_maps_reserve(dj_object_maps *s, dj_context *context, size_t count)
{
    size_t known = s->place_count;
    int err = dj_grow(context, what, &s->objects, &s->objects_capacity, count, sizeof *s->objects);
    if (!err)
        err = dj_grow(context, what, &s->of_place, &s->place_capacity, count, sizeof(dj_object_map *));
    for (; !err && s->place_count < count; s->place_count++)
        s->of_place[s->place_count] = &s->fresh;
    for (; !err && s->table && known < count; known++)
        s->objects[known] = dj_place_get(s->table, (uint32_t)known)->object;
    return err;
}

static int know_places(dj_object_maps *s, dj_context *context, const dj_batch *batch)
{
    uint32_t most = 0;
    for (uint32_t i = 0; i < batch->count; i++)
        most = batch->column.place[i] > most ? batch->column.place[i] : most;
    if (most < s->place_count || batch->count == 0)
        return DJ_OK;
    if (!s->table)
        return dj_fail(context, DJ_ERR_INPUT,
                       "an access refers to a place that does not exist; the file is damaged");
    return dj_object_maps_reserve(s, context, (size_t)most + 1);
}

static int see(void *state, dj_context *context, const dj_view *view)
{
    static const uint8_t reads[DJ_BATCH_CAPACITY];
    dj_object_maps *s = state;
    int err = dj_counted_view(&s->counted, context, view, DJ_SELECT_COUNTED, &view);
    const dj_columns *column = &view->batch->column;
    if (!err && view->batch->count > 0 && (!column->place || !column->offset))
        return dj_fail(context, DJ_ERR_USAGE, "observer elements saw an access without place and offset");
    if (!err)
        err = know_places(s, context, view->batch);
    const uint32_t *place = column->place;
    const uint64_t *offset = column->offset, *distance = view->lanes[0].distance;
    const uint8_t *kind = column->kind ? column->kind : reads;
    const uint64_t long_from = s->long_from;
    dj_object_map **of_place = s->of_place;
    for (uint32_t i = 0; !err && i < view->batch->count; i++) {
        const dj_object_map *map = of_place[place[i]];
        if (__builtin_expect(offset[i] >> map->shift >= map->capacity, 0)) {
            err = reach(s, context, place[i], offset[i]);
            map = of_place[place[i]];
            if (err || offset[i] == DJ_NO_OFFSET)
                continue;
        }
        dj_object_segment *segment = &map->list[offset[i] >> map->shift];
        segment->touches[kind[i] != DJ_KIND_READ]++;
        if (__builtin_expect(distance[i] >= long_from, 0))
            segment->far[distance[i] == DJ_COLD]++;
    }
    return err;
}

const dj_observer_ops dj_observer_elements = {
    .name = "elements",
    .summary = "which parts of data objects are accessed, and how",
    .needs = DJ_NEED_EXACT | DJ_NEED_PER_ACCESS,
    .fills = &dj_section_elements,
    .create = create,
    .destroy = destroy,
    .see = see,
    .merge = dj_object_maps_merge,
    .finish = dj_object_maps_finish,
    .save = dj_object_maps_save,
    .load = dj_object_maps_load,
};
