// SPDX-License-Identifier: MIT
#include "model/breakdown/own.h"

#include <stdlib.h>
#include <string.h>

#include "model/breakdown/breakdown.h"
#include "model/names.h"

#define NOBODY (DJ_KEY_REST | DJ_NOWHERE)

typedef struct rule {
    const dj_attribution *a;
    uint32_t executable; // module
    bool *own;           // of each file
    bool any_module;
} rule;

static bool is_below(const char *path, const char *folder)
{
    size_t length = strlen(folder);
    while (length > 1 && folder[length - 1] == '/')
        length--;
    if (strncmp(path, folder, length) != 0)
        return false;
    return path[length] == '/' || path[length] == 0 || folder[length - 1] == '/';
}

static bool is_of_system(const char *path)
{
    static const char *const folders[] = {"/usr/include", "/usr/local/include", "/usr/lib", "/usr/lib64",
                                          "/usr/share"};
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
        if (is_below(path, folders[i]))
            return true;
    return strstr(path, "/lib/gcc/") || strstr(path, "/include/c++/");
}

// That of `main`, or else the first one.
static uint32_t find_executable(const dj_attribution *a)
{
    for (size_t i = 0; i < a->function_count; i++)
        if (a->functions[i].name &&
            (strcmp(a->functions[i].name, "main") == 0 || strcmp(a->functions[i].name, "MAIN__") == 0))
            return a->functions[i].module;
    return 0;
}

static int make_rule(dj_context *context, const dj_attribution *a, const char *folder, rule *out)
{
    *out = (rule){.a = a, .executable = find_executable(a), .any_module = folder != NULL};
    bool any = false;
    out->own = calloc(a->file_count + 1, sizeof *out->own);
    if (!out->own)
        return dj_fail_memory(context, "own lines", a->file_count);
    for (size_t i = 0; i < a->file_count; i++) {
        out->own[i] = folder ? is_below(a->files[i], folder) : !is_of_system(a->files[i]);
        any = any || out->own[i];
    }
    return any || !folder ? DJ_OK
                          : dj_fail(context, DJ_ERR_USAGE,
                                    "--own: no code of the profile is in a file below '%s'; name a folder "
                                    "that contains the sources of the program",
                                    folder);
}

static uint64_t key_of_line(const rule *r, uint32_t module, uint32_t file, uint32_t line)
{
    const bool own = dj_row_is(file, r->a->file_count) && line > 0 && r->own[file] &&
                     (r->any_module || module == r->executable);
    return own ? (uint64_t)file << 32 | line : NOBODY;
}

// The innermost own line of an instruction and the calls inlined around it.
static uint64_t key_of_site(const rule *r, uint32_t site)
{
    if (!dj_row_is(site, r->a->site_count))
        return NOBODY;
    const dj_site_row *row = &r->a->sites[site];
    uint64_t key = key_of_line(r, row->module, row->file, row->line);
    unsigned depth = 0;
    for (uint32_t at = row->inlined;
         key == NOBODY && dj_row_is(at, r->a->inlined_count) && depth++ < DJ_NEST_MOST;
         at = r->a->inlined[at].inlined)
        key = key_of_line(r, row->module, r->a->inlined[at].file, r->a->inlined[at].line);
    return key;
}

// For each calling context, the innermost own line among its calls. Parents precede their children.
static uint64_t *find_callers(const rule *r)
{
    uint64_t *keys = calloc(r->a->cct_count + 1, sizeof *keys);
    for (uint32_t i = 0; keys && i < r->a->cct_count; i++) {
        const dj_cct_node *node = &r->a->cct[i];
        keys[i] = key_of_site(r, node->call_site);
        if (keys[i] == NOBODY && node->parent < i)
            keys[i] = keys[node->parent];
    }
    return keys;
}

