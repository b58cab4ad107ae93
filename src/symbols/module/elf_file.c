// SPDX-License-Identifier: MIT
#include "symbols/module/module.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool lies_within(uint64_t offset, uint64_t bytes, uint64_t file_bytes)
{
    return offset <= file_bytes && bytes <= file_bytes - offset;
}

// Whether the file ends after its last section. libelf gives no hint that it does not.
static bool has_sections(Elf *elf, uint64_t file_bytes)
{
    GElf_Ehdr header;
    size_t count = 0;
    if (!gelf_getehdr(elf, &header) || elf_getshdrnum(elf, &count) != 0)
        return false;
    if (header.e_shoff != 0 && !lies_within(header.e_shoff, count * header.e_shentsize, file_bytes))
        return false;
    for (Elf_Scn *section = NULL; (section = elf_nextscn(elf, section));) {
        GElf_Shdr its;
        if (!gelf_getshdr(section, &its) ||
            (its.sh_type != SHT_NOBITS && !lies_within(its.sh_offset, its.sh_size, file_bytes)))
            return false;
    }
    return true;
}

bool dj_elf_has_segments(Elf *elf)
{
    size_t bytes = 0, count = 0;
    GElf_Phdr segment;
    if (!elf_rawfile(elf, &bytes) || elf_getphdrnum(elf, &count) != 0)
        return false;
    for (size_t i = 0; i < count; i++)
        if (!gelf_getphdr(elf, (int)i, &segment) ||
            (segment.p_type == PT_LOAD && !lies_within(segment.p_offset, segment.p_filesz, bytes)))
            return false;
    return true;
}

// elf_rawfile reads the file as a whole. libdw needs the descriptor for relative names of further files.
static int read_file(dj_elf *elf)
{
    struct stat status;
    size_t bytes = 0;
    if (fstat(elf->fd, &status) != 0)
        return errno;
    if (!S_ISREG(status.st_mode))
        return DJ_ELF_IRREGULAR;
    if ((uint64_t)status.st_size > (uint64_t)DJ_ELF_GIB_MOST << 30)
        return DJ_ELF_LARGE;
    errno = 0; // libelf does not say why it failed
    elf->elf = elf_begin(elf->fd, ELF_C_READ, NULL);
    if (elf->elf && elf_kind(elf->elf) == ELF_K_ELF && elf_rawfile(elf->elf, &bytes) &&
        has_sections(elf->elf, bytes))
        return 0;
    return errno ? errno : DJ_ELF_BROKEN;
}

int dj_elf_open(dj_elf *elf, const char *path)
{
    *elf = (dj_elf){.fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)};
    int why = elf->fd < 0 ? errno : read_file(elf);
    if (why)
        dj_elf_close(elf);
    return why;
}

void dj_elf_close(dj_elf *elf)
{
    elf_end(elf->elf);
    if (elf->fd >= 0)
        close(elf->fd);
    *elf = (dj_elf){.fd = -1};
}

static const char *explain(int why)
{
    switch (why) {
    case DJ_ELF_BROKEN:
        return "truncated, or not an ELF file";
    case DJ_ELF_IRREGULAR:
        return "not a regular file";
    case DJ_ELF_CODELESS:
        return "a debug file, without code";
    default:
        return strerror(why);
    }
}

void dj_module_note(dj_module *module, const char *path, int why)
{
    char text[64];
    bool own = strcmp(path, module->path) == 0;
    if (module->reason || why == ENOENT || why == ENOTDIR)
        return;
    snprintf(text, sizeof text, "more than %d GiB", DJ_ELF_GIB_MOST);
    if (asprintf(&module->reason, "%s%scannot be read (%s)", own ? "" : path, own ? "" : " ",
                 why == DJ_ELF_LARGE ? text : explain(why)) < 0)
        module->reason = NULL;
}

void dj_module_forget(dj_module *module)
{
    free(module->reason);
    module->reason = NULL;
}
