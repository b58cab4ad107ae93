// SPDX-License-Identifier: MIT
// Functions get their numbers and properties on first use.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "symbols/code.h"

// The function that contains a scope.
static const dj_scope *function_scope(const dj_unit *unit, const dj_scope *scope)
{
    while (scope && scope->inlined)
        scope = scope->parent == DJ_NO_SCOPE ? NULL : &unit->scopes[scope->parent];
    return scope;
}

static const dj_scope *scope_of(dj_symbols *symbols, dj_module *module, uint64_t address)
{
    const dj_unit *unit = dj_line_tables_unit(symbols, module, address);
    return unit ? function_scope(unit, dj_unit_scope(unit, address)) : NULL;
}

// The entry of the function of which this is the rarely executed part; DJ_NO_SCOPE: none.
static uint32_t find_main_part(dj_symbols *symbols, dj_module *module, const dj_function_entry *part)
{
    const dj_module_code *code = module->code;
    const char *cold = part->symbol ? strstr(part->symbol, ".cold") : NULL;
    if (!cold || cold == part->symbol)
        return DJ_NO_SCOPE;
    const dj_scope *scope = scope_of(symbols, module, part->lo);
    const dj_range *span =
        scope && scope->entry != part->lo ? dj_ranges_find(&code->functions, scope->entry) : NULL;
    if (span && code->entries.rows[span->item].lo == scope->entry)
        return span->item;
    uint32_t found = DJ_NO_SCOPE;
    size_t length = (size_t)(cold - part->symbol);
    for (size_t i = 0; i < code->entries.count; i++) {
        const char *name = code->entries.rows[i].symbol;
        if (!name || strncmp(name, part->symbol, length) != 0 || name[length])
            continue;
        if (found != DJ_NO_SCOPE)
            return DJ_NO_SCOPE; // two static functions of that name
        found = (uint32_t)i;
    }
    return found;
}

// The length of the name without the suffix of a copy ("f.constprop.0"); 0: not a copy.
static size_t copy_name(const char *symbol)
{
    static const char *const marks[] = {".constprop.", ".isra."};
    const char *first = NULL;
    for (size_t i = 0; symbol && i < sizeof marks / sizeof marks[0]; i++) {
        const char *mark = strstr(symbol, marks[i]);
        first = mark && (!first || mark < first) ? mark : first;
    }
    return first && !strstr(first, ".cold") ? (size_t)(first - symbol) : 0;
}

// The entry that represents all copies of a function: the function itself, otherwise the first copy.
static uint32_t find_origin(dj_symbols *symbols, dj_module *module, uint32_t index)
{
    const dj_function_entries *entries = &module->code->entries;
    const char *symbol = entries->rows[index].symbol;
    size_t length = copy_name(symbol);
    const dj_scope *scope = length > 0 ? scope_of(symbols, module, entries->rows[index].lo) : NULL;
    if (!scope)
        return index;
    uint32_t line = scope->line, first = index;
    const char *file = scope->file;
    for (uint32_t i = 0; i < entries->count; i++) {
        const char *name = entries->rows[i].symbol;
        if (i == index || !name || strncmp(name, symbol, length) != 0 ||
            (name[length] && copy_name(name) != length))
            continue;
        const dj_scope *other = scope_of(symbols, module, entries->rows[i].lo);
        if (!other || other->line != line || strcmp(other->file, file) != 0)
            continue;
        if (!name[length])
            return i;
        first = i < first ? i : first;
    }
    return first;
}

static const char *choose_name(dj_symbols *symbols, const dj_module *module, const dj_function_entry *entry,
                               const dj_scope *scope)
{
    char text[512];
    if (entry->kind == DJ_FUNCTION_STUB)
        return entry->symbol;
    const char *name = entry->symbol ? dj_function_readable(symbols, entry->symbol, NULL) : "";
    bool mangled = entry->symbol && strncmp(entry->symbol, "_Z", 2) == 0 && strcmp(name, entry->symbol) != 0;
    // The C library calls malloc __libc_malloc.
    if (scope && *scope->name && !mangled && (!*name || strspn(scope->name, "_") <= strspn(name, "_")))
        return scope->name;
    if (*name)
        return name;
    snprintf(text, sizeof text, "0x%llx in %s", (unsigned long long)entry->lo, dj_file_name(module->path));
    return dj_symbols_keep(symbols, text);
}

