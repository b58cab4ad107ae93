// SPDX-License-Identifier: MIT
// Names of the functions of a compilation unit. C++ functions that are local to a unit have no linkage
// name; their names are composed from the namespaces and classes around them, which needs a separate
// search.
#include <dwarf.h>
#include <stdio.h>

#include "base/map.h"
#include "symbols/code.h"

enum { DEPTH_MOST = 64, PREFIX_CAPACITY = 1024, LANG_C_PLUS_PLUS_17 = 0x2b, LANG_C_PLUS_PLUS_20 = 0x2c };

typedef struct naming_state {
    dj_symbols *symbols;
    dj_line_tables *lines;
    dj_footprint footprint;
    dj_map names;   // offset of an entry → its name, a char *
    size_t missing; // number of names still to be composed
    char prefix[PREFIX_CAPACITY];
} naming_state;

static const char *text_of(Dwarf_Die *die, unsigned name)
{
    Dwarf_Attribute attribute;
    return dwarf_formstring(dwarf_attr_integrate(die, name, &attribute));
}

static const char *linkage_of(Dwarf_Die *die)
{
    const char *linkage = text_of(die, DW_AT_linkage_name);
    return linkage ? linkage : text_of(die, DW_AT_MIPS_linkage_name);
}

// The declaration of the entry: within its class, if it is a member.
static Dwarf_Die declaration_of(Dwarf_Die *die)
{
    Dwarf_Attribute attribute;
    Dwarf_Die declaration;
    bool has_declaration =
        dwarf_attr(die, DW_AT_specification, &attribute) && dwarf_formref_die(&attribute, &declaration);
    return has_declaration ? declaration : *die;
}

static bool is_cplusplus(Dwarf_Die *unit)
{
    switch (dwarf_srclang(unit)) {
    case DW_LANG_C_plus_plus:
    case DW_LANG_C_plus_plus_03:
    case DW_LANG_C_plus_plus_11:
    case DW_LANG_C_plus_plus_14:
    case LANG_C_PLUS_PLUS_17:
    case LANG_C_PLUS_PLUS_20:
        return true;
    default:
        return false;
    }
}

static bool is_around(Dwarf_Die *die)
{
    switch (dwarf_tag(die)) {
    case DW_TAG_namespace:
    case DW_TAG_class_type:
    case DW_TAG_structure_type:
    case DW_TAG_union_type:
        return true;
    default:
        return false;
    }
}

static void name_within(naming_state *naming, Dwarf_Die *parent, size_t used, unsigned depth)
{
    Dwarf_Die die;
    if (depth > DEPTH_MOST || dwarf_child(parent, &die) != 0)
        return;
    do {
        if (naming->lines->entry_budget == 0 || naming->missing == 0)
            return;
        naming->lines->entry_budget--;
        bool around = is_around(&die);
        dj_map_entry *entry = around || used == 0 || dwarf_tag(&die) != DW_TAG_subprogram
                                  ? NULL
                                  : dj_map_probe(&naming->names, (uint64_t)(uintptr_t)die.addr);
        const char *name =
            around || (entry && entry->value && !linkage_of(&die)) ? dwarf_diename(&die) : NULL;
        if (around && !name)
            name = dwarf_tag(&die) == DW_TAG_namespace ? "(anonymous namespace)" : "(anonymous class)";
        if (!name)
            continue;
        int length = snprintf(naming->prefix + used, PREFIX_CAPACITY - used, "%s%s", used ? "::" : "", name);
        if (length < 0 || (size_t)length >= PREFIX_CAPACITY - used)
            continue;
        if (around) {
            name_within(naming, &die, used + (size_t)length, depth + 1);
        } else {
            entry->value = (uint64_t)(uintptr_t)dj_symbols_keep(naming->symbols, naming->prefix);
            naming->missing--;
        }
    } while (dwarf_siblingof(&die, &die) == 0);
}

// Gives an origin its own name.
static int name_origin(naming_state *naming, Dwarf_Die *origin, bool put_together)
{
    const char *linkage = linkage_of(origin);
    Dwarf_Die declaration = declaration_of(origin);
    uint64_t *name = dj_map_at(&naming->names, naming->symbols->quiet, (uint64_t)(uintptr_t)declaration.addr);
    if (!name)
        return DJ_ERR_MEMORY;
    if (*name == 0) {
        *name =
            (uint64_t)(uintptr_t)dj_function_readable(naming->symbols, linkage, text_of(origin, DW_AT_name));
        naming->missing += put_together && !linkage;
    }
    return DJ_OK;
}

int dj_unit_name_scopes(dj_symbols *symbols, dj_line_tables *lines, dj_unit *unit, Dwarf_Die *die,
                        size_t first, Dwarf_Die *origins)
{
    naming_state naming = {.symbols = symbols, .lines = lines};
    bool put_together = is_cplusplus(die);
    int err = dj_map_create(&naming.names, symbols->quiet, &naming.footprint, unit->scope_count - first);
    for (size_t i = first; err == DJ_OK && i < unit->scope_count; i++)
        err = name_origin(&naming, &origins[i - first], put_together);
    if (err == DJ_OK && naming.missing > 0)
        name_within(&naming, die, 0, 0);
    for (size_t i = first; err == DJ_OK && i < unit->scope_count; i++) {
        Dwarf_Die declaration = declaration_of(&origins[i - first]);
        unit->scopes[i].name =
            (const char *)(uintptr_t)dj_map_get(&naming.names, (uint64_t)(uintptr_t)declaration.addr);
    }
    dj_map_destroy(&naming.names);
    return err;
}
