// SPDX-License-Identifier: MIT
// Bounds of functions from .eh_frame, which even stripped programs have.
#include <dwarf.h>
#include <string.h>

#include "symbols/code.h"

typedef struct reader {
    const uint8_t *at, *end;
    uint64_t address; // of `at`
} reader;

static bool take(reader *from, void *to, size_t bytes)
{
    if ((size_t)(from->end - from->at) < bytes)
        return false;
    memcpy(to, from->at, bytes);
    from->at += bytes;
    from->address += bytes;
    return true;
}

// A value in one of the formats DW_EH_PE_…; the file's byte order is the machine's.
static bool take_format(reader *from, unsigned format, uint64_t *out)
{
    int16_t two = 0;
    int32_t four = 0;
    bool good;
    switch (format & 0x0f) {
    case DW_EH_PE_absptr:
    case DW_EH_PE_udata8:
    case DW_EH_PE_sdata8:
        return take(from, out, sizeof *out);
    case DW_EH_PE_udata4:
        good = take(from, &four, sizeof four);
        *out = (uint32_t)four;
        return good;
    case DW_EH_PE_sdata4:
        good = take(from, &four, sizeof four);
        *out = (uint64_t)(int64_t)four;
        return good;
    case DW_EH_PE_udata2:
        good = take(from, &two, sizeof two);
        *out = (uint16_t)two;
        return good;
    case DW_EH_PE_sdata2:
        good = take(from, &two, sizeof two);
        *out = (uint64_t)(int64_t)two;
        return good;
    default:
        return false;
    }
}

static bool take_pointer(reader *from, unsigned encoding, uint64_t *out)
{
    uint64_t here = from->address;
    if (encoding == DW_EH_PE_omit || (encoding & DW_EH_PE_indirect) || !take_format(from, encoding, out))
        return false;
    if ((encoding & 0x70) == DW_EH_PE_pcrel)
        *out += here;
    return (encoding & 0x70) == DW_EH_PE_pcrel || (encoding & 0x70) == DW_EH_PE_absptr;
}

// The encoding of addresses in the entries of a CIE.
static unsigned find_encoding(const Dwarf_CIE *cie)
{
    const char *letter = cie->augmentation;
    reader from = {.at = cie->augmentation_data, .end = cie->augmentation_data + cie->augmentation_data_size};
    if (!cie->augmentation_data || *letter++ != 'z')
        return DW_EH_PE_absptr;
    for (; *letter; letter++) {
        uint8_t encoding = 0;
        uint64_t skipped;
        if (*letter == 'S' || *letter == 'B')
            continue;
        if (!take(&from, &encoding, 1))
            return DW_EH_PE_omit;
        if (*letter == 'R')
            return encoding;
        if (*letter != 'L' && (*letter != 'P' || !take_format(&from, encoding, &skipped)))
            return DW_EH_PE_omit;
    }
    return DW_EH_PE_absptr;
}

// The start of .eh_frame, from its header, which is found without sections.
static uint64_t find_start(const dj_module *module)
{
    size_t count = 0;
    GElf_Phdr segment;
    if (elf_getphdrnum(module->file.elf, &count) != 0)
        return 0;
    for (size_t i = 0; i < count; i++) {
        uint64_t rest = 0, start = 0;
        if (!gelf_getphdr(module->file.elf, (int)i, &segment) || segment.p_type != PT_GNU_EH_FRAME)
            continue;
        const uint8_t *bytes = dj_module_bytes(module, segment.p_vaddr, &rest);
        if (!bytes || rest < 4 || bytes[0] != 1)
            return 0;
        reader from = {.at = bytes + 4, .end = bytes + rest, .address = segment.p_vaddr + 4};
        return take_pointer(&from, bytes[1], &start) ? start : 0;
    }
    return 0;
}

// A static program without that header still has the section.
static uint64_t find_section(const dj_module *module)
{
    size_t names = 0;
    Elf *elf = module->file.elf;
    if (elf_getshdrstrndx(elf, &names) != 0)
        return 0;
    for (Elf_Scn *section = NULL; (section = elf_nextscn(elf, section));) {
        GElf_Shdr header;
        const char *name = gelf_getshdr(section, &header) ? elf_strptr(elf, names, header.sh_name) : NULL;
        if (name && strcmp(name, ".eh_frame") == 0)
            return header.sh_addr;
    }
    return 0;
}

typedef struct frames_reader {
    const unsigned char *ident;
    Elf_Data data;
    uint64_t address;     // of its first byte
    Dwarf_Off cie_offset; // of the last one
    unsigned encoding;    // of it
} frames_reader;

static bool read_frame(frames_reader *frames, const Dwarf_FDE *fde, uint64_t *lo, uint64_t *bytes)
{
    if (fde->CIE_pointer != frames->cie_offset) {
        Dwarf_CFI_Entry cie;
        Dwarf_Off after = 0;
        frames->cie_offset = fde->CIE_pointer;
        frames->encoding = DW_EH_PE_omit;
        if (dwarf_next_cfi(frames->ident, &frames->data, true, fde->CIE_pointer, &after, &cie) == 0 &&
            dwarf_cfi_cie_p(&cie))
            frames->encoding = find_encoding(&cie.cie);
    }
    uint64_t offset = (uint64_t)(fde->start - (const uint8_t *)frames->data.d_buf);
    reader from = {.at = fde->start, .end = fde->end, .address = frames->address + offset};
    return take_pointer(&from, frames->encoding, lo) && take_format(&from, frames->encoding, bytes) &&
           *bytes <= UINT64_MAX - *lo;
}

int dj_functions_read_frames(dj_symbols *symbols, dj_module *module, dj_ranges *out)
{
    uint64_t start = find_start(module), rest = 0;
    if (start == 0)
        start = find_section(module);
    const uint8_t *bytes = start ? dj_module_bytes(module, start, &rest) : NULL;
    const char *ident = elf_getident(module->file.elf, NULL);
    if (!bytes || !ident)
        return DJ_OK;
    frames_reader frames = {
        .ident = (const unsigned char *)ident,
        .data = {.d_buf = (void *)(uintptr_t)bytes, .d_size = rest, .d_version = EV_CURRENT},
        .address = start,
        .cie_offset = UINT64_MAX,
    };
    Dwarf_CFI_Entry entry;
    Dwarf_Off next = 0;
    for (Dwarf_Off at = 0; dwarf_next_cfi(frames.ident, &frames.data, true, at, &next, &entry) == 0;
         at = next) {
        uint64_t lo = 0, covered = 0;
        if (dwarf_cfi_cie_p(&entry) || !read_frame(&frames, &entry.fde, &lo, &covered))
            continue;
        int err = dj_ranges_add(out, symbols->quiet, lo, lo + covered, (uint32_t)out->count);
        if (err != DJ_OK)
            return err;
    }
    return DJ_OK;
}
