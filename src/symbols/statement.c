// SPDX-License-Identifier: MIT
// The statement of an instruction: its line, and how reliable that is.
#include <dwarf.h>
#include <string.h>

#include "symbols/code.h"

// gcc and gfortran record their options in DW_AT_producer, where no optimization option means none; other
// compilers do not record them.
bool dj_unit_is_unoptimized(Dwarf_Die *die)
{
    Dwarf_Attribute attribute;
    const char *producer = dwarf_formstring(dwarf_attr(die, DW_AT_producer, &attribute));
    if (!producer || strncmp(producer, "GNU ", 4) != 0 || strncmp(producer, "GNU AS", 6) == 0)
        return false;
    bool optimized = false; // the last one counts
    for (const char *at = strstr(producer, " -O"); at; at = strstr(at + 1, " -O"))
        optimized = at[3] != '0';
    return !optimized;
}

// ins, outs, movs, cmps, stos, lods and scas after rep or repne.
static bool is_repeated(const dj_module *module, uint64_t address)
{
    uint64_t rest = 0;
    const uint8_t *code = module->machine == EM_X86_64 || module->machine == EM_386
                              ? dj_module_bytes(module, address, &rest)
                              : NULL;
    uint64_t at = 0;
    bool prefix = false;
    for (; code && at < rest && (code[at] == 0xf2 || code[at] == 0xf3 || code[at] == 0x66); at++)
        prefix = prefix || code[at] != 0x66;
    if (code && module->machine == EM_X86_64 && at < rest && code[at] >> 4 == 4)
        at++; // REX
    return prefix && at < rest &&
           ((code[at] >= 0xa4 && code[at] <= 0xa7) || (code[at] >= 0xaa && code[at] <= 0xaf) ||
            (code[at] >= 0x6c && code[at] <= 0x6f));
}

// The function that contains an address, not one inlined into it; NULL: unknown.
static const dj_scope *function_of(const dj_unit *unit, uint64_t address)
{
    const dj_scope *scope = dj_unit_scope(unit, address);
    while (scope && scope->parent != DJ_NO_SCOPE)
        scope = &unit->scopes[scope->parent];
    return scope;
}

bool dj_files_statement(dj_symbols *symbols, uint32_t id, uint64_t offset, dj_statement_info *out)
{
    dj_module *module = dj_module_get(symbols, id);
    const dj_unit *unit = NULL;
    if (module && dj_module_code_get(symbols, module))
        unit = dj_line_tables_unit(symbols, module, module->base + offset);
    const dj_line_row *row = unit ? dj_unit_row(unit, module->base + offset) : NULL;
    if (!row || row->line == 0)
        return false;
    const dj_scope *function = function_of(unit, module->base + offset);
    *out = (dj_statement_info){.file = row->file,
                               .line = row->line,
                               .exact = unit->unoptimized && !(function && function->uses_registers),
                               .returns_nothing = function && function->returns_nothing,
                               .repeats = is_repeated(module, module->base + offset),
                               .stores = dj_module_stores(module, module->base + offset)};
    return true;
}
