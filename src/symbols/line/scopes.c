// SPDX-License-Identifier: MIT
// Functions and the functions inlined into them, from the tree of a compilation unit.
#include <dwarf.h>
#include <stdlib.h>

#include "symbols/code.h"

enum { DEPTH_MOST = 256 };

typedef struct walk_state {
    dj_symbols *symbols;
    dj_line_tables *lines;
    dj_unit *unit;
    bool deep;          // also visits entries without code, to find unknown functions
    size_t first;       // first scope added by this walk
    Dwarf_Die *origins; // by scope from there on: the entry with its name
    size_t capacity;    // of the origins
    dj_ranges spans;    // of the scopes added
} walk_state;

static uint64_t number_of(Dwarf_Die *die, unsigned name)
{
    Dwarf_Attribute attribute;
    Dwarf_Word value = 0;
    return dwarf_formudata(dwarf_attr(die, name, &attribute), &value) == 0 ? value : 0;
}

const char *dj_symbols_file_attribute(dj_symbols *symbols, Dwarf_Attribute *attribute)
{
    Dwarf_Die die;
    Dwarf_Attribute folder;
    Dwarf_Half version = 0;
    Dwarf_Files *files = NULL;
    size_t count = 0;
    Dwarf_Word file = 0;
    if (!attribute || dwarf_formudata(attribute, &file) != 0 ||
        dwarf_cu_info(attribute->cu, &version, NULL, &die, NULL, NULL, NULL, NULL) != 0 ||
        (file == 0 && version < 5) || dwarf_getsrcfiles(&die, &files, &count) != 0 || file >= count)
        return "";
    return dj_line_path(symbols, dwarf_formstring(dwarf_attr(&die, DW_AT_comp_dir, &folder)),
                        dwarf_filesrc(files, file, NULL, NULL));
}

static Dwarf_Die origin_of(Dwarf_Die *die)
{
    Dwarf_Attribute attribute;
    Dwarf_Die origin;
    bool has_origin =
        dwarf_attr(die, DW_AT_abstract_origin, &attribute) && dwarf_formref_die(&attribute, &origin);
    return has_origin ? origin : *die;
}

// Ensures capacity for one more scope and its origin.
static bool reserve(walk_state *walk)
{
    dj_unit *unit = walk->unit;
    if (unit->scope_count - walk->first < walk->capacity)
        return true;
    size_t capacity = walk->capacity ? 2 * walk->capacity : 16;
    dj_scope *scopes = walk->first + capacity < DJ_NO_SCOPE
                           ? realloc(unit->scopes, (walk->first + capacity) * sizeof *scopes)
                           : NULL;
    if (!scopes)
        return false;
    unit->scopes = scopes;
    Dwarf_Die *origins = realloc(walk->origins, capacity * sizeof *origins);
    if (!origins)
        return false;
    walk->origins = origins;
    walk->capacity = capacity;
    return true;
}

// The index of a new scope for the entry; DJ_NO_SCOPE: out of memory.
static uint32_t add_scope(walk_state *walk, Dwarf_Die *die, uint32_t parent, bool inlined)
{
    dj_unit *unit = walk->unit;
    if (!reserve(walk))
        return DJ_NO_SCOPE;
    walk->origins[unit->scope_count - walk->first] = origin_of(die);
    dj_scope scope = {.parent = parent, .inlined = inlined, .name = ""};
    Dwarf_Attribute file;
    scope.source_file =
        dj_symbols_file_attribute(walk->symbols, dwarf_attr_integrate(die, DW_AT_decl_file, &file));
    if (inlined) {
        scope.file = dj_symbols_file_attribute(walk->symbols, dwarf_attr(die, DW_AT_call_file, &file));
        scope.line = (uint32_t)number_of(die, DW_AT_call_line);
        scope.column = (uint32_t)number_of(die, DW_AT_call_column);
    } else {
        int line = 0;
        scope.file = scope.source_file;
        scope.line = dwarf_decl_line(die, &line) == 0 && line > 0 ? (uint32_t)line : 0;
    }
    Dwarf_Attribute type;
    scope.returns_nothing = !dwarf_attr_integrate(die, DW_AT_type, &type);
    unit->scopes[unit->scope_count] = scope;
    return (uint32_t)unit->scope_count++;
}

