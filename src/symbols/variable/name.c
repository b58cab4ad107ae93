// SPDX-License-Identifier: MIT
// Names of variables with their namespaces, classes, Fortran modules and COMMON blocks.
#include "symbols/code.h"
#include "symbols/data/data.h"
#include "symbols/dwarf_value.h"

enum { SCOPES_MOST = 64 };

static void write_scope(Dwarf_Die *scope, dj_string_builder *builder)
{
    const char *name = dwarf_diename(scope);
    switch (dwarf_tag(scope)) {
    case DW_TAG_namespace:
        dj_string_builder_print(builder, "%s::", name != NULL ? name : "(anonymous namespace)");
        break;
    case DW_TAG_module:
        if (name != NULL)
            dj_string_builder_print(builder, "%s::", name);
        break;
    case DW_TAG_common_block:
        dj_string_builder_print(builder, "/%s/ ", name != NULL && strcmp(name, "__BLNK__") != 0 ? name : "");
        break;
    default:
        break;
    }
}

// A variable declared in a class or a namespace and defined elsewhere is named by its linkage name: libdw
// does not provide the parent of the declaration.
static const char *linkage_of(const dj_data *data, Dwarf_Die *die)
{
    Dwarf_Attribute memory;
    uint64_t address;
    if (dwarf_attr_integrate(die, DW_AT_linkage_name, &memory) != NULL)
        return dwarf_formstring(&memory);
    const dj_object_symbol *object =
        dj_variable_address(die, &address) ? dj_data_object_at(data, address) : NULL;
    return object != NULL ? object->name : NULL;
}

static bool write_declared(const dj_data *data, Dwarf_Die *die, dj_string_builder *builder)
{
    const char *linkage = dwarf_hasattr(die, DW_AT_specification) ? linkage_of(data, die) : NULL;
    if (linkage == NULL || !dj_function_demangle(linkage, builder->start, builder->capacity))
        return false;
    builder->length = strlen(builder->start);
    return true;
}

void dj_variable_name(const dj_data *data, Dwarf_Die *die, uint32_t scope, dj_string_builder *builder)
{
    uint32_t path[SCOPES_MOST];
    size_t count = 0;
    const char *name = dwarf_diename(die);
    // A variable in a function is named by its plain name there.
    for (; scope != 0 && count < SCOPES_MOST; scope = data->scopes[scope - 1].parent) {
        int tag = dwarf_tag(&data->scopes[scope - 1].die);
        if (tag == DW_TAG_subprogram)
            break;
        path[count++] = scope;
    }
    if (scope == 0 && write_declared(data, die, builder))
        return;
    while (count > 0)
        write_scope(&data->scopes[path[--count] - 1].die, builder);
    dj_string_builder_add(builder, name != NULL ? name : "");
}

bool dj_variable_owner(const dj_data *data, uint32_t scope, Dwarf_Die *owner)
{
    for (; scope != 0; scope = data->scopes[scope - 1].parent) {
        int tag = dwarf_tag(&data->scopes[scope - 1].die);
        if (tag == DW_TAG_common_block)
            return false;
        *owner = data->scopes[scope - 1].die;
        if (tag == DW_TAG_subprogram)
            return true;
    }
    return false;
}
