// SPDX-License-Identifier: MIT
// From numbers to names: what was counted by place gets its functions, lines, loops, contexts and objects;
// what was never accessed is removed.
#include "locate/resolve.h"

#include "base/text.h"
#include "locate/prune.h"

#include <stdlib.h>
#include <string.h>

// The new index of each row that is kept.
typedef struct moves {
    uint32_t *sites, *cct, *objects, *threads, *places;
} moves;

static uint32_t *all_out(size_t count)
{
    uint32_t *list = malloc((count + 1) * sizeof *list);
    if (list)
        memset(list, 0xff, (count + 1) * sizeof *list); // every entry is DJ_NOWHERE
    return list;
}

static void free_moves(moves *m)
{
    free(m->sites);
    free(m->cct);
    free(m->objects);
    free(m->threads);
    free(m->places);
}

static void keep_context(const dj_located *located, moves *m, uint32_t node)
{
    for (; node != DJ_NOWHERE && m->cct[node] == DJ_NOWHERE; node = located->cct[node].parent) {
        const dj_cct_id *id = &located->cct[node];
        m->cct[node] = 0;
        m->threads[id->thread] = 0;
        if (id->call_site < located->site_count)
            m->sites[id->call_site] = 0;
    }
}

// Numbers the marked entries, in their old order.
static uint32_t number(uint32_t *list, size_t count)
{
    uint32_t next = 0;
    for (size_t i = 0; i < count; i++)
        if (list[i] != DJ_NOWHERE)
            list[i] = next++;
    return next;
}

static int choose(dj_context *context, const dj_located *located, const dj_attribution *a, moves *m)
{
    m->sites = all_out(located->site_count);
    m->cct = all_out(located->cct_count);
    m->objects = all_out(located->object_count);
    m->threads = all_out(located->thread_count);
    m->places = all_out(a->place_count);
    if (!m->sites || !m->cct || !m->objects || !m->threads || !m->places)
        return dj_fail_memory(context, "the names", 0);
    for (size_t i = 0; i < a->place_count; i++) {
        const dj_place_row *p = &a->places[i];
        if (p->tally.accesses == 0)
            continue;
        m->places[i] = 0;
        m->sites[p->site] = 0;
        m->objects[p->object] = 0;
        keep_context(located, m, p->cct_node);
    }
    number(m->sites, located->site_count);
    number(m->cct, located->cct_count);
    number(m->objects, located->object_count);
    number(m->threads, located->thread_count);
    number(m->places, a->place_count);
    return DJ_OK;
}

static uint32_t moved(const uint32_t *list, uint32_t id)
{
    return id == DJ_NOWHERE ? DJ_NOWHERE : list[id];
}

// A new array with the kept rows; those that the observer filled in keep their values.
static int move_rows(dj_context *context, void *array, size_t *count, size_t bytes, const uint32_t *list,
                     size_t list_count)
{
    char *old, *fresh = calloc(list_count + 1, bytes);
    if (!fresh)
        return dj_fail_memory(context, "the names", list_count * bytes);
    memcpy(&old, array, sizeof old);
    size_t kept = 0;
    for (size_t i = 0; i < list_count; i++)
        if (list[i] != DJ_NOWHERE) {
            if (i < *count)
                memcpy(fresh + kept * bytes, old + i * bytes, bytes);
            kept++;
        }
    free(old);
    memcpy(array, &fresh, sizeof fresh);
    *count = kept;
    return DJ_OK;
}

static int shrink(dj_context *context, const dj_located *located, const moves *m, dj_attribution *a)
{
    int err = move_rows(context, &a->sites, &a->site_count, sizeof *a->sites, m->sites, located->site_count);
    if (!err)
        err = move_rows(context, &a->cct, &a->cct_count, sizeof *a->cct, m->cct, located->cct_count);
    if (!err)
        err = move_rows(context, &a->objects, &a->object_count, sizeof *a->objects, m->objects,
                        located->object_count);
    if (!err)
        err = move_rows(context, &a->threads, &a->thread_count, sizeof *a->threads, m->threads,
                        located->thread_count);
    if (!err && a->shared_block_count > 0)
        err = move_rows(context, &a->shared_blocks, &a->shared_block_count, sizeof *a->shared_blocks,
                        m->objects, located->object_count);
    size_t places = a->place_count;
    if (!err)
        err = move_rows(context, &a->places, &a->place_count, sizeof *a->places, m->places, places);
    return err;
}

static int name_modules(dj_context *context, dj_resolver *r)
{
    dj_attribution *a = r->out;
    size_t n = r->located->module_count;
    a->modules = calloc(n + 1, sizeof *a->modules);
    if (!a->modules)
        return dj_fail_memory(context, "the modules", n * sizeof *a->modules);
    for (; a->module_count < n; a->module_count++) {
        dj_module_row *row = &a->modules[a->module_count];
        const char *path = r->located->modules[a->module_count].path;
        int err = dj_copy_text(context, path ? path : "", &row->path);
        if (!err)
            err = dj_copy_text(context, dj_module_identity(&r->located->modules[a->module_count]),
                               &row->identity);
        if (err)
            return err;
        if (r->symbols && path) {
            dj_module_info info = dj_symbols_module(r->symbols, (uint32_t)a->module_count);
            err = dj_copy_text(context, info.reason, &row->reason);
            if (err)
                return err;
            row->has_lines = info.has_lines;
            row->has_types = info.has_types;
            row->state = info.state;
        }
    }
    return DJ_OK;
}

