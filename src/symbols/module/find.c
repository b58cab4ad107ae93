// SPDX-License-Identifier: MIT
// The file of a module. Nothing of a file is used unless it is of the build that was loaded.
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "base/identity.h"
#include "symbols/module/module.h"

// What a file is to a module: DJ_MODULE_FOUND and DJ_MODULE_UNVERIFIED leave it open.
static enum dj_module_state try_file(dj_module *module, const char *path)
{
    struct stat status;
    if (stat(path, &status) != 0)
        return errno == ENOENT || errno == ENOTDIR ? DJ_MODULE_MISSING : DJ_MODULE_UNREADABLE;
    if (dj_elf_open(&module->file, path) != DJ_ELF_OPEN)
        return DJ_MODULE_UNREADABLE;
    size_t bytes = 0;
    const char *data = elf_rawfile(module->file.elf, &bytes);
    const dj_elf_bytes file = {.data = (const uint8_t *)data, .bytes = bytes};
    enum dj_module_state state = DJ_MODULE_UNVERIFIED;
    dj_identity identity;
    if (!data || !dj_elf_has_segments(module->file.elf)) {
        state = DJ_MODULE_UNREADABLE;
    } else if (module->identity[0]) {
        dj_identity_read(&file, &identity);
        state = strcmp(identity.text, module->identity) == 0 ? DJ_MODULE_FOUND : DJ_MODULE_STALE;
    }
    if (state != DJ_MODULE_FOUND && state != DJ_MODULE_UNVERIFIED)
        dj_elf_close(&module->file);
    return state;
}

void dj_module_find_file(const dj_symbols *symbols, dj_module *module)
{
    (void)symbols;
    module->state = module->path[0] == '[' ? DJ_MODULE_NO_FILE : try_file(module, module->path);
}
