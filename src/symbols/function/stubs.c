// SPDX-License-Identifier: MIT
// Entries of the procedure linkage table: each jumps through a slot, and the relocation of the slot names
// the function behind it.
#include <stdio.h>
#include <string.h>

#include "base/little_endian.h"
#include "base/map.h"
#include "symbols/code.h"

enum { STUB_BYTES = 16, NAME_CAPACITY = 1 << 12, SLOTS_MOST = 1 << 22 };

typedef struct slots {
    dj_footprint footprint;
    dj_map names;     // address of a slot → name, a char *
    dj_map resolvers; // address of a slot → address of the function that selects the real one
} slots;

static int add_slot(dj_symbols *symbols, slots *into, Elf *elf, const GElf_Rela *entry, Elf_Data *table,
                    size_t names)
{
    GElf_Sym symbol;
    uint64_t type = GELF_R_TYPE(entry->r_info);
    if (type == R_X86_64_IRELATIVE && entry->r_addend > 0) {
        uint64_t *value = dj_map_at(&into->resolvers, symbols->quiet, entry->r_offset);
        if (!value)
            return DJ_ERR_MEMORY;
        *value = (uint64_t)entry->r_addend;
    } else if ((type == R_X86_64_JUMP_SLOT || type == R_X86_64_GLOB_DAT) && table &&
               gelf_getsym(table, (int)GELF_R_SYM(entry->r_info), &symbol)) {
        const char *name = elf_strptr(elf, names, symbol.st_name);
        uint64_t *value = name && *name ? dj_map_at(&into->names, symbols->quiet, entry->r_offset) : NULL;
        if (value)
            *value = (uint64_t)(uintptr_t)name;
        else if (name && *name)
            return DJ_ERR_MEMORY;
    }
    return DJ_OK;
}

static int read_slots(dj_symbols *symbols, dj_module *module, slots *into)
{
    Elf *elf = module->file.elf;
    size_t total = 0;
    for (Elf_Scn *section = NULL; (section = elf_nextscn(elf, section));) {
        GElf_Shdr header, linked;
        if (!gelf_getshdr(section, &header) || header.sh_type != SHT_RELA || !(header.sh_flags & SHF_ALLOC))
            continue;
        Elf_Data *data = elf_getdata(section, NULL), *table = NULL;
        Elf_Scn *link = header.sh_link ? elf_getscn(elf, header.sh_link) : NULL;
        if (link && gelf_getshdr(link, &linked) && linked.sh_type == SHT_DYNSYM)
            table = elf_getdata(link, NULL);
        GElf_Rela entry;
        for (int i = 0; data && total < SLOTS_MOST && gelf_getrela(data, i, &entry); i++, total++) {
            int err = add_slot(symbols, into, elf, &entry, table, table ? linked.sh_link : 0);
            if (err != DJ_OK)
                return err;
        }
    }
    return DJ_OK;
}

// The slot that a stub jumps through: "jmp *slot(%rip)", after a marker of branch targets. 0: none.
static uint64_t find_slot(const uint8_t *bytes, size_t count, uint64_t address)
{
    for (size_t i = 0; i + 6 <= count; i++)
        if (bytes[i] == 0xff && bytes[i + 1] == 0x25)
            return address + i + 6 + (uint64_t)(int64_t)(int32_t)dj_read_le32(bytes + i + 2);
    return 0;
}

// A lazy stub beside a second table only pushes the number of its relocation.
static const char *find_pushed(Elf *elf, const uint8_t *bytes, size_t count)
{
    size_t names = 0;
    size_t at = count >= STUB_BYTES && bytes[0] == 0xf3 && bytes[1] == 0x0f ? 4 : 0; // endbr64
    if (count < STUB_BYTES || bytes[at] != 0x68 || elf_getshdrstrndx(elf, &names) != 0)
        return NULL;
    for (Elf_Scn *section = NULL; (section = elf_nextscn(elf, section));) {
        GElf_Shdr header, linked;
        GElf_Rela entry;
        GElf_Sym symbol;
        const char *name = gelf_getshdr(section, &header) ? elf_strptr(elf, names, header.sh_name) : NULL;
        if (!name || strcmp(name, ".rela.plt") != 0)
            continue;
        Elf_Scn *link = elf_getscn(elf, header.sh_link);
        Elf_Data *data = elf_getdata(section, NULL), *table = elf_getdata(link, NULL);
        if (!data || !table || !gelf_getshdr(link, &linked) ||
            !gelf_getrela(data, (int)dj_read_le32(bytes + at + 1), &entry) ||
            !gelf_getsym(table, (int)GELF_R_SYM(entry.r_info), &symbol))
            return NULL;
        return elf_strptr(elf, linked.sh_link, symbol.st_name);
    }
    return NULL;
}

