// SPDX-License-Identifier: MIT
// Data symbols of the symbol table.
#include <stdlib.h>

#include "symbols/data/data.h"

static int by_address(const void *left, const void *right)
{
    const dj_object_symbol *a = left, *b = right;
    if (a->lo != b->lo)
        return a->lo < b->lo ? -1 : 1;
    if (a->bytes != b->bytes)
        return a->bytes > b->bytes ? -1 : 1;
    return strcmp(a->name, b->name); // so that aliases do not depend on the order of the table
}

static bool read_table(dj_data *data, Elf *elf, Elf_Scn *section, const GElf_Shdr *header)
{
    Elf_Data *table = elf_getdata(section, NULL);
    size_t count = table == NULL || header->sh_entsize == 0 ? 0 : table->d_size / header->sh_entsize;
    for (size_t i = 0; i < count && i < INT32_MAX; i++) {
        GElf_Sym symbol;
        if (gelf_getsym(table, (int)i, &symbol) == NULL || GELF_ST_TYPE(symbol.st_info) != STT_OBJECT ||
            symbol.st_shndx == SHN_UNDEF || symbol.st_shndx == SHN_ABS || symbol.st_size == 0 ||
            symbol.st_value < data->module->base || symbol.st_value >= data->module->end)
            continue;
        const char *name = elf_strptr(elf, header->sh_link, symbol.st_name);
        if (name == NULL || name[0] == 0)
            continue;
        if (!dj_data_reserve(data, &data->objects, data->object_count, &data->object_capacity,
                             sizeof *data->objects))
            return false;
        uint64_t most = data->module->end - symbol.st_value;
        data->objects[data->object_count++] =
            (dj_object_symbol){symbol.st_value, symbol.st_size < most ? symbol.st_size : most, name};
    }
    return true;
}

static void read_tables(dj_data *data, Elf *elf, GElf_Word kind)
{
    GElf_Shdr header;
    for (Elf_Scn *section = NULL; elf != NULL && (section = elf_nextscn(elf, section)) != NULL;)
        if (gelf_getshdr(section, &header) != NULL && header.sh_type == kind &&
            !read_table(data, elf, section, &header))
            return;
}

void dj_data_read_objects(dj_data *data)
{
    read_tables(data, data->module->file.elf, SHT_SYMTAB);
    if (data->object_count == 0)
        read_tables(data, data->module->debug.elf, SHT_SYMTAB);
    if (data->object_count == 0)
        read_tables(data, data->module->file.elf, SHT_DYNSYM);
    if (data->object_count > 0)
        qsort(data->objects, data->object_count, sizeof *data->objects, by_address);
}

const dj_object_symbol *dj_data_object_at(const dj_data *data, uint64_t address)
{
    size_t lo = 0, hi = data->object_count;
    while (lo < hi) {
        size_t middle = lo + (hi - lo) / 2;
        if (data->objects[middle].lo < address)
            lo = middle + 1;
        else
            hi = middle;
    }
    return lo < data->object_count && data->objects[lo].lo == address ? &data->objects[lo] : NULL;
}
