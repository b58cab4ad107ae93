// SPDX-License-Identifier: MIT
// Names of code: files, functions, loops, lines, inline chains.
#include "base/file.h"
#include "base/grow.h"
#include "base/text.h"
#include "locate/resolve.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

enum { PAGE_BYTES = 4096 };

int dj_resolve_file(dj_resolver *r, dj_context *context, const char *path, uint32_t *file)
{
    bool fresh;
    *file = DJ_NOWHERE;
    if (!path[0])
        return DJ_OK;
    int err = dj_dictionary_value(&r->files, context, XXH3_64bits(path, strlen(path)), file, &fresh);
    if (err || !fresh)
        return err;
    err = dj_grow(context, "the files", &r->out->files, &r->file_capacity, r->out->file_count + 1,
                  sizeof(char *));
    return err ? err : dj_copy_text(context, path, &r->out->files[r->out->file_count++]);
}

// A function has one row, whether it was inlined or not.
static int add_function(dj_resolver *r, dj_context *context, uint32_t module, const char *name,
                        const char *file, uint32_t line, uint32_t *index)
{
    bool fresh;
    uint64_t hash = XXH3_64bits_withSeed(name, strlen(name), module);
    hash = XXH3_64bits_withSeed(file, strlen(file), hash);
    int err = dj_dictionary_value(&r->functions, context, hash, index, &fresh);
    if (err || !fresh)
        return err;
    dj_attribution *a = r->out;
    err = dj_grow(context, "the functions", &a->functions, &r->function_capacity, a->function_count + 1,
                  sizeof *a->functions);
    if (err)
        return err;
    dj_function_row *row = &a->functions[a->function_count++];
    *row = (dj_function_row){.module = module, .line = line, .file = DJ_NOWHERE};
    err = dj_resolve_file(r, context, file, &row->file);
    return err ? err : dj_copy_text(context, name, &row->name);
}

int dj_resolve_function(dj_resolver *r, dj_context *context, uint32_t function, uint32_t *index)
{
    *index = DJ_NOWHERE;
    if (function == 0 || !r->symbols)
        return DJ_OK;
    const dj_function_info *info = dj_symbols_function_info(r->symbols, function);
    return add_function(r, context, info->module, info->name, info->file, info->line, index);
}

static int add_loop(dj_resolver *r, dj_context *context, uint32_t loop, uint32_t *index)
{
    *index = DJ_NOWHERE;
    if (loop == 0)
        return DJ_OK;
    uint32_t *known = dj_triples_at(&r->loops, context, loop, 0, 0);
    if (!known)
        return DJ_ERR_MEMORY;
    if (*known != DJ_TRIPLE_FREE) {
        *index = *known;
        return DJ_OK;
    }
    dj_attribution *a = r->out;
    uint32_t at = *known = (uint32_t)a->loop_count;
    const dj_loop_info *info = dj_symbols_loop_info(r->symbols, loop);
    int err =
        dj_grow(context, "the loops", &a->loops, &r->loop_capacity, a->loop_count + 1, sizeof *a->loops);
    if (err)
        return err;
    a->loop_count++;
    dj_loop_row row = {.depth = info->depth, .first_line = info->first_line, .last_line = info->last_line};
    if (info->inlined)
        err = add_function(r, context, dj_symbols_function_info(r->symbols, info->function)->module,
                           info->inlined, info->file, 0, &row.function);
    else
        err = dj_resolve_function(r, context, info->function, &row.function);
    if (!err)
        err = dj_resolve_file(r, context, info->file, &row.file);
    if (!err)
        err = add_loop(r, context, info->parent, &row.parent);
    a->loops[at] = row;
    *index = at;
    return err;
}

static int add_inlined(dj_resolver *r, dj_context *context, uint32_t module, const dj_code *code,
                       uint32_t frame, uint32_t *index)
{
    *index = DJ_NOWHERE;
    if (frame >= code->frame_count)
        return DJ_OK;
    const dj_code_frame *f = &code->frames[frame];
    dj_inlined_row row = {.line = f->line};
    int err = add_inlined(r, context, module, code, frame + 1, &row.inlined);
    if (!err && frame + 1 == code->frame_count && code->function)
        err = dj_resolve_function(r, context, code->function, &row.function);
    else if (!err)
        err = add_function(r, context, module, f->function, f->file, 0, &row.function);
    if (!err)
        err = dj_resolve_file(r, context, f->file, &row.file);
    if (err)
        return err;
    uint32_t *known = dj_triples_at(&r->inlined, context, row.function, row.line, row.inlined);
    if (!known)
        return DJ_ERR_MEMORY;
    dj_attribution *a = r->out;
    if (*known == DJ_TRIPLE_FREE) {
        *known = (uint32_t)a->inlined_count;
        err = dj_grow(context, "the inlined calls", &a->inlined, &r->inlined_capacity, a->inlined_count + 1,
                      sizeof *a->inlined);
        if (err)
            return err;
        a->inlined[a->inlined_count++] = row;
    }
    *index = *known;
    return DJ_OK;
}