static int add_places(dj_grouping *groups, dj_context *context, const rule *r, const uint64_t *callers,
                      dj_tally *total)
{
    int err = DJ_OK;
    for (size_t i = 0; i < r->a->place_count && !err; i++) {
        const dj_place_row *place = &r->a->places[i];
        uint64_t key = key_of_site(r, place->site);
        uint32_t id;
        if (key == NOBODY && dj_row_is(place->cct_node, r->a->cct_count))
            key = callers[place->cct_node];
        err = dj_grouping_find(groups, context, key, &id);
        if (!err)
            err = dj_tally_add(&groups->entities[id].exclusive, context, &place->tally);
        if (!err)
            err = dj_tally_add(total, context, &place->tally);
    }
    return err;
}

static int describe(dj_grouping *groups, dj_context *context)
{
    dj_names names;
    int err = dj_names_create(&names, context, groups->a);
    for (size_t i = 0; i < groups->count && !err; i++) {
        dj_entity *entity = &groups->entities[i];
        const bool rest = groups->keys[i] == NOBODY;
        entity->row = entity->function = entity->module = DJ_NOWHERE;
        entity->file = rest ? DJ_NOWHERE : (uint32_t)(groups->keys[i] >> 32);
        entity->line = entity->last_line = rest ? 0 : (uint32_t)groups->keys[i];
        entity->name = rest ? strdup("(no own line)") : dj_names_line(&names, entity->file, entity->line);
        if (!entity->name)
            err = dj_fail_memory(context, "own lines", 0);
    }
    dj_names_destroy(&names);
    return err;
}

static int compare(const void *left, const void *right)
{
    const dj_entity *a = left, *b = right;
    if (a->file != b->file)
        return a->file < b->file ? -1 : 1; // DJ_NOWHERE is the greatest
    return (a->line > b->line) - (a->line < b->line);
}

static int count_misses(dj_breakdown *b, dj_context *context, const dj_attribution *a)
{
    uint64_t *at = b->miss_table = calloc((b->count + 1) * a->cut_count + 1, sizeof *at);
    if (!at)
        return dj_fail_memory(context, "own lines", b->count * a->cut_count * sizeof *at);
    b->total_misses = at;
    dj_tally_cuts(&b->total, a, at);
    for (size_t i = 0; i < b->count; i++) {
        dj_tally_cuts(&b->entities[i].exclusive, a, at += a->cut_count);
        b->entities[i].misses = at;
    }
    return DJ_OK;
}

static int build(dj_grouping *groups, dj_context *context, const rule *r, dj_breakdown *b)
{
    uint64_t *callers = find_callers(r);
    int err = callers ? add_places(groups, context, r, callers, &b->total)
                      : dj_fail_memory(context, "own lines", r->a->cct_count * sizeof *callers);
    free(callers);
    if (!err)
        err = describe(groups, context);
    if (err)
        return err;
    b->entities = groups->entities;
    b->count = groups->count;
    groups->entities = NULL;
    if (b->count > 0)
        qsort(b->entities, b->count, sizeof *b->entities, compare);
    err = count_misses(b, context, r->a);
    if (!err)
        b->sort_cut = dj_breakdown_sort_cut(b, r->a);
    return err;
}

int dj_own_create(dj_context *context, const dj_attribution *a, const char *folder, dj_breakdown **out)
{
    dj_grouping groups = {0};
    rule r = {0};
    dj_breakdown *b = calloc(1, sizeof *b);
    if (!b)
        return dj_fail_memory(context, "own lines", sizeof *b);
    b->by = DJ_BY_LINE;
    int err = make_rule(context, a, folder, &r);
    if (!err)
        err = dj_grouping_create(&groups, context, a, DJ_BY_LINE);
    if (!err)
        err = build(&groups, context, &r, b);
    dj_grouping_destroy(&groups);
    free(r.own);
    if (err) {
        dj_breakdown_destroy(b);
        return err;
    }
    *out = b;
    return DJ_OK;
}

const dj_entity *dj_own_find(const dj_breakdown *own, const dj_entity *entity)
{
    if (entity->file == DJ_NOWHERE || entity->line == 0 || own->count == 0)
        return NULL;
    return bsearch(entity, own->entities, own->count, sizeof *own->entities, compare);
}