// Many at once are faster.
static int name_sites(dj_context *context, dj_resolver *r, const moves *m)
{
    uint32_t ids[DJ_QUERIES_MOST];
    dj_site_row *rows[DJ_QUERIES_MOST];
    size_t count = 0;
    int err = DJ_OK;
    for (size_t i = 0; !err && i < r->located->site_count; i++) {
        if (m->sites[i] == DJ_NOWHERE)
            continue;
        ids[count] = (uint32_t)i;
        rows[count++] = &r->out->sites[m->sites[i]];
        if (count == DJ_QUERIES_MOST) {
            err = dj_resolve_sites(r, context, ids, count, rows);
            count = 0;
        }
    }
    return err ? err : dj_resolve_sites(r, context, ids, count, rows);
}

static int name_elements(dj_context *context, dj_resolver *r, const moves *m, size_t old_places)
{
    for (size_t i = 0; i < old_places; i++) {
        if (m->places[i] == DJ_NOWHERE)
            continue;
        dj_place_row *row = &r->out->places[m->places[i]];
        row->site = m->sites[row->site];
        row->cct_node = m->cct[row->cct_node];
        row->object = m->objects[row->object];
    }
    return dj_resolve_elements(r, context, m->places, old_places);
}

static int name_code(dj_context *context, dj_resolver *r, const moves *m)
{
    dj_attribution *a = r->out;
    int err = name_sites(context, r, m);
    for (size_t i = 0; !err && i < r->located->cct_count; i++) {
        if (m->cct[i] == DJ_NOWHERE)
            continue;
        const dj_cct_id *id = &r->located->cct[i];
        dj_cct_node *row = &a->cct[m->cct[i]];
        row->parent = moved(m->cct, id->parent);
        row->thread = m->threads[id->thread];
        row->call_site = id->call_site < r->located->site_count ? m->sites[id->call_site] : DJ_NOWHERE;
        row->recursive = id->recursive;
        row->calls = id->calls;
        err = dj_resolve_function(r, context, id->function, &row->function);
    }
    for (size_t i = 0; !err && i < r->located->thread_count; i++) {
        if (m->threads[i] == DJ_NOWHERE)
            continue;
        dj_thread_row *row = &a->threads[m->threads[i]];
        const char *name = r->located->threads[i].name;
        row->id = r->located->threads[i].id;
        err = dj_copy_text(context, name ? name : "", &row->name);
    }
    return err;
}

static int name_data(dj_context *context, dj_resolver *r, const moves *m, size_t old_places)
{
    dj_attribution *a = r->out;
    int err = DJ_OK;
    for (size_t i = 0; !err && i < r->located->object_count; i++)
        if (m->objects[i] != DJ_NOWHERE)
            err = dj_resolve_object(r, context, &r->located->objects[i], m->cct, &a->objects[m->objects[i]]);
    if (!err)
        err = name_elements(context, r, m, old_places);
    for (size_t i = 0; i < a->pair_count; i++) {
        a->pairs[i].from = m->places[a->pairs[i].from];
        a->pairs[i].to = m->places[a->pairs[i].to];
    }
    if (!err)
        err = dj_resolve_invalidations(r, context);
    for (size_t i = 0; !err && i < a->invalidation_count; i++) {
        a->invalidations[i].from = m->places[a->invalidations[i].from];
        a->invalidations[i].to = m->places[a->invalidations[i].to];
    }
    return err;
}

static void renumber_objects(const moves *m, const dj_located *located, dj_element_maps *elements)
{
    for (size_t i = 0; elements && i < elements->count; i++) {
        uint32_t *object = &elements->maps[i].object;
        *object = *object < located->object_count ? m->objects[*object] : DJ_NOWHERE;
    }
}

static int give_names(dj_context *context, dj_resolver *r, dj_element_maps *elements)
{
    moves m = {0};
    size_t old_places = r->out->place_count;
    r->out->cct_folded = r->located->cct_rare;
    int err = dj_prune_cct(context, r->located, DJ_CCT_KEPT, r->out);
    if (!err)
        err = choose(context, r->located, r->out, &m);
    if (!err)
        err = shrink(context, r->located, &m, r->out);
    if (!err)
        renumber_objects(&m, r->located, elements);
    if (!err)
        err = name_modules(context, r);
    if (!err)
        err = dj_resolve_weigh(r, context);
    if (!err)
        err = name_code(context, r, &m);
    if (!err)
        err = dj_resolve_iterations(r, context);
    if (!err)
        err = name_data(context, r, &m, old_places);
    if (!err)
        err = dj_resolve_chains(r, context);
    if (!err)
        err = dj_resolve_carriers(r, context);
    if (!err)
        err = dj_merge_pairs(context, NULL, r->out);
    free_moves(&m);
    free(r->weighty);
    return err;
}

int dj_resolve(dj_context *context, const dj_located *located, dj_symbols *symbols,
               dj_attribution *attribution, dj_element_maps *elements)
{
    dj_resolver r = {.located = located, .symbols = symbols, .out = attribution};
    int err = dj_dictionary_create(&r.files, context);
    if (!err)
        err = dj_dictionary_create(&r.functions, context);
    if (!err)
        err = dj_triples_create(&r.loops, context);
    if (!err)
        err = dj_triples_create(&r.inlined, context);
    if (!err)
        err = give_names(context, &r, elements);
    dj_dictionary_destroy(&r.files);
    dj_dictionary_destroy(&r.functions);
    dj_triples_destroy(&r.loops);
    dj_triples_destroy(&r.inlined);
    return err;
}