// A block may combine several, each with its own pass.
static int count_latch(dj_resolver *r, dj_context *context, dj_map *blocks, dj_site_id site, uint64_t passes)
{
    uint64_t block;
    uint32_t loop = dj_symbols_latch(r->symbols, site.module, site.offset, &block);
    uint32_t *row = loop ? dj_triples_at(&r->loops, context, loop, 0, 0) : NULL;
    uint64_t *most = row && *row != DJ_TRIPLE_FREE
                         ? dj_map_at(blocks, context, (uint64_t)site.module << 48 ^ block)
                         : NULL;
    if (most && passes > *most) {
        r->out->loops[*row].iterations += passes - *most;
        *most = passes;
    }
    return loop && (!row || (*row != DJ_TRIPLE_FREE && !most)) ? DJ_ERR_MEMORY : DJ_OK;
}

int dj_resolve_iterations(dj_resolver *r, dj_context *context)
{
    dj_footprint footprint = {0};
    dj_map blocks;
    if (!r->symbols || r->located->pass_count == 0)
        return DJ_OK;
    int err = dj_map_create(&blocks, context, &footprint, 0);
    for (size_t i = 0; !err && i < r->located->pass_count && i < r->located->site_count; i++)
        if (r->located->passes[i] && r->located->sites[i].module != DJ_NOWHERE)
            err = count_latch(r, context, &blocks, r->located->sites[i], r->located->passes[i]);
    dj_map_destroy(&blocks);
    return err;
}

// Code in no known function: each page of it counts as one, since a row for each address would make a
// function of every instruction. Code in no file moves from run to run.
static int add_address(dj_resolver *r, dj_context *context, dj_site_id site, uint32_t *index)
{
    const char *path = r->located->modules[site.module].path;
    const char *name = dj_file_name(path ? path : "?");
    char *text = NULL;
    if (name[0] == '[')
        return add_function(r, context, site.module, name, "", 0, index);
    if (asprintf(&text, "0x%" PRIx64 " in %s", site.offset & ~(uint64_t)(PAGE_BYTES - 1), name) < 0)
        return dj_fail_memory(context, "a name", 0);
    int err = add_function(r, context, site.module, text, "", 0, index);
    free(text);
    return err;
}

// `code` is NULL for a site outside of modules.
static int name_site(dj_resolver *r, dj_context *context, dj_site_id site, const dj_code *code,
                     dj_site_row *row)
{
    row->module = site.module;
    row->offset = site.offset;
    row->function = row->file = row->loop = row->inlined = DJ_NOWHERE;
    if (!code)
        return DJ_OK;
    const dj_code_frame *f = &code->frames[0];
    int err;
    row->line = f->line;
    row->chain = code->chain;
    if (code->frame_count == 1 && code->function)
        err = dj_resolve_function(r, context, code->function, &row->function);
    else if (f->function[0])
        err = add_function(r, context, site.module, f->function, f->file, 0, &row->function);
    else
        err = add_address(r, context, site, &row->function);
    if (!err)
        err = dj_resolve_file(r, context, f->file, &row->file);
    if (!err)
        err = add_loop(r, context, code->loop, &row->loop);
    return err ? err : add_inlined(r, context, site.module, code, 1, &row->inlined);
}

static int find_loop(dj_resolver *r, dj_context *context, uint32_t id, uint32_t *row)
{
    dj_code code;
    *row = DJ_NOWHERE;
    if (!r->symbols || id >= r->located->site_count || r->located->sites[id].module == DJ_NOWHERE)
        return DJ_OK;
    const dj_site_id *site = &r->located->sites[id];
    int err = dj_symbols_code(r->symbols, context, site->module, site->offset, &code);
    return err ? err : add_loop(r, context, code.loop, row);
}

int dj_resolve_carriers(dj_resolver *r, dj_context *context)
{
    dj_footprint footprint = {0};
    dj_map rows; // site → row + 1
    int err = dj_map_create(&rows, context, &footprint, 0);
    for (size_t i = 0; !err && i < r->out->pair_count; i++) {
        dj_pair_row *pair = &r->out->pairs[i];
        if (pair->carrier == DJ_NOWHERE)
            continue;
        uint64_t *known = dj_map_at(&rows, context, pair->carrier);
        uint32_t row = DJ_NOWHERE;
        err = known ? DJ_OK : DJ_ERR_MEMORY;
        if (!err && *known == 0) {
            err = find_loop(r, context, pair->carrier, &row);
            *known = (uint64_t)row + 1;
        }
        if (err)
            break;
        pair->carrier = (uint32_t)(*known - 1);
        if (pair->carrier == DJ_NOWHERE)
            pair->carried = DJ_CARRIED_UNKNOWN;
    }
    dj_map_destroy(&rows);
    return err;
}

int dj_resolve_sites(dj_resolver *r, dj_context *context, const uint32_t *ids, size_t count,
                     dj_site_row *const *rows)
{
    dj_code_query queries[DJ_QUERIES_MOST];
    dj_code codes[DJ_QUERIES_MOST];
    size_t asked = 0;
    for (size_t i = 0; r->symbols && i < count; i++) {
        const dj_site_id *site = &r->located->sites[ids[i]];
        if (site->module != DJ_NOWHERE)
            queries[asked++] = (dj_code_query){site->offset, site->module, r->weighty && r->weighty[ids[i]]};
    }
    int err = asked ? dj_symbols_codes(r->symbols, context, queries, asked, codes) : DJ_OK;
    const dj_code *next = codes;
    for (size_t i = 0; !err && i < count; i++) {
        dj_site_id site = r->located->sites[ids[i]];
        err = name_site(r, context, site, r->symbols && site.module != DJ_NOWHERE ? next++ : NULL, rows[i]);
    }
    return err;
}
