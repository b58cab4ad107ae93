// SPDX-License-Identifier: MIT
// The functions of a module by address: from its symbol table and, in the gaps, from .eh_frame.
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "symbols/code.h"

int dj_function_entries_add(dj_function_entries *entries, dj_context *context, dj_function_entry entry)
{
    int err = dj_grow(context, "the functions of a module", &entries->rows, &entries->capacity,
                      entries->count + 1, sizeof *entries->rows);
    if (err)
        return err;
    entries->rows[entries->count++] = entry;
    return DJ_OK;
}

static bool is_linkage_table(const char *name)
{
    static const char *const names[] = {".plt", ".plt.sec", ".plt.got", ".plt.bnd", ".iplt"};
    for (size_t i = 0; name && i < sizeof names / sizeof *names; i++)
        if (strcmp(name, names[i]) == 0)
            return true;
    return false;
}

// What no segment loads cannot run.
static int add_region(dj_symbols *symbols, const dj_module *module, dj_ranges *regions, uint64_t lo,
                      uint64_t bytes, uint32_t item)
{
    uint64_t hi = bytes > UINT64_MAX - lo ? UINT64_MAX : lo + bytes;
    if (lo < module->base)
        lo = module->base;
    if (hi > module->end)
        hi = module->end;
    return dj_ranges_add(regions, symbols->quiet, lo, hi, item);
}

static int add_sections(dj_symbols *symbols, const dj_module *module, dj_ranges *regions)
{
    Elf *elf = module->file.elf;
    size_t names = 0;
    bool named = elf_getshdrstrndx(elf, &names) == 0;
    for (Elf_Scn *section = NULL; (section = elf_nextscn(elf, section));) {
        GElf_Shdr header;
        if (!gelf_getshdr(section, &header) || !(header.sh_flags & SHF_EXECINSTR) ||
            !(header.sh_flags & SHF_ALLOC))
            continue;
        uint32_t item = 0;
        if (named && is_linkage_table(elf_strptr(elf, names, header.sh_name)))
            item = header.sh_entsize > 1 && header.sh_entsize <= 64 ? (uint32_t)header.sh_entsize : 1;
        int err = add_region(symbols, module, regions, header.sh_addr, header.sh_size, item);
        if (err != DJ_OK)
            return err;
    }
    return DJ_OK;
}

static int add_segments(dj_symbols *symbols, const dj_module *module, dj_ranges *regions)
{
    size_t count = 0;
    if (elf_getphdrnum(module->file.elf, &count) != 0)
        return DJ_OK;
    for (size_t i = 0; i < count; i++) {
        GElf_Phdr segment;
        if (!gelf_getphdr(module->file.elf, (int)i, &segment) || segment.p_type != PT_LOAD ||
            !(segment.p_flags & PF_X))
            continue;
        int err = add_region(symbols, module, regions, segment.p_vaddr, segment.p_filesz, 0);
        if (err != DJ_OK)
            return err;
    }
    return DJ_OK;
}

typedef struct symbol_reader {
    dj_symbols *symbols;
    dj_module_code *code;
} symbol_reader;

static int add_symbol(void *user, const char *name, const GElf_Sym *symbol)
{
    symbol_reader *to = user;
    const dj_range *region = dj_ranges_find(&to->code->regions, symbol->st_value);
    if (!region || region->item > 0)
        return DJ_OK;
    uint64_t capacity = region->hi - symbol->st_value;
    dj_function_entry entry = {
        .lo = symbol->st_value,
        .hi = symbol->st_size == 0
                  ? 0
                  : symbol->st_value + (symbol->st_size < capacity ? symbol->st_size : capacity),
        .symbol = name,
        .kind = DJ_FUNCTION_SYMBOL,
        .binding = (uint8_t)GELF_ST_BIND(symbol->st_info),
        .typed = GELF_ST_TYPE(symbol->st_info) != STT_NOTYPE,
    };
    return dj_function_entries_add(&to->code->entries, to->symbols->quiet, entry);
}

static size_t underscores(const char *name)
{
    return strspn(name, "_");
}

// The name that users know comes first.
static int by_preference(const dj_function_entry *x, const dj_function_entry *y)
{
    static const uint8_t rank[16] = {[STB_GLOBAL] = 2, [STB_WEAK] = 1};
    if (x->typed != y->typed)
        return x->typed ? -1 : 1;
    if (underscores(x->symbol) != underscores(y->symbol))
        return underscores(x->symbol) < underscores(y->symbol) ? -1 : 1;
    if (rank[x->binding & 15] != rank[y->binding & 15])
        return rank[x->binding & 15] > rank[y->binding & 15] ? -1 : 1;
    size_t length_x = strlen(x->symbol), length_y = strlen(y->symbol);
    if (length_x != length_y)
        return length_x < length_y ? -1 : 1;
    return strcmp(x->symbol, y->symbol);
}

static int by_address(const void *a, const void *b)
{
    const dj_function_entry *x = a, *y = b;
    if (x->lo != y->lo)
        return x->lo < y->lo ? -1 : 1;
    if (x->kind != y->kind)
        return x->kind > y->kind ? -1 : 1;
    return x->symbol && y->symbol ? by_preference(x, y) : 0;
}

// One entry for each address, with the best name and the largest size.
static void drop_aliases(dj_function_entries *entries)
{
    size_t kept = 0;
    if (entries->count == 0)
        return;
    qsort(entries->rows, entries->count, sizeof *entries->rows, by_address);
    for (size_t i = 0; i < entries->count; i++) {
        dj_function_entry *last = kept ? &entries->rows[kept - 1] : NULL;
        if (!last || last->lo != entries->rows[i].lo)
            entries->rows[kept++] = entries->rows[i];
        else if (last->hi < entries->rows[i].hi)
            last->hi = entries->rows[i].hi;
    }
    entries->count = kept;
}

