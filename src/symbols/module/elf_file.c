// SPDX-License-Identifier: MIT
#include "symbols/module/module.h"

#include <fcntl.h>
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

enum dj_elf_result dj_elf_open(dj_elf *elf, const char *path)
{
    *elf = (dj_elf){.fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)};
    if (elf->fd < 0)
        return DJ_ELF_MISSING;
    struct stat status;
    size_t bytes = 0;
    // elf_rawfile reads the file as a whole. libdw needs the descriptor for relative names of further files.
    if (fstat(elf->fd, &status) == 0 && S_ISREG(status.st_mode) &&
        (uint64_t)status.st_size <= DJ_ELF_BYTES_MOST && (elf->elf = elf_begin(elf->fd, ELF_C_READ, NULL)) &&
        elf_kind(elf->elf) == ELF_K_ELF && elf_rawfile(elf->elf, &bytes) && has_sections(elf->elf, bytes))
        return DJ_ELF_OPEN;
    dj_elf_close(elf);
    return DJ_ELF_UNREADABLE;
}

void dj_elf_close(dj_elf *elf)
{
    elf_end(elf->elf);
    if (elf->fd >= 0)
        close(elf->fd);
    *elf = (dj_elf){.fd = -1};
}
