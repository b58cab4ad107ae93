// SPDX-License-Identifier: MIT
// Finds the functions and the variables with static storage in DWARF.
#include "symbols/data/data.h"
#include "symbols/dwarf_value.h"

enum { DEPTH_MOST = 64 };

static bool add_subprogram(dj_data *data, Dwarf_Die *die, uint64_t lo, uint64_t hi)
{
    if (lo == 0 || hi <= lo)
        return true;
    if (!dj_data_reserve(data, &data->subprograms, data->subprogram_count, &data->subprogram_capacity,
                         sizeof *data->subprograms))
        return false;
    data->subprograms[data->subprogram_count++] = (dj_subprogram){lo, hi, *die};
    return true;
}

static bool see_subprogram(dj_data *data, Dwarf_Die *die)
{
    Dwarf_Addr base, lo, hi;
    bool good = true;
    if (dwarf_hasattr(die, DW_AT_low_pc) && dwarf_hasattr(die, DW_AT_high_pc))
        return dwarf_lowpc(die, &lo) != 0 || dwarf_highpc(die, &hi) != 0 || add_subprogram(data, die, lo, hi);
    if (!dwarf_hasattr(die, DW_AT_ranges))
        return true;
    for (ptrdiff_t next = 0; good && (next = dwarf_ranges(die, next, &base, &lo, &hi)) > 0;)
        good = add_subprogram(data, die, lo, hi);
    return good;
}

// Assigns a number to each DIE around a variable, once.
static bool number_scopes(dj_data *data, const Dwarf_Die *around, uint32_t *numbers, unsigned depth)
{
    for (unsigned i = 0; i < depth; i++) {
        if (numbers[i] != 0)
            continue;
        if (data->scope_count >= UINT32_MAX - 1 ||
            !dj_data_reserve(data, &data->scopes, data->scope_count, &data->scope_capacity,
                             sizeof *data->scopes))
            return false;
        data->scopes[data->scope_count++] = (dj_outer){around[i], i > 0 ? numbers[i - 1] : 0};
        numbers[i] = (uint32_t)data->scope_count;
    }
    return true;
}

static bool see_variable(dj_data *data, Dwarf_Die *around, uint32_t *numbers, unsigned depth)
{
    Dwarf_Die *die = &around[depth];
    uint64_t address;
    if (!dj_variable_address(die, &address) || address < data->module->base || address >= data->module->end)
        return true;
    if (!number_scopes(data, around, numbers, depth) ||
        !dj_data_reserve(data, &data->globals, data->global_count, &data->global_capacity,
                         sizeof *data->globals))
        return false;
    uint64_t bytes = dj_type_of_typed(&data->types, die)->bytes;
    uint64_t most = data->module->end - address;
    data->globals[data->global_count++] = (dj_global){
        .lo = address,
        .hi = address + (bytes < most ? bytes : most),
        .die = *die,
        .scope = depth > 0 ? numbers[depth - 1] : 0,
    };
    return true;
}

static bool has_variables(int tag)
{
    switch (tag) {
    case DW_TAG_namespace:
    case DW_TAG_module:
    case DW_TAG_subprogram:
    case DW_TAG_lexical_block:
    case DW_TAG_common_block:
        return true;
    default:
        return false;
    }
}

static bool walk_unit(dj_data *data, Dwarf_Die *unit)
{
    Dwarf_Die stack[DEPTH_MOST];
    uint32_t numbers[DEPTH_MOST] = {0}; // of the scopes; 0: none yet
    unsigned depth = 0;
    if (dwarf_child(unit, &stack[0]) != 0)
        return true;
    while (data->entries_left > 0) {
        data->entries_left--;
        Dwarf_Die *die = &stack[depth];
        int tag = dwarf_tag(die);
        if (tag == DW_TAG_variable ? !see_variable(data, stack, numbers, depth)
                                   : tag == DW_TAG_subprogram && !see_subprogram(data, die))
            return false;
        if (has_variables(tag) && depth + 1 < DEPTH_MOST && dwarf_child(die, &stack[depth + 1]) == 0) {
            numbers[depth++] = 0;
            continue;
        }
        while (dwarf_siblingof(&stack[depth], &stack[depth]) != 0)
            if (depth-- == 0)
                return true;
    }
    return false;
}

void dj_data_walk(dj_data *data)
{
    Dwarf_CU *unit = NULL;
    Dwarf_Die die, split;
    uint8_t kind;
    while (dwarf_get_units(data->dwarf, unit, &unit, NULL, &kind, &die, &split) == 0) {
        bool is_split = kind == DW_UT_skeleton && split.addr != NULL;
        if ((kind == DW_UT_compile || kind == DW_UT_partial || is_split) &&
            !walk_unit(data, is_split ? &split : &die))
            return;
    }
}
