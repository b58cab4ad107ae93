// SPDX-License-Identifier: MIT
#include "locate/saved.h"

#include "base/grow.h"

#include <stdlib.h>
#include <string.h>

typedef struct loading {
    dj_context *context;
    dj_unpacker *from;
    dj_symbols *symbols;
    dj_located *all;
} loading;

void dj_located_destroy(dj_located *all)
{
    if (!all)
        return;
    for (size_t i = 0; i < all->module_count; i++) {
        free(all->modules[i].path);
        free(all->modules[i].identity);
    }
    for (size_t i = 0; i < all->object_count; i++)
        free(all->objects[i].name);
    for (size_t i = 0; i < all->thread_count; i++)
        free(all->threads[i].name);
    for (size_t i = 0; i < DJ_PLACE_CHUNKS && all->places.chunks[i]; i++)
        free(all->places.chunks[i]);
    free(all->modules);
    free(all->sites);
    free(all->passes);
    free(all->threads);
    free(all->cct);
    free(all->objects);
    free(all->place_offsets);
    free(all);
}

static int number(loading *l, uint64_t *out)
{
    return dj_unpack_number(l->from, l->context, out);
}

static int below(loading *l, uint64_t count, const char *what, uint32_t *out)
{
    uint64_t value = 0;
    int err = count ? dj_unpack_below(l->from, l->context, count - 1, what, &value)
                    : dj_fail(l->context, DJ_ERR_INPUT, "%s does not exist; the file is damaged", what);
    *out = (uint32_t)value;
    return err;
}

// A number that may be DJ_NOWHERE.
static int index_of(loading *l, uint64_t count, const char *what, uint32_t *out)
{
    uint64_t value = 0;
    int err = dj_unpack_below(l->from, l->context, count, what, &value);
    *out = value ? (uint32_t)(value - 1) : DJ_NOWHERE;
    return err;
}

static int flag(loading *l, bool *out)
{
    uint64_t value = 0;
    int err = dj_unpack_below(l->from, l->context, 1, "a flag", &value);
    *out = value;
    return err;
}

static int count_of(loading *l, uint64_t *out)
{
    return dj_unpack_below(l->from, l->context, INT32_MAX, "a number of names", out);
}

// "" represents NULL.
static int text(loading *l, char **out)
{
    bool there;
    int err = flag(l, &there);
    if (!err)
        err = dj_unpack_text(l->from, l->context, out);
    if (!err && !there) {
        free(*out);
        *out = NULL;
    }
    return err;
}

static int load_modules(loading *l)
{
    dj_located *all = l->all;
    uint64_t count = 0;
    size_t capacity = 0;
    int err = count_of(l, &count);
    while (!err && all->module_count < count) {
        err = dj_grow(l->context, "the modules", &all->modules, &capacity, all->module_count + 1,
                      sizeof *all->modules);
        if (err)
            break;
        uint32_t id = (uint32_t)all->module_count++;
        dj_module_id *m = &all->modules[id];
        err = text(l, &m->path);
        if (!err)
            err = dj_unpack_text(l->from, l->context, &m->identity);
        if (!err)
            err = number(l, &m->load);
        if (!err)
            err = number(l, &m->bytes);
        if (!err && m->path)
            err = dj_symbols_add_module(l->symbols, l->context, id, m->path, dj_module_identity(m));
    }
    return err;
}

static int load_sites(loading *l)
{
    dj_located *all = l->all;
    uint64_t count = 0;
    size_t capacity = 0, passes = 0;
    int err = count_of(l, &count);
    while (!err && all->site_count < count) {
        size_t at = all->site_count;
        err = dj_grow(l->context, "the sites", &all->sites, &capacity, at + 1, sizeof *all->sites);
        if (!err)
            err = dj_grow(l->context, "the sites", &all->passes, &passes, at + 1, sizeof *all->passes);
        if (!err)
            err = index_of(l, all->module_count, "a module", &all->sites[at].module);
        if (!err)
            err = number(l, &all->sites[at].offset);
        if (!err)
            err = number(l, &all->passes[at]);
        all->site_count += !err;
    }
    all->pass_count = all->site_count;
    return err;
}

static int load_threads(loading *l)
{
    dj_located *all = l->all;
    uint64_t count = 0;
    size_t capacity = 0;
    int err = count_of(l, &count);
    while (!err && all->thread_count < count) {
        err = dj_grow(l->context, "the threads", &all->threads, &capacity, all->thread_count + 1,
                      sizeof *all->threads);
        if (err)
            break;
        dj_thread_id *thread = &all->threads[all->thread_count++];
        err = number(l, &thread->id);
        if (!err)
            err = dj_unpack_text(l->from, l->context, &thread->name);
    }
    return err;
}

static int changed(loading *l, uint32_t module, const char *name)
{
    const char *path = module < l->all->module_count ? l->all->modules[module].path : NULL;
    return dj_fail(l->context, DJ_ERR_INPUT,
                   "names come from the files of the program, but '%.200s' in %s is not as it was when the "
                   "part was analyzed; join where the same files are present",
                   name, path ? path : "it");
}

static int load_function(loading *l, uint32_t *out)
{
    bool there;
    uint32_t module = 0;
    uint64_t lo = 0;
    char *name = NULL;
    *out = 0;
    int err = flag(l, &there);
    if (err || !there)
        return err;
    err = below(l, l->all->module_count, "a module", &module);
    if (!err)
        err = number(l, &lo);
    if (!err)
        err = dj_unpack_text(l->from, l->context, &name);
    if (!err) {
        *out = dj_symbols_function(l->symbols, module, lo);
        if (!*out || strcmp(dj_symbols_function_info(l->symbols, *out)->name, name) != 0)
            err = changed(l, module, name);
    }
    free(name);
    return err;
}

