// SPDX-License-Identifier: MIT
#include "model/breakdown/grouping.h"

#include "base/grow.h"

#include <stdlib.h>

// Keys below this are rows. Lines are not: their keys have a file.
static size_t count_rows(const dj_attribution *a, enum dj_by by)
{
    switch (by) {
    case DJ_BY_OBJECT:
        return a->object_count;
    case DJ_BY_FUNCTION:
        return a->function_count;
    case DJ_BY_LOOP:
        return a->loop_count;
    case DJ_BY_CALLING_CONTEXT:
        return a->cct_count;
    case DJ_BY_THREAD:
        return a->thread_count;
    default:
        return 0;
    }
}

int dj_grouping_create(dj_grouping *groups, dj_context *context, const dj_attribution *a, enum dj_by by)
{
    *groups = (dj_grouping){.a = a, .by = by, .row_count = count_rows(a, by)};
    groups->rows = calloc(groups->row_count + 1, sizeof *groups->rows);
    if (!groups->rows)
        return dj_fail_memory(context, "a breakdown", groups->row_count * sizeof *groups->rows);
    return dj_map_create(&groups->others, context, &groups->footprint, 0);
}

void dj_grouping_destroy(dj_grouping *groups)
{
    for (size_t i = 0; groups->entities && i < groups->count; i++) {
        free(groups->entities[i].name);
        dj_tally_free(&groups->entities[i].exclusive);
        dj_tally_free(&groups->entities[i].inclusive);
    }
    free(groups->entities);
    free(groups->keys);
    free(groups->around);
    dj_path_free(&groups->path);
    free(groups->rows);
    dj_map_destroy(&groups->others);
}

static int grow(dj_grouping *groups, dj_context *context)
{
    if (groups->count < groups->capacity)
        return DJ_OK;
    size_t capacity = groups->capacity ? 2 * groups->capacity : 64;
    dj_entity *entities = realloc(groups->entities, capacity * sizeof *entities);
    if (entities)
        groups->entities = entities;
    uint64_t *keys = realloc(groups->keys, capacity * sizeof *keys);
    if (keys)
        groups->keys = keys;
    if (!entities || !keys)
        return dj_fail_memory(context, "a breakdown", capacity * (sizeof *entities + sizeof *keys));
    groups->capacity = capacity;
    return DJ_OK;
}

uint32_t dj_grouping_get(const dj_grouping *groups, uint64_t key)
{
    return key < groups->row_count ? groups->rows[key] : (uint32_t)dj_map_get(&groups->others, key);
}

static int add_entity(dj_grouping *groups, dj_context *context, uint64_t key)
{
    int err = groups->count < DJ_NOWHERE ? grow(groups, context) : dj_fail_memory(context, "a breakdown", 0);
    if (err)
        return err;
    if (key < groups->row_count) {
        groups->rows[key] = (uint32_t)groups->count + 1;
    } else {
        uint64_t *at = dj_map_at(&groups->others, context, key);
        if (!at)
            return DJ_ERR_MEMORY;
        *at = groups->count + 1;
    }
    groups->keys[groups->count] = key;
    groups->entities[groups->count++] = (dj_entity){.parent = DJ_NOWHERE};
    return DJ_OK;
}

int dj_grouping_find(dj_grouping *groups, dj_context *context, uint64_t key, uint32_t *id)
{
    uint32_t found = dj_grouping_get(groups, key);
    if (found == 0) {
        int err = add_entity(groups, context, key);
        if (err)
            return err;
        found = (uint32_t)groups->count;
    }
    *id = found - 1;
    return DJ_OK;
}

static uint64_t key_or_rest(uint32_t row, size_t count, uint32_t module)
{
    return dj_row_is(row, count) ? row : DJ_KEY_REST | module;
}

static uint64_t key_of_code(const dj_attribution *a, enum dj_by by, uint32_t site)
{
    if (!dj_row_is(site, a->site_count))
        return DJ_KEY_REST | DJ_NOWHERE;
    const dj_site_row *row = &a->sites[site];
    if (by == DJ_BY_FUNCTION)
        return key_or_rest(row->function, a->function_count, row->module);
    if (by == DJ_BY_LOOP)
        return key_or_rest(row->loop, a->loop_count, DJ_NOWHERE);
    if (dj_row_is(row->file, a->file_count) && row->line > 0)
        return (uint64_t)row->file << 32 | row->line;
    bool lost = dj_row_is(row->module, a->module_count) && dj_module_is_lost(&a->modules[row->module]);
    return lost ? DJ_KEY_ADDRESS | site : DJ_KEY_REST | row->module;
}

uint64_t dj_key_of(const dj_attribution *a, enum dj_by by, uint32_t site, uint32_t row, uint32_t object)
{
    switch (by) {
    case DJ_BY_OBJECT:
        return key_or_rest(object, a->object_count, DJ_NOWHERE);
    case DJ_BY_CALLING_CONTEXT:
        return key_or_rest(row, a->cct_count, DJ_NOWHERE);
    case DJ_BY_THREAD:
        return key_or_rest(dj_row_is(row, a->cct_count) ? a->cct[row].thread : DJ_NOWHERE, a->thread_count,
                           DJ_NOWHERE);
    default:
        return key_of_code(a, by, site);
    }
}

static int add_around(dj_grouping *groups, dj_context *context, uint64_t key)
{
    for (size_t i = 0; i < groups->around_count; i++)
        if (groups->around[i] == key)
            return DJ_OK;
    int err = dj_grow(context, "a calling context", &groups->around, &groups->around_capacity,
                      groups->around_count + 1, sizeof *groups->around);
    if (err)
        return err;
    groups->around[groups->around_count++] = key;
    return DJ_OK;
}

static int add_functions(dj_grouping *groups, dj_context *context, uint32_t site)
{
    uint32_t functions[DJ_NEST_MOST];
    unsigned count = dj_path_functions(groups->a, site, functions);
    int err = DJ_OK;
    for (unsigned i = 0; i < count && !err; i++)
        err = add_around(groups, context, functions[i]);
    return err;
}

static int add_step(dj_grouping *groups, dj_context *context, const dj_step *step)
{
    const dj_attribution *a = groups->a;
    bool frame = step->loop == DJ_NOWHERE;
    if (groups->by == DJ_BY_LOOP)
        return frame ? DJ_OK : add_around(groups, context, step->loop);
    if (!frame)
        return DJ_OK;
    if (groups->by == DJ_BY_CALLING_CONTEXT)
        return add_around(groups, context, step->cct_node);
    const dj_cct_node *row = &a->cct[step->cct_node];
    int err = add_functions(groups, context, row->call_site);
    if (!err && dj_row_is(row->function, a->function_count))
        err = add_around(groups, context, row->function);
    return err;
}

int dj_keys_around_context(dj_grouping *groups, dj_context *context, uint32_t row)
{
    groups->around_count = 0;
    int err = dj_path_find(&groups->path, context, groups->a, row, DJ_NOWHERE);
    for (size_t i = 0; i < groups->path.count && !err; i++)
        err = add_step(groups, context, &groups->path.steps[i]);
    return err;
}

int dj_keys_around_site(dj_grouping *groups, dj_context *context, uint32_t site)
{
    uint32_t rows[DJ_NEST_MOST];
    unsigned count = groups->by == DJ_BY_FUNCTION ? dj_path_functions(groups->a, site, rows)
                     : groups->by == DJ_BY_LOOP   ? dj_path_loops(groups->a, site, rows)
                                                  : 0;
    int err = DJ_OK;
    for (unsigned i = 0; i < count && !err; i++)
        err = add_around(groups, context, rows[i]);
    return err;
}
