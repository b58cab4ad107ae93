// SPDX-License-Identifier: MIT
// Compilation units by address, each read on first use.
#include <dwarf.h>
#include <stdlib.h>

#include "base/grow.h"
#include "symbols/code.h"

// When libdw holds about this much, all of it is freed.
#define READ_BYTES_MOST (UINT64_C(64) << 20)

// Budget for units whose entries are in separate files (.dwo).
#define SPLIT_ENTRIES_MOST (UINT64_C(1) << 22)

static int add_unit(dj_symbols *symbols, dj_line_tables *lines, Dwarf_Off offset)
{
    int err = dj_grow(symbols->quiet, "compilation units", &lines->units, &lines->unit_capacity,
                      lines->unit_count + 1, sizeof *lines->units);
    if (err)
        return err;
    lines->units[lines->unit_count++] = (dj_unit){.offset = offset};
    return DJ_OK;
}

// Code removed by the linker has ranges too, at addresses without code.
static int add_ranges(dj_symbols *symbols, dj_line_tables *lines, Dwarf_Die *die, const dj_ranges *regions)
{
    Dwarf_Addr base = 0, lo = 0, hi = 0;
    for (ptrdiff_t at = 0; (at = dwarf_ranges(die, at, &base, &lo, &hi)) > 0 && lines->range_budget > 0;) {
        lines->range_budget--;
        if (!dj_ranges_find(regions, lo))
            continue;
        int err = dj_ranges_add(&lines->spans, symbols->quiet, lo, hi, (uint32_t)lines->unit_count - 1);
        if (err != DJ_OK)
            return err;
    }
    return DJ_OK;
}

static int list_units(dj_symbols *symbols, dj_line_tables *lines, const dj_ranges *regions)
{
    Dwarf_Die die;
    uint8_t type = 0;
    for (Dwarf_CU *unit = NULL; dwarf_get_units(lines->dwarf, unit, &unit, NULL, &type, &die, NULL) == 0;) {
        if ((type != DW_UT_compile && type != DW_UT_skeleton) || !die.addr)
            continue;
        int err = add_unit(symbols, lines, dwarf_dieoffset(&die));
        if (err == DJ_OK)
            err = add_ranges(symbols, lines, &die, regions);
        if (err != DJ_OK)
            return err;
        lines->has_rows |= dwarf_hasattr(&die, DW_AT_stmt_list) != 0;
    }
    return dj_ranges_flatten(&lines->spans, symbols->quiet);
}

int dj_line_tables_create(dj_symbols *symbols, dj_module *module, const dj_ranges *regions,
                          dj_line_tables **out)
{
    *out = NULL;
    if (!dj_module_dwarf(module))
        return DJ_OK;
    dj_line_tables *lines = calloc(1, sizeof *lines);
    if (!lines)
        return dj_fail_memory(symbols->quiet, "line numbers", sizeof *lines);
    uint64_t budget = module->dwarf_bytes + SPLIT_ENTRIES_MOST;
    *lines = (dj_line_tables){
        .dwarf = dj_module_dwarf_again(module),
        .row_budget = module->dwarf_bytes,
        .range_budget = budget,
        .entry_budget = budget,
    };
    int err = lines->dwarf ? list_units(symbols, lines, regions) : DJ_OK;
    if (err != DJ_OK)
        dj_line_tables_destroy(lines);
    else
        *out = lines;
    return err;
}

void dj_line_tables_destroy(dj_line_tables *lines)
{
    if (!lines)
        return;
    for (size_t i = 0; i < lines->unit_count; i++) {
        free(lines->units[i].rows);
        free(lines->units[i].scopes);
        dj_ranges_free(&lines->units[i].spans);
    }
    free(lines->units);
    dj_ranges_free(&lines->spans);
    dwarf_end(lines->dwarf);
    free(lines);
}

static void read_unit(dj_symbols *symbols, dj_module *module, dj_line_tables *lines, dj_unit *unit)
{
    Dwarf_Die die, split = {0};
    if (!lines->dwarf)
        lines->dwarf = dj_module_dwarf_again(module);
    if (!lines->dwarf || !dwarf_offdie(lines->dwarf, unit->offset, &die))
        return;
    if (!unit->deep)
        dj_unit_read_rows(symbols, lines, unit, &die);
    bool is_split = dwarf_cu_info(die.cu, NULL, NULL, NULL, &split, NULL, NULL, NULL) == 0 && split.addr;
    unit->unoptimized = dj_unit_is_unoptimized(is_split ? &split : &die);
    dj_unit_read_scopes(symbols, lines, unit, is_split ? &split : &die, unit->deep);
    if (lines->read_bytes > READ_BYTES_MOST) {
        dwarf_end(lines->dwarf);
        lines->dwarf = NULL;
        lines->read_bytes = 0;
    }
}

const dj_unit *dj_line_tables_unit(dj_symbols *symbols, dj_module *module, uint64_t address)
{
    dj_line_tables *lines = module->code->lines;
    const dj_range *span = lines ? dj_ranges_find(&lines->spans, address) : NULL;
    if (!span)
        return NULL;
    dj_unit *unit = &lines->units[span->item];
    if (!unit->read) {
        unit->read = true;
        read_unit(symbols, module, lines, unit);
    }
    if (!unit->deep && !dj_ranges_find(&unit->spans, address) &&
        dj_ranges_find(&module->code->functions, address)) {
        unit->deep = true;
        read_unit(symbols, module, lines, unit);
    }
    return unit;
}