static int load_contexts(loading *l)
{
    dj_located *all = l->all;
    uint64_t count = 0;
    size_t capacity = 0;
    int err = count_of(l, &count);
    while (!err && all->cct_count < count) {
        err = dj_grow(l->context, "the calling contexts", &all->cct, &capacity, all->cct_count + 1,
                      sizeof *all->cct);
        if (err)
            break;
        dj_cct_id *id = &all->cct[all->cct_count];
        err = index_of(l, all->cct_count, "a calling context", &id->parent);
        if (!err)
            err = below(l, all->thread_count, "a thread", &id->thread);
        if (!err)
            err = index_of(l, all->site_count, "a site", &id->call_site);
        if (!err)
            err = load_function(l, &id->function);
        if (!err)
            err = flag(l, &id->recursive);
        if (!err)
            err = number(l, &id->calls);
        all->cct_count += !err;
    }
    return err ? err : number(l, &all->cct_rare);
}

static int find_variable(loading *l, dj_object_id *o, const char *name)
{
    dj_extent extent = {0};
    bool found = false;
    if (o->kind == DJ_OBJECT_GLOBAL)
        found = dj_symbols_global(l->symbols, o->module, (uint64_t)o->at, &extent);
    else if (o->kind == DJ_OBJECT_LOCAL && o->function)
        found = dj_symbols_local(l->symbols, o->function, o->pc, o->at, &extent);
    else
        return DJ_OK;
    if (!found || strcmp(dj_symbols_variable_info(l->symbols, extent.variable)->name, name) != 0)
        return changed(l, o->kind == DJ_OBJECT_GLOBAL ? o->module : DJ_NOWHERE, name);
    o->variable = extent.variable;
    return DJ_OK;
}

static int load_where(loading *l, dj_object_id *o)
{
    uint64_t kind = 0, at = 0;
    char *name = NULL;
    int err = dj_unpack_below(l->from, l->context, DJ_OBJECT_MODULE, "a kind of object", &kind);
    o->kind = (enum dj_object_kind)kind;
    if (!err)
        err = load_function(l, &o->function);
    if (!err && (o->kind == DJ_OBJECT_GLOBAL || o->kind == DJ_OBJECT_MODULE))
        err = below(l, l->all->module_count, "a module", &o->module);
    if (!err)
        err = number(l, &at);
    o->at = (int64_t)at;
    if (!err)
        err = number(l, &o->pc);
    if (!err)
        err = dj_unpack_text(l->from, l->context, &name);
    if (!err)
        err = find_variable(l, o, name);
    if (!err && o->kind == DJ_OBJECT_MODULE && !l->all->modules[o->module].path)
        err = dj_fail(l->context, DJ_ERR_INPUT, "a module has no name; the file is damaged");
    free(name);
    return err;
}

static int load_objects(loading *l)
{
    dj_located *all = l->all;
    uint64_t count = 0;
    size_t capacity = 0;
    int err = count_of(l, &count);
    while (!err && all->object_count < count) {
        err = dj_grow(l->context, "the data objects", &all->objects, &capacity, all->object_count + 1,
                      sizeof *all->objects);
        if (err)
            break;
        dj_object_id *o = &all->objects[all->object_count++];
        err = load_where(l, o);
        if (!err)
            err = below(l, all->cct_count, "a calling context", &o->cct_node);
        if (!err)
            err = index_of(l, all->site_count, "a site", &o->site);
        if (!err)
            err = number(l, &o->bytes);
        if (!err)
            err = number(l, &o->blocks);
        if (!err)
            err = flag(l, &o->in_heap);
        if (!err)
            err = text(l, &o->name);
    }
    return err;
}

static int load_places(loading *l)
{
    dj_located *all = l->all;
    uint64_t count = 0;
    size_t capacity = 0;
    int err = dj_unpack_below(l->from, l->context, (uint64_t)DJ_PLACE_CHUNK * DJ_PLACE_CHUNKS,
                              "the number of places", &count);
    while (!err && all->places.count < count) {
        uint32_t at = all->places.count;
        dj_place **chunk = &all->places.chunks[at / DJ_PLACE_CHUNK];
        err = dj_grow(l->context, "the places", &all->place_offsets, &capacity, (size_t)at + 1,
                      sizeof *all->place_offsets);
        if (!err && !*chunk && !(*chunk = malloc(DJ_PLACE_CHUNK * sizeof **chunk)))
            err = dj_fail_memory(l->context, "the places", DJ_PLACE_CHUNK * sizeof **chunk);
        if (err)
            break;
        dj_place *place = &(*chunk)[at % DJ_PLACE_CHUNK];
        err = below(l, all->site_count, "a site", &place->site);
        if (!err)
            err = below(l, all->cct_count, "a calling context", &place->cct_node);
        if (!err)
            err = below(l, all->object_count, "an object", &place->object);
        if (!err)
            err = below(l, all->thread_count, "a thread", &place->thread);
        if (!err)
            err = number(l, &all->place_offsets[at]);
        all->places.count += !err;
    }
    return err;
}

int dj_located_load(dj_context *context, dj_unpacker *from, dj_symbols *symbols, dj_located **out)
{
    loading l = {context, from, symbols, calloc(1, sizeof *l.all)};
    if (!l.all)
        return dj_fail_memory(context, "the names", sizeof *l.all);
    int err = load_modules(&l);
    if (!err)
        err = load_sites(&l);
    if (!err)
        err = load_threads(&l);
    if (!err)
        err = load_contexts(&l);
    if (!err)
        err = load_objects(&l);
    if (!err)
        err = load_places(&l);
    if (err)
        dj_located_destroy(l.all);
    else
        *out = l.all;
    return err;
}
