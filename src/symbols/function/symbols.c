// SPDX-License-Identifier: MIT
// Functions in symbol tables.
#include "symbols/code.h"

enum { SYMBOLS_MOST = 1 << 26 };

static Elf_Scn *find_table(Elf *elf, GElf_Word type, GElf_Shdr *header)
{
    for (Elf_Scn *section = NULL; elf && (section = elf_nextscn(elf, section));)
        if (gelf_getshdr(section, header) && header->sh_type == type && header->sh_entsize > 0)
            return section;
    return NULL;
}

static int each_of(Elf *elf, Elf_Scn *section, const GElf_Shdr *header, dj_symbol_visit *visit, void *user)
{
    Elf_Data *data = elf_getdata(section, NULL);
    if (!data)
        return DJ_OK;
    size_t count = data->d_size / header->sh_entsize;
    for (size_t i = 0; i < count && i < SYMBOLS_MOST; i++) {
        GElf_Sym symbol;
        if (!gelf_getsym(data, (int)i, &symbol))
            break;
        int type = GELF_ST_TYPE(symbol.st_info);
        if (symbol.st_shndx == SHN_UNDEF || symbol.st_value == 0 ||
            (type != STT_FUNC && type != STT_GNU_IFUNC && type != STT_NOTYPE))
            continue;
        const char *name = elf_strptr(elf, header->sh_link, symbol.st_name);
        if (!name || !*name)
            continue;
        int err = visit(user, name, &symbol);
        if (err != DJ_OK)
            return err;
    }
    return DJ_OK;
}

bool dj_module_has_table(dj_module *module)
{
    GElf_Shdr header;
    dj_module_dwarf(module); // which opens the separate debug file
    return find_table(module->file.elf, SHT_SYMTAB, &header) ||
           find_table(module->debug.elf, SHT_SYMTAB, &header);
}

int dj_symbols_each(dj_module *module, dj_symbol_visit *visit, void *user)
{
    GElf_Shdr header;
    Elf *elf = module->file.elf;
    dj_module_dwarf(module);
    Elf_Scn *section = find_table(elf, SHT_SYMTAB, &header);
    if (!section && (section = find_table(module->debug.elf, SHT_SYMTAB, &header)))
        elf = module->debug.elf;
    if (!section)
        section = find_table(elf, SHT_DYNSYM, &header);
    return section ? each_of(elf, section, &header, visit, user) : DJ_OK;
}
