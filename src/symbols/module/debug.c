// SPDX-License-Identifier: MIT
// Separate debug files: by build id in the folders of --symbols or below /usr/lib/debug; named in
// .gnu_debuglink, in those folders, next to the file or below /usr/lib/debug; or from debuginfod. A file
// matches if it has the same build id or, without one, the checksum in the link. (libdw finds supplementary
// files of dwz on its own.)
#include <elfutils/libdwelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/identity.h"
#include "symbols/module/module.h"

enum { PATH_CAPACITY = 4096 };

static bool has_section(Elf *elf, const char *name)
{
    size_t names = 0;
    if (elf_getshdrstrndx(elf, &names) != 0)
        return false;
    for (Elf_Scn *section = NULL; (section = elf_nextscn(elf, section));) {
        GElf_Shdr header;
        const char *its = gelf_getshdr(section, &header) && header.sh_type != SHT_NOBITS
                              ? elf_strptr(elf, names, header.sh_name)
                              : NULL;
        if (its && strcmp(its, name) == 0)
            return true;
    }
    return false;
}

static bool has_dwarf(Elf *elf)
{
    return has_section(elf, ".debug_info") || has_section(elf, ".zdebug_info");
}

static bool same_build(Elf *a, Elf *b)
{
    const void *id_a = NULL, *id_b = NULL;
    ssize_t bytes = dwelf_elf_gnu_build_id(a, &id_a);
    return bytes > 0 && dwelf_elf_gnu_build_id(b, &id_b) == bytes && memcmp(id_a, id_b, (size_t)bytes) == 0;
}

static bool same_checksum(Elf *elf, GElf_Word expected)
{
    size_t bytes = 0;
    const char *file = elf_rawfile(elf, &bytes);
    return file && crc32_z(0, (const Bytef *)file, bytes) == expected;
}

// Accepts the file if it belongs to the module.
static bool accept(dj_module *module, const char *path, const GElf_Word *checksum)
{
    dj_elf *debug = &module->debug;
    int why = dj_elf_open(debug, path);
    if (why) {
        dj_module_note(module, path, why);
        return false;
    }
    if (same_build(module->file.elf, debug->elf) || (checksum && same_checksum(debug->elf, *checksum))) {
        dj_module_forget(module);
        return true;
    }
    dj_elf_close(debug);
    return false;
}

static bool try_debug(dj_module *module, const char *path)
{
    return accept(module, path, NULL);
}

static bool try_folders(dj_module *module, const char *name, const GElf_Word *checksum)
{
    const dj_symbols *symbols = module->symbols;
    char path[PATH_CAPACITY];
    for (size_t i = 0; i < symbols->folder_count; i++)
        if (snprintf(path, sizeof path, "%s/%s", symbols->folders[i], name) < PATH_CAPACITY &&
            accept(module, path, checksum))
            return true;
    return false;
}

static bool try_link(dj_module *module)
{
    static const char *const places[] = {"%s/%s", "%s/.debug/%s", DJ_DEBUG_FOLDER "%s/%s"};
    GElf_Word checksum = 0;
    const char *name = dwelf_elf_gnu_debuglink(module->file.elf, &checksum);
    char path[PATH_CAPACITY];
    if (!name || !*name || strchr(name, '/'))
        return false;
    if (try_folders(module, name, &checksum))
        return true;
    char *folder = realpath(module->found ? module->found : module->path, NULL);
    if (!folder)
        return false;
    bool found = false;
    *strrchr(folder, '/') = 0;
    for (size_t i = 0; !found && i < sizeof places / sizeof *places; i++)
        found = snprintf(path, sizeof path, places[i], folder, name) < PATH_CAPACITY &&
                accept(module, path, &checksum);
    free(folder);
    return found;
}

static bool try_build(dj_module *module, const char *build)
{
    const dj_symbols *symbols = module->symbols;
    for (size_t i = 0; i < symbols->folder_count; i++)
        if (dj_try_build_id(module, symbols->folders[i], build, true, try_debug))
            return true;
    return dj_try_build_id(module, DJ_DEBUG_FOLDER, build, true, try_debug);
}

void dj_module_find_debug(dj_module *module)
{
    dj_identity identity;
    size_t bytes = 0;
    const char *data = elf_rawfile(module->file.elf, &bytes);
    if (!data || has_dwarf(module->file.elf))
        return;
    dj_identity_read(&(dj_elf_bytes){.data = (const uint8_t *)data, .bytes = bytes}, &identity);
    const char *build = dj_identity_build_id(identity.text);
    if ((build && try_build(module, build)) || try_link(module) || !build)
        return;
    char *path = dj_debuginfod_find(module->symbols, build, true);
    if (path)
        try_debug(module, path);
    free(path);
}