// Adds the ranges of an entry to a new scope; returns the enclosing scope if there are none.
static uint32_t enter(walk_state *walk, Dwarf_Die *die, uint32_t parent, bool inlined)
{
    uint32_t scope = DJ_NO_SCOPE;
    Dwarf_Addr base = 0, lo = 0, hi = 0, entry = 0;
    for (ptrdiff_t at = 0; (at = dwarf_ranges(die, at, &base, &lo, &hi)) > 0;) {
        if (walk->lines->range_budget == 0)
            break;
        walk->lines->range_budget--;
        if (scope == DJ_NO_SCOPE) {
            scope = add_scope(walk, die, parent, inlined);
            if (scope == DJ_NO_SCOPE)
                return parent;
            if (!inlined)
                walk->unit->scopes[scope].entry = dwarf_entrypc(die, &entry) == 0 ? entry : lo;
        }
        if (dj_ranges_add(&walk->spans, walk->symbols->quiet, lo, hi, scope) != DJ_OK)
            break;
    }
    return scope == DJ_NO_SCOPE ? parent : scope;
}

static bool is_known(walk_state *walk, Dwarf_Die *die)
{
    Dwarf_Addr base = 0, lo = 0, hi = 0;
    return walk->deep && dwarf_ranges(die, 0, &base, &lo, &hi) > 0 && dj_ranges_find(&walk->unit->spans, lo);
}

// Unoptimized code keeps variables in memory, but those of storage class register.
static void see_variable(walk_state *walk, Dwarf_Die *die, uint32_t scope)
{
    Dwarf_Attribute location;
    Dwarf_Op *operations;
    size_t count = 0;
    if (scope == DJ_NO_SCOPE || !walk->unit->unoptimized || !dwarf_attr(die, DW_AT_location, &location) ||
        dwarf_getlocation(&location, &operations, &count) != 0 || count != 1)
        return;
    const uint8_t atom = operations[0].atom;
    if ((atom >= DW_OP_reg0 && atom <= DW_OP_reg31) || atom == DW_OP_regx)
        walk->unit->scopes[scope].uses_registers = true;
}

// The scope that the entries below an entry belong to; false: they are skipped.
static bool look_below(walk_state *walk, Dwarf_Die *die, uint32_t *scope)
{
    switch (dwarf_tag(die)) {
    case DW_TAG_variable:
    case DW_TAG_formal_parameter:
        see_variable(walk, die, *scope);
        return false;
    case DW_TAG_subprogram:
        *scope = is_known(walk, die) ? DJ_NO_SCOPE : enter(walk, die, DJ_NO_SCOPE, false);
        return walk->deep ||
               *scope != DJ_NO_SCOPE; // otherwise a declaration, or a function that was inlined everywhere
    case DW_TAG_inlined_subroutine:
        if (*scope == DJ_NO_SCOPE)
            return false;
        *scope = enter(walk, die, *scope, true);
        return true;
    case DW_TAG_lexical_block:
    case DW_TAG_try_block:
    case DW_TAG_catch_block:
    case DW_TAG_namespace:
    case DW_TAG_module:
        return true;
    case DW_TAG_class_type:
    case DW_TAG_structure_type:
    case DW_TAG_union_type:
        *scope = DJ_NO_SCOPE;
        return walk->deep;
    default:
        return false;
    }
}

static void walk_children(walk_state *walk, Dwarf_Die *parent, uint32_t scope, unsigned depth)
{
    Dwarf_Die die;
    if (depth > DEPTH_MOST || dwarf_child(parent, &die) != 0)
        return;
    do {
        // A backward link must not be followed forever.
        if (walk->lines->entry_budget == 0)
            return;
        walk->lines->entry_budget--;
        uint32_t within = scope;
        if (look_below(walk, &die, &within))
            walk_children(walk, &die, within, depth + 1);
    } while (dwarf_siblingof(&die, &die) == 0);
}

int dj_unit_read_scopes(dj_symbols *symbols, dj_line_tables *lines, dj_unit *unit, Dwarf_Die *die, bool deep)
{
    walk_state walk = {
        .symbols = symbols, .lines = lines, .unit = unit, .deep = deep, .first = unit->scope_count};
    walk_children(&walk, die, DJ_NO_SCOPE, 0);
    int err = dj_unit_name_scopes(symbols, lines, unit, die, walk.first, walk.origins);
    for (size_t i = 0; err == DJ_OK && i < walk.spans.count; i++) {
        const dj_range *span = &walk.spans.rows[i];
        err = dj_ranges_add(&unit->spans, symbols->quiet, span->lo, span->hi, span->item);
    }
    free(walk.origins);
    dj_ranges_free(&walk.spans);
    return err != DJ_OK || unit->scope_count == walk.first ? err
                                                           : dj_ranges_flatten(&unit->spans, symbols->quiet);
}

const dj_scope *dj_unit_scope(const dj_unit *unit, uint64_t address)
{
    const dj_range *span = dj_ranges_find(&unit->spans, address);
    return span ? &unit->scopes[span->item] : NULL;
}
