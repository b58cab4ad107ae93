// SPDX-License-Identifier: MIT
// Names of variables with what they stand in: namespaces, classes, Fortran
// modules and COMMON blocks. libdw does not know the parent of a DIE, so the
// way down from the unit is searched, once for each variable that is met.
#include "symbols/data.h"
#include "symbols/dwarf_value.h"

enum { PATH_MOST = 32, CHAIN_MOST = 16 };

// The DIEs around `die`, from the outermost below the unit; how many.
static size_t path_to(Dwarf_Die *die, Dwarf_Die path[PATH_MOST])
{
    Dwarf_Die unit, child, next;
    size_t count = 0;
    if (dwarf_diecu(die, &unit, NULL, NULL) == NULL || dwarf_child(&unit, &child) != 0)
        return 0;
    while (count < PATH_MOST) {
        while (child.addr != die->addr && dwarf_siblingof(&child, &next) == 0 &&
               (char *)next.addr <= (char *)die->addr)
            child = next;
        if (child.addr == die->addr || (char *)child.addr > (char *)die->addr)
            return count;
        path[count++] = child;
        if (dwarf_child(&path[count - 1], &child) != 0)
            return 0;
    }
    return 0;
}

// The declaration, which stands where the name belongs.
static Dwarf_Die declaration_of(const Dwarf_Die *die)
{
    Dwarf_Die at = *die, target;
    Dwarf_Attribute memory;
    for (unsigned i = 0; i < CHAIN_MOST; i++) {
        if ((dwarf_attr(&at, DW_AT_specification, &memory) == NULL &&
             dwarf_attr(&at, DW_AT_abstract_origin, &memory) == NULL) ||
            dwarf_formref_die(&memory, &target) == NULL)
            break;
        at = target;
    }
    return at;
}

static void write_scope(Dwarf_Die *scope, dj_phrase *phrase)
{
    const char *name = dwarf_diename(scope);
    switch (dwarf_tag(scope)) {
    case DW_TAG_namespace:
        dj_phrase_print(phrase, "%s::", name != NULL ? name : "(anonymous namespace)");
        break;
    case DW_TAG_module:
    case DW_TAG_structure_type:
    case DW_TAG_class_type:
    case DW_TAG_union_type:
        if (name != NULL)
            dj_phrase_print(phrase, "%s::", name);
        break;
    case DW_TAG_common_block:
        dj_phrase_print(phrase, "/%s/ ", name != NULL && strcmp(name, "__BLNK__") != 0 ? name : "");
        break;
    default:
        break;
    }
}

void dj_variable_name(dj_data *data, Dwarf_Die *die, dj_phrase *phrase)
{
    Dwarf_Die declaration = declaration_of(die), path[PATH_MOST];
    size_t count = path_to(&declaration, path), first = 0;
    const char *name = dwarf_diename(die);
    (void)data;
    // What stands in a function is known by its own name there.
    for (size_t i = 0; i < count; i++)
        if (dwarf_tag(&path[i]) == DW_TAG_subprogram)
            first = i + 1;
    for (size_t i = first; i < count; i++)
        write_scope(&path[i], phrase);
    dj_phrase_add(phrase, name != NULL ? name : "");
}

bool dj_variable_owner(Dwarf_Die *die, Dwarf_Die *owner)
{
    Dwarf_Die path[PATH_MOST];
    for (size_t count = path_to(die, path); count > 0; count--) {
        int tag = dwarf_tag(&path[count - 1]);
        if (tag == DW_TAG_common_block)
            return false;
        if (tag == DW_TAG_subprogram) {
            *owner = path[count - 1];
            return true;
        }
    }
    return false;
}
