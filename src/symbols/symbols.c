// SPDX-License-Identifier: MIT
#include "symbols/symbols.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/support_dir.h"
#include "base/text.h"
#include "symbols/helper/client.h"
#include "symbols/helper/process.h"
#include "symbols/module/module.h"

enum { MODULES_MOST = 1 << 20, TEXT_MOST = 1 << 14 };

int dj_symbols_add_folder(dj_symbols *symbols, dj_context *context, const char *folder)
{
    int err = dj_grow(context, "symbols", &symbols->folders, &symbols->folder_capacity,
                      symbols->folder_count + 1, sizeof *symbols->folders);
    if (!err)
        err = dj_copy_text(context, folder, &symbols->folders[symbols->folder_count]);
    symbols->folder_count += !err;
    return err;
}

// If there is none, this process does its work, less safely.
static int find_helper(dj_symbols *symbols, dj_context *context)
{
    char *folder = NULL, *path = NULL;
    int found = dj_support_dir_find(symbols->quiet, DJ_HELPER_NAME, &folder);
    if (found == DJ_OK && asprintf(&path, "%s/%s", folder, DJ_HELPER_NAME) < 0) {
        path = NULL;
        found = DJ_ERR_MEMORY;
    }
    int err = found == DJ_ERR_MEMORY ? dj_fail_memory(context, "symbols", 0)
              : found == DJ_OK       ? dj_client_create(context, symbols, path, &symbols->client)
                                     : DJ_OK;
    if (!err && !symbols->client)
        dj_warn(context,
                "%s was not found beside deja; names are read without it, and a damaged object file or lack "
                "of memory can end deja",
                DJ_HELPER_NAME);
    free(folder);
    free(path);
    return err;
}

int dj_symbols_create(dj_context *context, const dj_symbols_options *options, dj_symbols **out)
{
    dj_symbols *symbols = calloc(1, sizeof *symbols);
    *out = NULL;
    if (!symbols)
        return dj_fail_memory(context, "symbols", sizeof *symbols);
    symbols->functions.row_bytes = sizeof(dj_function_info);
    symbols->loops.row_bytes = sizeof(dj_loop_info);
    int err = dj_context_create(&symbols->quiet);
    if (err != DJ_OK)
        err = dj_fail_memory(context, "symbols", 0);
    else
        err = dj_string_pool_create(&symbols->text, context);
    for (size_t i = 0; err == DJ_OK && options && i < options->folder_count; i++)
        err = dj_symbols_add_folder(symbols, context, options->folders[i]);
    if (err == DJ_OK && options && options->helped)
        err = find_helper(symbols, context);
    if (err != DJ_OK) {
        dj_symbols_destroy(symbols);
        return err;
    }
    elf_version(EV_CURRENT);
    *out = symbols;
    return DJ_OK;
}

void dj_symbols_destroy(dj_symbols *symbols)
{
    if (!symbols)
        return;
    dj_client_destroy(symbols->client);
    for (size_t i = 0; i < symbols->module_count; i++) {
        if (symbols->modules[i])
            dj_remote_module_destroy(symbols->modules[i]->remote);
        dj_module_close(symbols->modules[i]);
    }
    free(symbols->modules);
    for (size_t i = 0; i < symbols->folder_count; i++)
        free(symbols->folders[i]);
    free(symbols->folders);
    dj_numbered_free(&symbols->functions);
    dj_numbered_free(&symbols->loops);
    dj_numbered_free(&symbols->variables);
    dj_string_pool_destroy(&symbols->text);
    dj_context_destroy(symbols->quiet);
    free(symbols);
}

static int reserve(dj_symbols *symbols, dj_context *context, uint32_t id)
{
    if (id < symbols->module_count)
        return DJ_OK;
    if (id >= MODULES_MOST)
        return dj_fail(context, DJ_ERR_INPUT, "module number %u: there may be at most %d modules", id,
                       MODULES_MOST);
    size_t count = symbols->module_count ? symbols->module_count : 8;
    while (count <= id)
        count *= 2;
    dj_module **grown = realloc(symbols->modules, count * sizeof(dj_module *));
    if (!grown)
        return dj_fail_memory(context, "the list of modules", count * sizeof(dj_module *));
    memset(grown + symbols->module_count, 0, (count - symbols->module_count) * sizeof(dj_module *));
    symbols->modules = grown;
    symbols->module_count = count;
    return DJ_OK;
}

int dj_symbols_add_module(dj_symbols *symbols, dj_context *context, uint32_t id, const char *path,
                          const char *identity)
{
    int err = reserve(symbols, context, id);
    if (err != DJ_OK)
        return err;
    const dj_module *known = symbols->modules[id];
    if (known && strcmp(known->path, path) == 0 && strcmp(known->identity, identity) == 0)
        return DJ_OK;
    if (known)
        return dj_fail(context, DJ_ERR_INPUT, "module %u was %s and is now %s%s", id, known->path,
                       strcmp(known->path, path) == 0 ? "another build of " : "", path);
    dj_module *module = calloc(1, sizeof *module);
    char *path_copy = strdup(path), *identity_copy = strdup(identity);
    if (!module || !path_copy || !identity_copy) {
        free(module);
        free(path_copy);
        free(identity_copy);
        return dj_fail_memory(context, "a module", 0);
    }
    *module = (dj_module){.id = id,
                          .symbols = symbols,
                          .path = path_copy,
                          .identity = identity_copy,
                          .file.fd = -1,
                          .debug.fd = -1};
    symbols->modules[id] = module;
    if (symbols->client)
        dj_client_start(symbols->client);
    return DJ_OK;
}

const char *dj_symbols_keep(dj_symbols *symbols, const char *string)
{
    size_t length = string ? strnlen(string, TEXT_MOST) : 0, i = 0;
    char *clean = NULL;
    while (i < length && !dj_is_control(string[i]))
        i++;
    if (i < length && (clean = malloc(length))) {
        for (i = 0; i < length; i++)
            clean[i] = dj_is_control(string[i]) ? '?' : string[i];
    }
    if (length == 0 || (i < length && !clean))
        return "";
    const char *kept = dj_string_pool_keep(&symbols->text, symbols->quiet, clean ? clean : string, length);
    free(clean);
    return kept ? kept : "";
}
