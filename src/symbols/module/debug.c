// SPDX-License-Identifier: MIT
// Separate debug files: by build id below /usr/lib/debug, or named in .gnu_debuglink, next to the file or
// below /usr/lib/debug. A file matches if it has the same build id or, without one, the checksum in the
// link. (libdw finds supplementary files of dwz on its own.)
#include <elfutils/libdwelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "symbols/module/module.h"

#define DEBUG_FOLDER "/usr/lib/debug"

enum { PATH_CAPACITY = 4096, BUILD_ID_LEAST = 3, BUILD_ID_MOST = 64 };

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
static bool try_file(dj_module *module, const char *path, const GElf_Word *checksum)
{
    dj_elf *debug = &module->debug;
    if (dj_elf_open(debug, path) != DJ_ELF_OPEN)
        return false;
    if (same_build(module->file.elf, debug->elf) || (checksum && same_checksum(debug->elf, *checksum)))
        return true;
    dj_elf_close(debug);
    return false;
}

static bool try_build_id(dj_module *module)
{
    const uint8_t *id = NULL;
    ssize_t bytes = dwelf_elf_gnu_build_id(module->file.elf, (const void **)&id);
    char path[sizeof DEBUG_FOLDER + 32 + 2 * BUILD_ID_MOST];
    if (bytes < BUILD_ID_LEAST || bytes > BUILD_ID_MOST)
        return false;
    int at = snprintf(path, sizeof path, DEBUG_FOLDER "/.build-id/%02x/", id[0]);
    for (ssize_t i = 1; i < bytes; i++)
        at += snprintf(path + at, sizeof path - (size_t)at, "%02x", id[i]);
    snprintf(path + at, sizeof path - (size_t)at, ".debug");
    return try_file(module, path, NULL);
}

static bool try_link(dj_module *module)
{
    static const char *const places[] = {"%s/%s", "%s/.debug/%s", DEBUG_FOLDER "%s/%s"};
    GElf_Word checksum = 0;
    const char *name = dwelf_elf_gnu_debuglink(module->file.elf, &checksum);
    char path[PATH_CAPACITY];
    if (!name || !*name || strchr(name, '/'))
        return false;
    char *folder = realpath(module->path, NULL);
    if (!folder)
        return false;
    bool found = false;
    *strrchr(folder, '/') = 0;
    for (size_t i = 0; !found && i < sizeof places / sizeof *places; i++)
        found = snprintf(path, sizeof path, places[i], folder, name) < PATH_CAPACITY &&
                try_file(module, path, &checksum);
    free(folder);
    return found;
}

void dj_module_find_debug(dj_module *module)
{
    if (has_dwarf(module->file.elf))
        return;
    if (!try_build_id(module))
        try_link(module);
}
