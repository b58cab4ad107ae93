// SPDX-License-Identifier: MIT
// The file of a module. Nothing of a file is used unless it is of the build that was loaded. If the file at
// its path is another one, or none, the folders of --symbols may have the right one, or debuginfod. A debug
// file by itself is better than nothing: it has no code, so loops remain unknown.
#include <elfutils/libdwelf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/identity.h"
#include "symbols/module/module.h"

enum { PATH_CAPACITY = 4096 };

static bool has_build_id(Elf *elf, const char *build)
{
    const uint8_t *id = NULL;
    ssize_t bytes = dwelf_elf_gnu_build_id(elf, (const void **)&id);
    char digits[3];
    if (bytes < DJ_BUILD_ID_LEAST || (size_t)bytes * 2 != strlen(build))
        return false;
    for (ssize_t i = 0; i < bytes; i++) {
        snprintf(digits, sizeof digits, "%02x", id[i]);
        if (memcmp(build + 2 * i, digits, 2) != 0)
            return false;
    }
    return true;
}

// Debug files declare the code, but do not contain it.
static bool has_code(Elf *elf)
{
    for (Elf_Scn *section = NULL; (section = elf_nextscn(elf, section));) {
        GElf_Shdr header;
        if (gelf_getshdr(section, &header) && header.sh_flags & SHF_EXECINSTR)
            return header.sh_type != SHT_NOBITS;
    }
    return true; // without a table of sections
}

// Why the file is of no use, or 0 and its identity.
static int check_file(Elf *elf, dj_identity *identity)
{
    size_t bytes = 0;
    const char *data = elf_rawfile(elf, &bytes);
    if (!data || !dj_elf_has_segments(elf))
        return DJ_ELF_BROKEN;
    if (!has_code(elf))
        return DJ_ELF_CODELESS;
    dj_identity_read(&(dj_elf_bytes){.data = (const uint8_t *)data, .bytes = bytes}, identity);
    return identity->text[0] ? 0 : ENOMEM; // for its hash
}

// What a file is to a module: DJ_MODULE_FOUND and DJ_MODULE_UNVERIFIED leave it open.
static enum dj_module_state open_file(dj_module *module, const char *path)
{
    int why = dj_elf_open(&module->file, path);
    enum dj_module_state state = DJ_MODULE_UNVERIFIED;
    dj_identity identity;
    if (!why)
        why = check_file(module->file.elf, &identity);
    if (why)
        state = why == ENOENT || why == ENOTDIR ? DJ_MODULE_MISSING : DJ_MODULE_UNREADABLE;
    else if (module->identity[0])
        state = strcmp(identity.text, module->identity) == 0 ? DJ_MODULE_FOUND : DJ_MODULE_STALE;
    if (why)
        dj_module_note(module, path, why);
    if (state != DJ_MODULE_FOUND && state != DJ_MODULE_UNVERIFIED)
        dj_elf_close(&module->file);
    return state;
}

static bool keep(dj_module *module, const char *path)
{
    module->found = strdup(path);
    if (module->found)
        return true;
    dj_elf_close(&module->file);
    return false;
}

static bool try_whole(dj_module *module, const char *path)
{
    return open_file(module, path) == DJ_MODULE_FOUND && keep(module, path);
}

static bool try_debug(dj_module *module, const char *path)
{
    const char *build = dj_identity_build_id(module->identity);
    int why = build ? dj_elf_open(&module->file, path) : ENOENT;
    if (why) {
        dj_module_note(module, path, why);
        return false;
    }
    module->only_debug = has_build_id(module->file.elf, build);
    if (module->only_debug)
        return keep(module, path);
    dj_elf_close(&module->file);
    return false;
}

bool dj_try_build_id(dj_module *module, const char *folder, const char *build, bool debug,
                     dj_try_file *try_it)
{
    static const char *const forms[] = {"%s/.build-id/%.2s/%s%s", "%s/%.2s/%s%s"};
    char path[PATH_CAPACITY];
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
        if (snprintf(path, sizeof path, forms[i], folder, build, build + 2, debug ? ".debug" : "") <
                PATH_CAPACITY &&
            try_it(module, path))
            return true;
    return false;
}

// Tries DIR/NAME and DIR/PATH.
static bool try_names(dj_module *module, const char *folder, dj_try_file *try_it)
{
    char path[PATH_CAPACITY];
    return (snprintf(path, sizeof path, "%s/%s", folder, dj_file_name(module->path)) < PATH_CAPACITY &&
            try_it(module, path)) ||
           (snprintf(path, sizeof path, "%s/%s", folder, module->path) < PATH_CAPACITY &&
            try_it(module, path));
}

static bool try_server(dj_module *module, const char *build, bool debug, dj_try_file *try_it)
{
    char *path = dj_debuginfod_find(module->symbols, build, debug);
    bool found = path && try_it(module, path);
    free(path);
    return found;
}

static bool search(dj_module *module)
{
    const dj_symbols *symbols = module->symbols;
    const char *build = dj_identity_build_id(module->identity);
    for (size_t i = 0; i < symbols->folder_count; i++)
        if (try_names(module, symbols->folders[i], try_whole) ||
            (build && dj_try_build_id(module, symbols->folders[i], build, false, try_whole)))
            return true;
    if (!build)
        return false;
    if (try_server(module, build, false, try_whole))
        return true;
    for (size_t i = 0; i < symbols->folder_count; i++)
        if (dj_try_build_id(module, symbols->folders[i], build, true, try_debug) ||
            dj_try_build_id(module, symbols->folders[i], build, false, try_debug) ||
            try_names(module, symbols->folders[i], try_debug))
            return true;
    return dj_try_build_id(module, DJ_DEBUG_FOLDER, build, true, try_debug) ||
           try_server(module, build, true, try_debug);
}

void dj_module_find_file(dj_module *module)
{
    module->state = module->path[0] == '[' ? DJ_MODULE_NO_FILE : open_file(module, module->path);
    bool lost = module->state == DJ_MODULE_MISSING || module->state == DJ_MODULE_UNREADABLE ||
                module->state == DJ_MODULE_STALE;
    if (lost && module->identity[0] && search(module)) {
        module->state = module->only_debug ? DJ_MODULE_CODELESS : DJ_MODULE_FOUND;
        if (!module->only_debug)
            dj_module_forget(module);
    }
}
