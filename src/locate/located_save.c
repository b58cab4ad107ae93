// SPDX-License-Identifier: MIT
#include "locate/saved.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

static const char *path_of(const dj_located *all, uint32_t module)
{
    return module < all->module_count && all->modules[module].path ? all->modules[module].path : "";
}

static uint64_t hash_text(const char *text, uint64_t seed)
{
    return XXH3_64bits_withSeed(text, strlen(text), seed);
}

static uint64_t hash_number(uint64_t number, uint64_t seed)
{
    return XXH3_64bits_withSeed(&number, sizeof number, seed);
}

static uint64_t site_identity(const dj_located *all, uint32_t site)
{
    if (site >= all->site_count)
        return 0;
    return hash_number(all->sites[site].offset, hash_text(path_of(all, all->sites[site].module), 0));
}

static uint64_t object_identity(const dj_located *all, const dj_object_id *o)
{
    uint64_t hash = hash_number(o->kind, hash_text(o->name ? o->name : "", 0));
    if (o->kind == DJ_OBJECT_GLOBAL || o->kind == DJ_OBJECT_MODULE)
        hash = hash_text(path_of(all, o->module), hash);
    if (o->kind == DJ_OBJECT_HEAP || o->kind == DJ_OBJECT_MAPPED)
        hash = hash_number(site_identity(all, o->site), hash);
    return hash_number(o->pc, hash_number((uint64_t)o->at, hash));
}

int dj_located_identify(dj_context *context, const dj_located *all, dj_place_identities *out)
{
    const size_t counts[DJ_PLACE_PARTS] = {[DJ_PLACE_SITE] = all->site_count,
                                           [DJ_PLACE_CCT_NODE] = all->cct_count,
                                           [DJ_PLACE_OBJECT] = all->object_count,
                                           [DJ_PLACE_THREAD] = all->thread_count};
    *out = (dj_place_identities){0};
    for (unsigned part = 0; part < DJ_PLACE_PARTS; part++) {
        out->part[part].list = malloc((counts[part] + 1) * sizeof(uint64_t));
        if (!out->part[part].list) {
            dj_place_identities_free(out);
            return dj_fail_memory(context, "the places", counts[part] * sizeof(uint64_t));
        }
        out->part[part].count = counts[part];
    }
    uint64_t *contexts = out->part[DJ_PLACE_CCT_NODE].list;
    for (size_t i = 0; i < all->thread_count; i++)
        out->part[DJ_PLACE_THREAD].list[i] = all->threads[i].id;
    for (uint32_t i = 0; i < all->site_count; i++)
        out->part[DJ_PLACE_SITE].list[i] = site_identity(all, i);
    for (size_t i = 0; i < all->cct_count; i++) {
        const dj_cct_id *id = &all->cct[i];
        uint64_t above = id->parent == DJ_NOWHERE ? all->threads[id->thread].id : contexts[id->parent];
        contexts[i] = hash_number(site_identity(all, id->call_site), above);
    }
    for (size_t i = 0; i < all->object_count; i++)
        out->part[DJ_PLACE_OBJECT].list[i] = object_identity(all, &all->objects[i]);
    return DJ_OK;
}

// A number that may be DJ_NOWHERE.
static void save_index(dj_packer *to, uint32_t index)
{
    dj_pack_number(to, index == DJ_NOWHERE ? 0 : (uint64_t)index + 1);
}

static void save_function(dj_packer *to, const dj_symbols *symbols, uint32_t function)
{
    const dj_function_info *info = function ? dj_symbols_function_info(symbols, function) : NULL;
    dj_pack_number(to, info != NULL);
    if (!info)
        return;
    dj_pack_number(to, info->module);
    dj_pack_number(to, info->lo);
    dj_pack_text(to, info->name);
}

static void save_object(dj_packer *to, const dj_symbols *symbols, const dj_object_id *o)
{
    dj_pack_number(to, o->kind);
    save_function(to, symbols, o->function);
    if (o->kind == DJ_OBJECT_GLOBAL || o->kind == DJ_OBJECT_MODULE)
        dj_pack_number(to, o->module);
    dj_pack_number(to, (uint64_t)o->at);
    dj_pack_number(to, o->pc);
    dj_pack_text(to, o->variable ? dj_symbols_variable_info(symbols, o->variable)->name : "");
    dj_pack_number(to, o->cct_node);
    save_index(to, o->site);
    dj_pack_number(to, o->bytes);
    dj_pack_number(to, o->blocks);
    dj_pack_number(to, o->in_heap);
    dj_pack_number(to, o->name != NULL);
    dj_pack_text(to, o->name ? o->name : "");
}

static void save_code(dj_packer *to, const dj_located *all)
{
    dj_pack_number(to, all->module_count);
    for (size_t i = 0; i < all->module_count; i++) {
        const dj_module_id *m = &all->modules[i];
        dj_pack_number(to, m->path != NULL);
        dj_pack_text(to, m->path ? m->path : "");
        dj_pack_text(to, dj_module_identity(m));
        dj_pack_number(to, m->load);
        dj_pack_number(to, m->bytes);
    }
    dj_pack_number(to, all->site_count);
    for (size_t i = 0; i < all->site_count; i++) {
        save_index(to, all->sites[i].module);
        dj_pack_number(to, all->sites[i].offset);
        dj_pack_number(to, i < all->pass_count ? all->passes[i] : 0);
    }
}

void dj_located_save(const dj_located *all, const dj_symbols *symbols, dj_packer *to)
{
    save_code(to, all);
    dj_pack_number(to, all->thread_count);
    for (size_t i = 0; i < all->thread_count; i++) {
        dj_pack_number(to, all->threads[i].id);
        dj_pack_text(to, all->threads[i].name ? all->threads[i].name : "");
    }
    dj_pack_number(to, all->cct_count);
    for (size_t i = 0; i < all->cct_count; i++) {
        const dj_cct_id *id = &all->cct[i];
        save_index(to, id->parent);
        dj_pack_number(to, id->thread);
        save_index(to, id->call_site);
        save_function(to, symbols, id->function);
        dj_pack_number(to, id->recursive);
        dj_pack_number(to, id->calls);
    }
    dj_pack_number(to, all->cct_rare);
    dj_pack_number(to, all->object_count);
    for (size_t i = 0; i < all->object_count; i++)
        save_object(to, symbols, &all->objects[i]);
    dj_pack_number(to, all->places.count);
    for (uint32_t i = 0; i < all->places.count; i++) {
        const dj_place *place = dj_place_get(&all->places, i);
        dj_pack_number(to, place->site);
        dj_pack_number(to, place->cct_node);
        dj_pack_number(to, place->object);
        dj_pack_number(to, place->thread);
        dj_pack_number(to, all->place_offsets[i]);
    }
}
