// SPDX-License-Identifier: MIT
#include "measure/names.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/pack.h"
#include "base/text.h"
#include "base/text_stream.h"
#include "locate/saved.h"

// A typing error would look like a folder without the file.
static int check_folder(dj_context *context, const char *folder)
{
    struct stat about;
    int fault = stat(folder, &about) != 0 ? errno : S_ISDIR(about.st_mode) ? 0 : ENOTDIR;
    return fault ? dj_fail(context, DJ_ERR_USAGE, "cannot search %s for symbols: %s", folder, strerror(fault))
                 : DJ_OK;
}

int dj_symbols_create_searching(dj_context *context, const char *folders, bool helped, dj_symbols **out)
{
    if (!folders)
        return dj_symbols_create(context, &(dj_symbols_options){.helped = helped}, out);
    size_t most = 1, count = 0;
    for (const char *at = folders; *at; at++)
        most += *at == ':';
    char *text = strdup(folders), *rest = NULL;
    const char **list = calloc(most, sizeof *list);
    int err = text && list ? DJ_OK : dj_fail_memory(context, "a list of folders", 0);
    for (char *one = err ? NULL : strtok_r(text, ":", &rest); !err && one; one = strtok_r(NULL, ":", &rest)) {
        list[count++] = one;
        err = check_folder(context, one);
    }
    if (!err) {
        const dj_symbols_options options = {.helped = helped, .folders = list, .folder_count = count};
        err = dj_symbols_create(context, &options, out);
    }
    free(list);
    free(text);
    return err;
}

// The requested caches, then everything in the locator's tables.
int dj_names_pack(dj_context *context, const dj_named *named, uint8_t **bytes, size_t *count)
{
    size_t length = 0;
    dj_packer *packer = NULL;
    dj_text_stream to;
    if (!dj_text_stream_open(&to))
        return dj_fail_memory(context, "the names", 0);
    int err = dj_packer_create(context, to.file, &packer);
    if (!err) {
        dj_pack_number(packer, named->cut_count);
        for (size_t i = 0; i < named->cut_count; i++)
            dj_pack_text(packer, named->cuts[i]);
        dj_located_save(named->located, named->symbols, packer);
        err = dj_packer_end(packer, context);
    }
    char *text = dj_text_stream_close(&to, &length);
    if (!text && !err)
        err = dj_fail_memory(context, "the names", 0);
    if (err) {
        free(text);
        return err;
    }
    *bytes = (uint8_t *)text;
    *count = length;
    return DJ_OK;
}

static int unpack_cuts(dj_context *context, dj_unpacker *from, dj_attribution *to)
{
    uint64_t count = 0;
    int err = dj_unpack_number(from, context, &count);
    if (!err && count != to->cut_count)
        err = dj_fail(context, DJ_ERR_INPUT, "the names belong to other caches; the file is damaged");
    for (size_t i = 0; !err && i < to->cut_count; i++) {
        free(to->cuts[i].name);
        to->cuts[i].name = NULL;
        err = dj_unpack_text(from, context, &to->cuts[i].name);
    }
    return err;
}

// The counted and the named places must be the same.
static int check_places(dj_context *context, const dj_located *located, const dj_attribution *a)
{
    bool same = located->places.count == a->place_count && a->site_count <= located->site_count &&
                a->cct_count <= located->cct_count && a->object_count <= located->object_count &&
                a->thread_count <= located->thread_count;
    for (uint32_t i = 0; same && i < located->places.count; i++) {
        const dj_place *place = dj_place_get(&located->places, i);
        const dj_place_row *row = &a->places[i];
        same = place->site == row->site && place->cct_node == row->cct_node && place->object == row->object;
    }
    return same ? DJ_OK
                : dj_fail(context, DJ_ERR_INPUT, "counted and named places differ; the file is damaged");
}

static int assign(dj_context *context, dj_unpacker *from, dj_symbols *symbols, dj_attribution *to,
                  dj_element_maps *elements)
{
    dj_located *located = NULL;
    int err = unpack_cuts(context, from, to);
    if (!err)
        err = dj_located_load(context, from, symbols, &located);
    if (!err)
        err = dj_unpack_end(from, context);
    if (!err)
        err = check_places(context, located, to);
    if (!err)
        err = dj_resolve(context, located, symbols, to, elements);
    if (!err)
        err = dj_attribution_check(context, to);
    for (size_t i = 0; !err && elements && i < elements->count; i++)
        if (elements->maps[i].object >= to->object_count)
            err = dj_fail(context, DJ_ERR_INPUT, "an element map has no object; the file is damaged");
    dj_located_destroy(located);
    return err;
}

int dj_names_check(dj_context *context, const dj_symbols *symbols, dj_profile *profile)
{
    const char *fault = dj_symbols_fault(symbols);
    int err = dj_symbols_check(symbols, context);
    if (err || !fault || profile->provenance.partial)
        return err;
    char *reason = NULL;
    err = dj_copy_text(context, fault, &reason);
    if (err)
        return err;
    free(profile->provenance.partial_reason);
    profile->provenance.partial_reason = reason;
    profile->provenance.partial = true;
    return DJ_OK;
}

int dj_names_assign(dj_context *context, const uint8_t *bytes, size_t count, const char *folders,
                    dj_attribution *to, dj_element_maps *elements)
{
    if (count == 0)
        return dj_fail(context, DJ_ERR_INPUT, "the names of places are missing; the file is damaged");
    FILE *file = fmemopen((void *)bytes, count, "rb");
    if (!file)
        return dj_fail_memory(context, "the names", 0);
    dj_unpacker *from = NULL;
    dj_symbols *symbols = NULL;
    int err = dj_unpacker_create(context, file, &from);
    if (!err)
        err = dj_symbols_create_searching(context, folders, true, &symbols);
    if (!err)
        err = assign(context, from, symbols, to, elements);
    // Without symbols the files seem to have changed.
    if (symbols && dj_symbols_fault(symbols))
        err = dj_fail(context, DJ_ERR_MEMORY, "the names of the program: %s", dj_symbols_fault(symbols));
    else if (!err)
        err = dj_symbols_check(symbols, context);
    dj_symbols_destroy(symbols);
    dj_unpacker_destroy(from);
    fclose(file);
    return err;
}