uint32_t dj_function_number(dj_symbols *symbols, dj_module *module, uint32_t index)
{
    dj_function_entry *entry = &module->code->entries.rows[index];
    if (entry->number != 0)
        return entry->number;
    uint32_t main_part = find_main_part(symbols, module, entry);
    if (main_part != DJ_NO_SCOPE && main_part != index)
        return entry->number = dj_function_number(symbols, module, main_part);
    const dj_scope *scope = entry->kind == DJ_FUNCTION_STUB ? NULL : scope_of(symbols, module, entry->lo);
    if (scope && scope->entry != entry->lo)
        scope = NULL;
    uint32_t original = find_origin(symbols, module, index);
    uint32_t origin = original != index ? dj_function_number(symbols, module, original) : 0;
    dj_function_info *info = dj_numbered_add(&symbols->functions, symbols->quiet, &entry->number);
    if (!info)
        return 0;
    *info = (dj_function_info){
        .name = choose_name(symbols, module, entry, scope),
        .file = scope ? scope->file : "",
        .line = scope ? scope->line : 0,
        .module = module->id,
        .lo = entry->lo - module->base,
        .hi = entry->hi - module->base,
        .origin = origin ? origin : entry->number,
        .stub = entry->kind == DJ_FUNCTION_STUB || dj_function_is_resolver(module, entry),
    };
    return entry->number;
}

uint32_t dj_files_function(dj_symbols *symbols, uint32_t id, uint64_t offset)
{
    dj_module *module = dj_module_get(symbols, id);
    dj_module_code *code = module ? dj_module_code_get(symbols, module) : NULL;
    const dj_range *span = code ? dj_ranges_find(&code->functions, module->base + offset) : NULL;
    return span ? dj_function_number(symbols, module, span->item) : 0;
}

const dj_function_info *dj_symbols_function_info(const dj_symbols *symbols, uint32_t function)
{
    return dj_numbered_get(&symbols->functions, function);
}

typedef struct search_state {
    dj_symbols *symbols;
    dj_module *module;
    const char *name;
    uint32_t *out;
    size_t count, most;
} search_state;

static void add_found(search_state *search, uint64_t address)
{
    const dj_range *span = dj_ranges_find(&search->module->code->functions, address);
    uint32_t number = span ? dj_function_number(search->symbols, search->module, span->item) : 0;
    for (size_t i = 0; i < search->count && i < search->most; i++)
        if (search->out[i] == number)
            return;
    if (number == 0)
        return;
    if (search->count < search->most)
        search->out[search->count] = number;
    search->count++;
}

static int match_symbol(void *user, const char *name, const GElf_Sym *symbol)
{
    search_state *search = user;
    if (!strstr(name, ".cold") && dj_function_is_called(name, search->name))
        add_found(search, symbol->st_value);
    return DJ_OK;
}

size_t dj_files_find_function(dj_symbols *symbols, uint32_t id, const char *name, uint32_t *out, size_t most)
{
    dj_module *module = dj_module_get(symbols, id);
    dj_module_code *code = module ? dj_module_code_get(symbols, module) : NULL;
    search_state search = {symbols, module, name, out, 0, most};
    if (!code)
        return 0;
    dj_symbols_each(module, match_symbol, &search);
    for (size_t i = 0; i < code->entries.count; i++) {
        const dj_function_entry *entry = &code->entries.rows[i];
        if (entry->kind == DJ_FUNCTION_STUB && strcmp(entry->symbol, name) == 0)
            add_found(&search, entry->lo);
    }
    // The name of a function without a symbol: "0x1234 in libx.so".
    const dj_range *span = dj_ranges_find(&code->functions, strtoull(name, NULL, 0));
    if (span && search.count == 0) {
        uint32_t number = dj_function_number(symbols, module, span->item);
        const dj_function_info *info = dj_symbols_function_info(symbols, number);
        if (info && strcmp(info->name, name) == 0)
            add_found(&search, info->lo + module->base);
    }
    return search.count;
}
