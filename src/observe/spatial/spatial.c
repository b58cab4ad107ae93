// SPDX-License-Identifier: MIT
// How each reuse distance changes from one block size to the next, twice as large: the map, the cold row,
// intercepts, and the effect on caches.
#include <stdlib.h>
#include <string.h>

#include "base/pack.h"
#include "observe/counted.h"
#include "observe/observers.h"
#include "observe/spatial/cells.h"
#include "profile/spatial_check.h"

typedef struct spatial {
    dj_spatial_cells *cells;
    dj_counted counted;
} spatial;

static void destroy(void *state)
{
    spatial *s = state;
    if (!s)
        return;
    dj_spatial_cells_destroy(s->cells);
    dj_counted_free(&s->counted);
    free(s);
}

static int create(dj_context *context, const dj_setup *setup, void **state)
{
    spatial *s = calloc(1, sizeof *s);
    if (!s)
        return dj_fail_memory(context, "observer spatial", sizeof *s);
    int err = dj_spatial_cells_create(context, setup, &s->cells);
    if (err)
        destroy(s);
    else
        *state = s;
    return err;
}

static int see(void *state, dj_context *context, const dj_view *view)
{
    spatial *s = state;
    int err = dj_counted_view(&s->counted, context, view, DJ_SELECT_COUNTED, &view);
    if (!err)
        dj_spatial_cells_count(s->cells, view->lanes, 0, view->batch->count);
    return err;
}

static int merge(void *state, dj_context *context, const void *other, uint64_t position)
{
    (void)position;
    dj_spatial_cells *s = ((spatial *)state)->cells;
    const dj_spatial_cells *o = ((const spatial *)other)->cells;
    bool alike = s->cache_count == o->cache_count;
    for (size_t i = 0; alike && i < s->cache_count; i++)
        alike = s->caches[i].bytes == o->caches[i].bytes && strcmp(s->caches[i].name, o->caches[i].name) == 0;
    if (!alike)
        return dj_fail(context, DJ_ERR_INPUT, "the caches of the parts differ");
    for (size_t i = 0; i < dj_spatial_cells_size(s) * DJ_SPATIAL_TURNS; i++)
        s->cells[i] += o->cells[i];
    for (size_t i = 0; i < dj_spatial_cells_sums(s) * DJ_SPATIAL_TURNS; i++)
        s->sums[i] += o->sums[i];
    return DJ_OK;
}

static int save(const void *state, dj_context *context, dj_packer *to)
{
    (void)context;
    const dj_spatial_cells *s = ((const spatial *)state)->cells;
    dj_pack_number(to, s->cache_count);
    for (size_t i = 0; i < s->cache_count; i++) {
        dj_pack_number(to, s->caches[i].bytes);
        dj_pack_text(to, s->caches[i].name);
    }
    for (size_t i = 0; i < dj_spatial_cells_size(s); i++)
        dj_pack_number(to, dj_spatial_all_turns(s->cells + i * DJ_SPATIAL_TURNS));
    for (size_t i = 0; i < dj_spatial_cells_sums(s); i++)
        dj_pack_number(to, dj_spatial_all_turns(s->sums + i * DJ_SPATIAL_TURNS));
    return DJ_OK;
}

static int load_caches(dj_context *context, dj_unpacker *from, dj_spatial_cache_size *caches, size_t *count)
{
    uint64_t end = 0;
    int err = dj_unpack_below(from, context, DJ_SPATIAL_CACHES_MOST, "the number of caches", &end);
    for (*count = 0; !err && *count < end; (*count)++) {
        err = dj_unpack_number(from, context, &caches[*count].bytes);
        if (!err)
            err = dj_unpack_text(from, context, &caches[*count].name);
    }
    return err;
}

static int load(dj_context *context, const dj_setup *setup, dj_unpacker *from, void **state)
{
    dj_spatial_cache_size caches[DJ_SPATIAL_CACHES_MOST] = {{0}};
    dj_spatial_options options = {.caches = caches};
    dj_setup own = *setup;
    own.options = &options;
    int err = load_caches(context, from, caches, &options.cache_count);
    if (!err)
        err = create(context, &own, state);
    for (size_t i = 0; i < options.cache_count; i++)
        free(caches[i].name);
    if (err)
        return err;
    dj_spatial_cells *s = ((spatial *)*state)->cells;
    for (size_t i = 0; !err && i < dj_spatial_cells_size(s); i++)
        err = dj_unpack_number(from, context, &s->cells[i * DJ_SPATIAL_TURNS]);
    for (size_t i = 0; !err && i < dj_spatial_cells_sums(s); i++)
        err = dj_unpack_number(from, context, &s->sums[i * DJ_SPATIAL_TURNS]);
    if (err)
        destroy(*state);
    return err;
}

static int finish(void *state, dj_context *context, dj_profile *profile)
{
    const spatial *s = state;
    dj_spatial *out = NULL;
    int err = dj_spatial_cells_fill(s->cells, context, &out);
    return err ? err : dj_profile_give_section(context, profile, &dj_section_spatial, out);
}

const dj_observer_ops dj_observer_spatial = {
    .name = "spatial",
    .summary = "how reuse distances change when the block size doubles",
    .needs = DJ_NEED_EXACT | DJ_NEED_PER_ACCESS | DJ_NEED_FINER,
    .fills = &dj_section_spatial,
    .create = create,
    .destroy = destroy,
    .see = see,
    .merge = merge,
    .unordered = true,
    .finish = finish,
    .save = save,
    .load = load,
};