// Untyped labels of hand-written code count only where there is no function.
static void drop_labels(dj_function_entries *entries)
{
    uint64_t covered = 0;
    size_t kept = 0;
    for (size_t i = 0; i < entries->count; i++) {
        const dj_function_entry *entry = &entries->rows[i];
        if (!entry->typed && entry->lo < covered)
            continue;
        if (entry->hi > covered)
            covered = entry->hi;
        entries->rows[kept++] = *entry;
    }
    entries->count = kept;
}

// Functions without a size end with their frame, at the next function, or with their section.
static void close_open(dj_module_code *code, const dj_ranges *frames)
{
    dj_function_entries *entries = &code->entries;
    for (size_t i = 0; i < entries->count; i++) {
        dj_function_entry *entry = &entries->rows[i];
        if (entry->hi > entry->lo)
            continue;
        const dj_range *region = dj_ranges_find(&code->regions, entry->lo);
        size_t frame = dj_ranges_from(frames, entry->lo);
        entry->hi = region ? region->hi : entry->lo + 1;
        if (i + 1 < entries->count && entries->rows[i + 1].lo < entry->hi)
            entry->hi = entries->rows[i + 1].lo;
        if (frame < frames->count) {
            const dj_range *it = &frames->rows[frame];
            uint64_t end = it->lo > entry->lo ? it->lo : it->hi;
            if (end < entry->hi)
                entry->hi = end;
        }
    }
}

static int cover(dj_symbols *symbols, dj_module_code *code)
{
    dj_ranges_free(&code->functions);
    for (size_t i = 0; i < code->entries.count; i++) {
        const dj_function_entry *entry = &code->entries.rows[i];
        int err = dj_ranges_add(&code->functions, symbols->quiet, entry->lo, entry->hi, (uint32_t)i);
        if (err != DJ_OK)
            return err;
    }
    return dj_ranges_flatten(&code->functions, symbols->quiet);
}

static int fill_gaps(dj_symbols *symbols, dj_module_code *code, const dj_ranges *frames)
{
    for (size_t i = 0; i < frames->count; i++) {
        const dj_range *frame = &frames->rows[i];
        const dj_range *region = dj_ranges_find(&code->regions, frame->lo);
        if (!region || region->item > 0 || dj_ranges_find(&code->functions, frame->lo))
            continue;
        dj_function_entry entry = {
            .lo = frame->lo,
            .hi = frame->hi < region->hi ? frame->hi : region->hi,
            .kind = DJ_FUNCTION_FRAME,
        };
        int err = dj_function_entries_add(&code->entries, symbols->quiet, entry);
        if (err != DJ_OK)
            return err;
    }
    return DJ_OK;
}

static int read_all(dj_symbols *symbols, dj_module *module, dj_module_code *code, dj_ranges *frames,
                    dj_function_entries *stubs)
{
    symbol_reader reader = {symbols, code};
    int err = add_sections(symbols, module, &code->regions);
    if (err == DJ_OK && code->regions.count == 0)
        err = add_segments(symbols, module, &code->regions);
    if (err == DJ_OK)
        err = dj_ranges_flatten(&code->regions, symbols->quiet);
    if (err == DJ_OK)
        err = dj_functions_read_frames(symbols, module, frames);
    if (err == DJ_OK)
        err = dj_ranges_flatten(frames, symbols->quiet);
    if (err == DJ_OK)
        err = dj_symbols_each(module, add_symbol, &reader);
    if (err != DJ_OK)
        return err;
    drop_aliases(&code->entries);
    drop_labels(&code->entries);
    close_open(code, frames);
    err = cover(symbols, code);
    if (err == DJ_OK)
        err = fill_gaps(symbols, code, frames);
    drop_aliases(&code->entries);
    if (err == DJ_OK)
        err = dj_functions_read_stubs(symbols, module, code, stubs);
    for (size_t i = 0; err == DJ_OK && i < stubs->count; i++)
        err = dj_function_entries_add(&code->entries, symbols->quiet, stubs->rows[i]);
    drop_aliases(&code->entries);
    return err != DJ_OK ? err : cover(symbols, code);
}

static int list_cold(dj_symbols *symbols, dj_module_code *code)
{
    size_t count = 0;
    for (size_t i = 0; i < code->entries.count; i++)
        count += code->entries.rows[i].symbol && strstr(code->entries.rows[i].symbol, ".cold") != NULL;
    if (count == 0)
        return DJ_OK;
    code->cold = malloc(count * sizeof *code->cold);
    if (!code->cold)
        return dj_fail_memory(symbols->quiet, "the functions of a module", count * sizeof *code->cold);
    for (size_t i = 0; i < code->entries.count; i++)
        if (code->entries.rows[i].symbol && strstr(code->entries.rows[i].symbol, ".cold"))
            code->cold[code->cold_count++] = (uint32_t)i;
    return DJ_OK;
}

int dj_functions_read(dj_symbols *symbols, dj_module *module, dj_module_code *code)
{
    dj_ranges frames = {0};
    dj_function_entries stubs = {0};
    int err = read_all(symbols, module, code, &frames, &stubs);
    code->has_symbols = dj_module_has_table(module);
    if (err == DJ_OK)
        err = list_cold(symbols, code);
    free(stubs.rows);
    dj_ranges_free(&frames);
    return err;
}
