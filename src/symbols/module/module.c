// SPDX-License-Identifier: MIT
#include "symbols/code.h"

#include <stdlib.h>

enum { PAGE_BYTES = 4096, SECTIONS_MOST = 1 << 20 };

// Debug sections that decompress to more than this are ignored.
#define UNPACKED_MOST (UINT64_C(16) << 30)

static void find_bounds(dj_module *module)
{
    GElf_Ehdr header;
    GElf_Phdr segment;
    size_t count = 0;
    uint64_t lowest = UINT64_MAX, highest = 0;
    if (gelf_getehdr(module->file.elf, &header))
        module->machine = header.e_machine;
    if (elf_getphdrnum(module->file.elf, &count) != 0)
        count = 0;
    for (size_t i = 0; i < count; i++) {
        if (!gelf_getphdr(module->file.elf, (int)i, &segment) || segment.p_type != PT_LOAD)
            continue;
        if (segment.p_vaddr < lowest)
            lowest = segment.p_vaddr;
        if (segment.p_memsz <= UINT64_MAX - segment.p_vaddr && segment.p_vaddr + segment.p_memsz > highest)
            highest = segment.p_vaddr + segment.p_memsz;
    }
    module->base = lowest == UINT64_MAX ? 0 : lowest & ~(uint64_t)(PAGE_BYTES - 1);
    module->end = highest;
}

dj_module *dj_module_get(dj_symbols *symbols, uint32_t id)
{
    dj_module *module = id < symbols->module_count ? symbols->modules[id] : NULL;
    if (module && !module->opened) {
        module->opened = true;
        dj_module_find_file(module);
        if (module->file.elf)
            find_bounds(module);
    }
    return module && module->file.elf ? module : NULL;
}

// Bytes of a file with decompressed sections; 0: too many.
static uint64_t unpacked_bytes(Elf *elf)
{
    size_t bytes = 0;
    elf_rawfile(elf, &bytes);
    uint64_t sum = bytes;
    size_t count = 0;
    for (Elf_Scn *section = NULL; (section = elf_nextscn(elf, section)) && count < SECTIONS_MOST; count++) {
        GElf_Chdr header;
        if (!gelf_getchdr(section, &header))
            continue;
        if (header.ch_size > UNPACKED_MOST || (sum += header.ch_size) > UNPACKED_MOST)
            return 0;
    }
    return count < SECTIONS_MOST ? sum : 0;
}

Dwarf *dj_module_dwarf_again(dj_module *module)
{
    if (module->dwarf_bytes == 0)
        return NULL;
    return dwarf_begin_elf(module->debug.elf ? module->debug.elf : module->file.elf, DWARF_C_READ, NULL);
}

Dwarf *dj_module_dwarf(dj_module *module)
{
    if (module->dwarf_opened)
        return module->dwarf;
    module->dwarf_opened = true;
    dj_module_find_debug(module);
    module->dwarf_bytes = unpacked_bytes(module->debug.elf ? module->debug.elf : module->file.elf);
    module->dwarf = dj_module_dwarf_again(module);
    return module->dwarf;
}

void dj_module_close(dj_module *module)
{
    if (!module)
        return;
    if (module->data_destroy)
        module->data_destroy(module->data);
    dj_module_code_destroy(module->code);
    dwarf_end(module->dwarf);
    dj_elf_close(&module->debug);
    dj_elf_close(&module->file);
    free(module->path);
    free(module->identity);
    free(module->found);
    free(module->reason);
    free(module);
}

const uint8_t *dj_module_bytes(const dj_module *module, uint64_t address, uint64_t *rest)
{
    size_t count = 0, file_bytes = 0;
    const char *file = elf_rawfile(module->file.elf, &file_bytes);
    GElf_Phdr segment;
    if (!file || module->only_debug || elf_getphdrnum(module->file.elf, &count) != 0)
        return NULL;
    for (size_t i = 0; i < count; i++) {
        if (!gelf_getphdr(module->file.elf, (int)i, &segment) || segment.p_type != PT_LOAD ||
            segment.p_offset > file_bytes || address < segment.p_vaddr)
            continue;
        uint64_t bytes = file_bytes - segment.p_offset;
        if (segment.p_filesz < bytes)
            bytes = segment.p_filesz;
        if (address - segment.p_vaddr >= bytes)
            continue;
        *rest = bytes - (address - segment.p_vaddr);
        return (const uint8_t *)file + segment.p_offset + (address - segment.p_vaddr);
    }
    return NULL;
}