static const char *symbol_at(const dj_function_entries *entries, uint64_t address)
{
    size_t lo = 0, hi = entries->count;
    while (lo < hi) {
        size_t middle = lo + (hi - lo) / 2;
        if (entries->rows[middle].lo < address)
            lo = middle + 1;
        else
            hi = middle;
    }
    return lo < entries->count && entries->rows[lo].lo == address ? entries->rows[lo].symbol : NULL;
}

static const char *name_stub(dj_symbols *symbols, dj_module *module, const dj_function_entries *functions,
                             const slots *known, uint64_t address, size_t bytes)
{
    uint64_t rest = 0, slot;
    const uint8_t *code = dj_module_bytes(module, address, &rest);
    const char *name = NULL;
    char text[NAME_CAPACITY];
    if (code && rest < bytes)
        bytes = (size_t)rest;
    if (code && (slot = find_slot(code, bytes, address)) != 0) {
        name = (const char *)(uintptr_t)dj_map_get(&known->names, slot);
        if (!name)
            name = symbol_at(functions, dj_map_get(&known->resolvers, slot));
    } else if (code) {
        name = find_pushed(module->file.elf, code, bytes);
    }
    if (name)
        name = dj_function_readable(symbols, name, NULL);
    if (!name || !*name || snprintf(text, sizeof text, "%s@plt", name) >= NAME_CAPACITY)
        snprintf(text, sizeof text, "0x%llx@plt", (unsigned long long)address);
    return dj_symbols_keep(symbols, text);
}

static int read_region(dj_symbols *symbols, dj_module *module, dj_module_code *code, const slots *known,
                       const dj_range *region, dj_function_entries *stubs)
{
    size_t bytes = region->item > 1 ? region->item : STUB_BYTES;
    for (uint64_t at = region->lo; at < region->hi && stubs->count < SLOTS_MOST; at += bytes) {
        dj_function_entry stub = {
            .lo = at,
            .hi = region->hi - at < bytes ? region->hi : at + bytes,
            .symbol = name_stub(symbols, module, &code->entries, known, at, bytes),
            .kind = DJ_FUNCTION_STUB,
        };
        int err = dj_function_entries_add(stubs, symbols->quiet, stub);
        if (err != DJ_OK)
            return err;
    }
    return DJ_OK;
}

// The dynamic linker need not have symbols, but the end of this function is unique: it pops what it saved
// and the two words that the stubs pushed, and jumps to the address in a register.
bool dj_function_is_resolver(dj_module *module, const dj_function_entry *entry)
{
    static const uint8_t drop[] = {0x48, 0x83, 0xc4, 0x18};                           // add $24, %rsp
    static const uint8_t jumps[][4] = {{0x41, 0xff, 0xe3}, {0xf2, 0x41, 0xff, 0xe3}}; // jmp *%r11
    static const size_t jump_bytes[] = {3, 4};
    enum { RESOLVER_MOST = 512, BEGIN_WITHIN = 5, PUSH_RBX = 0x53 };
    uint64_t rest = 0, bytes = entry->hi - entry->lo;
    const uint8_t *code = module->machine == EM_X86_64 && bytes <= RESOLVER_MOST
                              ? dj_module_bytes(module, entry->lo, &rest)
                              : NULL;
    size_t count = (size_t)(rest < bytes ? rest : bytes);
    if (!code || count < BEGIN_WITHIN || !memchr(code, PUSH_RBX, BEGIN_WITHIN))
        return false;
    const uint8_t *at = memmem(code, count, drop, sizeof drop);
    size_t left = at ? count - (size_t)(at - code) - sizeof drop : 0;
    for (int i = 0; at && i < 2; i++)
        if (left >= jump_bytes[i] && memcmp(at + sizeof drop, jumps[i], jump_bytes[i]) == 0)
            return true;
    return false;
}

int dj_functions_read_stubs(dj_symbols *symbols, dj_module *module, dj_module_code *code,
                            dj_function_entries *stubs)
{
    slots known = {0};
    if (module->machine != EM_X86_64)
        return DJ_OK;
    int err = dj_map_create(&known.names, symbols->quiet, &known.footprint, 0);
    if (err == DJ_OK)
        err = dj_map_create(&known.resolvers, symbols->quiet, &known.footprint, 0);
    if (err == DJ_OK)
        err = read_slots(symbols, module, &known);
    for (size_t i = 0; err == DJ_OK && i < code->regions.count; i++)
        if (code->regions.rows[i].item > 0)
            err = read_region(symbols, module, code, &known, &code->regions.rows[i], stubs);
    dj_map_destroy(&known.resolvers);
    dj_map_destroy(&known.names);
    return err;
}
