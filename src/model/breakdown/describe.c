// SPDX-License-Identifier: MIT
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/breakdown/breakdown.h"
#include "model/names.h"

static char *copy(const char *text)
{
    return strdup(text);
}

static char *name_rest(const dj_names *names, enum dj_by by, uint32_t module)
{
    static const char *const alone[DJ_BY_COUNT] = {"(unknown data)",     "(unknown code)",
                                                   "(outside of loops)", "(unknown code)",
                                                   "(unknown context)",  "(unknown thread)"};
    if (!dj_row_is(module, names->a->module_count))
        return copy(alone[by]);
    char *text = NULL;
    int length = asprintf(&text, by == DJ_BY_LINE ? "%s (no line numbers)" : "%s (no symbols)",
                          dj_names_module(names, module));
    return length < 0 ? NULL : text;
}

static void describe_rest(dj_entity *entity, const dj_names *names, enum dj_by by, uint32_t module)
{
    entity->row = DJ_NOWHERE;
    entity->module = dj_row_is(module, names->a->module_count) ? module : DJ_NOWHERE;
    entity->name = name_rest(names, by, entity->module);
}

static void describe_object(dj_entity *entity, const dj_names *names)
{
    const dj_object_row *row = &names->a->objects[entity->row];
    entity->file = row->file;
    entity->line = entity->last_line = row->line;
    entity->name = copy(row->name && *row->name ? row->name : "(unknown data)");
}

static void describe_function(dj_entity *entity, const dj_names *names, uint32_t function)
{
    if (!dj_row_is(function, names->a->function_count))
        return;
    const dj_function_row *row = &names->a->functions[function];
    entity->function = function;
    entity->module = row->module;
    entity->file = row->file;
    entity->line = entity->last_line = row->line;
}

static void describe_loop(dj_entity *entity, const dj_names *names)
{
    const dj_loop_row *row = &names->a->loops[entity->row];
    describe_function(entity, names, row->function);
    entity->file = row->file;
    entity->line = row->first_line;
    entity->last_line = row->last_line > row->first_line ? row->last_line : row->first_line;
    entity->parent = row->parent;
    entity->depth = row->depth;
    entity->iterations = row->iterations;
    entity->name = dj_names_loop(names, entity->row);
}

static void describe_context(dj_entity *entity, const dj_names *names)
{
    const dj_attribution *a = names->a;
    const dj_cct_node *row = &a->cct[entity->row];
    describe_function(entity, names, row->function);
    entity->parent = row->parent < entity->row ? row->parent : DJ_NOWHERE;
    if (entity->parent == DJ_NOWHERE && !dj_row_is(row->function, a->function_count))
        entity->name = dj_names_thread(names, row->thread);
    else
        entity->name = copy(dj_names_function(names, row->function));
}

// `key` of a line is file and line.
static void describe_line(dj_entity *entity, const dj_names *names, uint64_t key)
{
    entity->file = (uint32_t)(key >> 32);
    entity->line = entity->last_line = (uint32_t)key;
    entity->name = dj_names_line(names, entity->file, entity->line);
}

static void describe(dj_entity *entity, const dj_names *names, enum dj_by by, uint64_t key)
{
    entity->row = (uint32_t)key;
    entity->function = entity->module = entity->file = entity->parent = DJ_NOWHERE;
    if (dj_key_is_rest(key))
        describe_rest(entity, names, by, (uint32_t)key);
    else if (by == DJ_BY_OBJECT)
        describe_object(entity, names);
    else if (by == DJ_BY_FUNCTION) {
        describe_function(entity, names, entity->row);
        entity->name = copy(dj_names_function(names, entity->row));
    } else if (by == DJ_BY_LOOP)
        describe_loop(entity, names);
    else if (by == DJ_BY_LINE && dj_key_is_address(key))
        entity->name = dj_names_site(names, entity->row);
    else if (by == DJ_BY_LINE)
        describe_line(entity, names, key);
    else if (by == DJ_BY_CALLING_CONTEXT)
        describe_context(entity, names);
    else
        entity->name = dj_names_thread(names, entity->row);
}

// Takes function and module of each line from its first site.
static int find_sites_of_lines(dj_grouping *groups, dj_context *context)
{
    for (size_t i = 0; i < groups->count; i++)
        groups->entities[i].row = DJ_NOWHERE;
    int err = DJ_OK;
    for (size_t i = 0; i < groups->a->place_count && !err; i++) {
        uint32_t id, site = groups->a->places[i].site;
        uint64_t key = dj_key_of(groups->a, DJ_BY_LINE, site, DJ_NOWHERE, DJ_NOWHERE);
        err = dj_grouping_find(groups, context, key, &id);
        if (err || dj_key_is_rest(key) || groups->entities[id].row <= site)
            continue;
        groups->entities[id].row = site;
        groups->entities[id].function = groups->a->sites[site].function;
        groups->entities[id].module = groups->a->sites[site].module;
    }
    return err;
}

int dj_breakdown_describe(dj_grouping *groups, dj_context *context)
{
    dj_names names;
    int err = dj_names_create(&names, context, groups->a);
    for (size_t i = 0; i < groups->count && !err; i++) {
        describe(&groups->entities[i], &names, groups->by, groups->keys[i]);
        if (!groups->entities[i].name)
            err = dj_fail_memory(context, "a breakdown", 0);
    }
    if (!err && groups->by == DJ_BY_LINE)
        err = find_sites_of_lines(groups, context);
    dj_names_destroy(&names);
    return err;
}
