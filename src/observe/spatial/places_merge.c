// SPDX-License-Identifier: MIT
// Merges parts of a trace: all state of observer `spatial-places` is sums.
#include "base/grow.h"
#include "base/pack.h"
#include "observe/observers.h"
#include "observe/spatial/places.h"

#include <deja/observer_options.h>

#include <stdlib.h>
#include <string.h>

enum { CACHES_MOST = 64 };

static int merge_far(const dj_spatial_places *s, dj_context *context, dj_spatial_counts *to,
                     const dj_spatial_counts *from)
{
    if (from->caches && !to->caches && !(to->caches = calloc(s->cache_count, sizeof *to->caches)))
        return dj_fail_memory(context, "the spatial locality of a place", 0);
    return dj_spatial_counts_add(to, context, from, from->caches ? s->cache_count : 0);
}

int dj_spatial_places_merge(void *state, dj_context *context, const void *other, uint64_t position)
{
    (void)position;
    dj_spatial_places *s = state;
    const dj_spatial_places *o = other;
    size_t cuts = (s->pair_count + 1) * s->cache_count;
    if (s->pair_count != o->pair_count || s->cache_count != o->cache_count ||
        (cuts > 0 && memcmp(s->cuts, o->cuts, cuts * sizeof *s->cuts) != 0))
        return dj_fail(context, DJ_ERR_INPUT, "the caches of the parts differ");
    int err = dj_grow(context, "the spatial locality of places", &s->cells, &s->cell_count, o->cell_count,
                      sizeof *s->cells);
    for (size_t i = 0; !err && i < o->cell_count; i++) {
        for (unsigned bin = 0; bin <= DJ_SPATIAL_NEAR; bin++)
            s->cells[i].near[bin] += o->cells[i].near[bin];
        err = merge_far(s, context, &s->cells[i].far, &o->cells[i].far);
    }
    return err;
}

static void save_count(dj_packer *to, const dj_spatial_count *count)
{
    dj_pack_number(to, count->reuses);
    dj_pack_number(to, count->effective);
}

int dj_spatial_places_save(const void *state, dj_context *context, dj_packer *to)
{
    (void)context;
    const dj_spatial_places *s = state;
    dj_pack_number(to, s->cache_count);
    for (size_t i = 0; i < s->cache_count; i++)
        dj_pack_number(to, s->cache_bytes[i]);
    dj_pack_number(to, s->cell_count);
    for (size_t i = 0; i < s->cell_count; i++) {
        const dj_spatial_cell *cell = &s->cells[i];
        for (unsigned bin = 0; bin <= DJ_SPATIAL_NEAR; bin++)
            dj_pack_number(to, cell->near[bin]);
        dj_pack_number(to, cell->far.bin_first);
        dj_pack_number(to, cell->far.bin_count);
        for (uint32_t k = 0; k < cell->far.bin_count; k++)
            save_count(to, &cell->far.bins[k]);
        dj_pack_number(to, cell->far.caches != NULL);
        for (size_t k = 0; cell->far.caches && k < s->cache_count; k++) {
            save_count(to, &cell->far.caches[k].own);
            save_count(to, &cell->far.caches[k].all);
        }
    }
    return DJ_OK;
}

static int load_count(dj_context *context, dj_unpacker *from, dj_spatial_count *count)
{
    int err = dj_unpack_number(from, context, &count->reuses);
    return err ? err : dj_unpack_number(from, context, &count->effective);
}

static int load_far(dj_context *context, dj_unpacker *from, size_t cache_count, dj_spatial_counts *far)
{
    uint64_t first = 0, count = 0, caches = 0;
    int err = dj_unpack_below(from, context, DJ_SPATIAL_BINS, "the first bin of a place", &first);
    if (!err)
        err = dj_unpack_below(from, context, DJ_SPATIAL_BINS - first, "the bins of a place", &count);
    if (!err && count > 0)
        err = dj_spatial_counts_widen(far, context, (uint32_t)first, (uint32_t)(first + count));
    for (uint64_t k = 0; !err && k < count; k++)
        err = load_count(context, from, &far->bins[k]);
    if (!err)
        err = dj_unpack_below(from, context, cache_count > 0, "a flag", &caches);
    if (!err && caches && !(far->caches = calloc(cache_count + 1, sizeof *far->caches)))
        err = dj_fail_memory(context, "the spatial locality of a place", 0);
    for (size_t k = 0; !err && caches && k < cache_count; k++) {
        err = load_count(context, from, &far->caches[k].own);
        if (!err)
            err = load_count(context, from, &far->caches[k].all);
    }
    return err;
}

static int load_cells(dj_context *context, dj_unpacker *from, dj_spatial_places *s)
{
    uint64_t count = 0;
    int err = dj_unpack_number(from, context, &count);
    for (uint64_t i = 0; !err && i < count; i++) {
        err = dj_grow(context, "the spatial locality of places", &s->cells, &s->cell_count, (size_t)i + 1,
                      sizeof *s->cells);
        for (unsigned bin = 0; !err && bin <= DJ_SPATIAL_NEAR; bin++)
            err = dj_unpack_number(from, context, &s->cells[i].near[bin]);
        if (!err)
            err = load_far(context, from, s->cache_count, &s->cells[i].far);
    }
    return err;
}

int dj_spatial_places_load(dj_context *context, const dj_setup *setup, dj_unpacker *from, void **state)
{
    dj_spatial_cache_size caches[CACHES_MOST] = {0};
    dj_spatial_options options = {.caches = caches};
    dj_setup own = *setup;
    uint64_t count = 0;
    void *made = NULL;
    own.options = &options;
    int err = dj_unpack_below(from, context, CACHES_MOST, "the number of caches", &count);
    for (; !err && options.cache_count < count; options.cache_count++) {
        caches[options.cache_count].name = (char *)"a cache";
        err = dj_unpack_number(from, context, &caches[options.cache_count].bytes);
    }
    if (!err)
        err = dj_observer_spatial_places.create(context, &own, &made);
    if (!err)
        err = load_cells(context, from, made);
    if (!err)
        *state = made;
    else if (made)
        dj_observer_spatial_places.destroy(made);
    return err;
}
