// SPDX-License-Identifier: MIT
// Names of types, in the notation of their language.
#include <inttypes.h>

#include "symbols/dwarf_value.h"
#include "symbols/type/type.h"

enum { NESTING_MOST = 16 };

static void write_type(dj_types *types, Dwarf_Die *die, unsigned depth, dj_string_builder *builder);

static void write_target(dj_types *types, Dwarf_Die *typed, unsigned depth, dj_string_builder *builder)
{
    Dwarf_Die target;
    if (depth == NESTING_MOST)
        dj_string_builder_add(builder, "…");
    else if (dj_dwarf_reference(typed, DW_AT_type, &target))
        write_type(types, &target, depth + 1, builder);
    else
        dj_string_builder_add(builder, "void");
}

static void write_bounds(const dj_type *type, dj_string_builder *builder)
{
    if (!type->fortran && (builder->length == 0 || builder->start[builder->length - 1] != '*'))
        dj_string_builder_add(builder, " ");
    for (size_t i = 0; i < type->dimension_count; i++) {
        const dj_dimension *dimension = &type->dimensions[i];
        if (!type->fortran) {
            dj_string_builder_add(builder, "[");
            if (dimension->count != 0)
                dj_string_builder_print(builder, "%" PRIu64, dimension->count);
            dj_string_builder_add(builder, "]");
            continue;
        }
        dj_string_builder_add(builder, i == 0 ? " (" : ",");
        if (dimension->lower != 1)
            dj_string_builder_print(builder, "%" PRId64 ":", dimension->lower);
        if (dimension->count != 0)
            dj_string_builder_print(builder, "%" PRId64,
                                    (int64_t)((uint64_t)dimension->lower + dimension->count - 1));
        else
            dj_string_builder_add(builder, "*");
        if (i + 1 == type->dimension_count)
            dj_string_builder_add(builder, ")");
    }
}

static void write_array(dj_types *types, Dwarf_Die *die, unsigned depth, dj_string_builder *builder)
{
    const dj_type *type = dj_type_of(types, die);
    write_target(types, die, depth, builder);
    if (type->kind == DJ_TYPE_ARRAY) {
        write_bounds(type, builder);
    } else if (type->kind == DJ_TYPE_DESCRIPTOR) {
        for (size_t i = 0; i < type->dimension_count; i++)
            dj_string_builder_add(builder, i == 0 ? " (:" : ",:");
        if (type->dimension_count > 0)
            dj_string_builder_add(builder, ")");
    } else {
        dj_string_builder_add(builder, type->fortran ? " (…)" : " []");
    }
}

static void write_pointer(dj_types *types, Dwarf_Die *die, const char *mark, unsigned depth,
                          dj_string_builder *builder)
{
    Dwarf_Die target;
    int tag = dj_dwarf_reference(die, DW_AT_type, &target) ? dwarf_tag(&target) : 0;
    if (tag == DW_TAG_array_type && !dj_dwarf_is_fortran(die)) {
        const dj_type *array = dj_type_of(types, &target);
        write_target(types, &target, depth, builder);
        dj_string_builder_print(builder, " (%s)", mark);
        if (array->kind == DJ_TYPE_ARRAY)
            for (size_t i = 0; i < array->dimension_count; i++)
                dj_string_builder_print(builder, "[%" PRIu64 "]", array->dimensions[i].count);
        return;
    }
    write_target(types, die, depth, builder);
    size_t length = builder->length;
    if (length == 0 || builder->start[length - 1] != '*')
        dj_string_builder_add(builder, " ");
    dj_string_builder_add(builder, mark);
}

static void write_record(Dwarf_Die *die, const char *word, dj_string_builder *builder)
{
    const char *name = dwarf_diename(die);
    Dwarf_Die target;
    if (name == NULL && dj_dwarf_reference(die, DW_AT_signature, &target))
        name = dwarf_diename(&target);
    if (dj_dwarf_is_fortran(die))
        dj_string_builder_print(builder, "type(%s)", name != NULL ? name : "?");
    else if (name == NULL)
        dj_string_builder_print(builder, "%s", word);
    else if (dj_dwarf_is_c(die))
        dj_string_builder_print(builder, "%s %s", word, name);
    else
        dj_string_builder_add(builder, name);
}

static void write_type(dj_types *types, Dwarf_Die *die, unsigned depth, dj_string_builder *builder)
{
    const char *name;
    uint64_t bytes;
    switch (dwarf_tag(die)) {
    case DW_TAG_array_type:
        write_array(types, die, depth, builder);
        break;
    case DW_TAG_pointer_type:
        write_pointer(types, die, "*", depth, builder);
        break;
    case DW_TAG_reference_type:
        write_pointer(types, die, "&", depth, builder);
        break;
    case DW_TAG_rvalue_reference_type:
        write_pointer(types, die, "&&", depth, builder);
        break;
    case DW_TAG_const_type:
        dj_string_builder_add(builder, "const ");
        write_target(types, die, depth, builder);
        break;
    case DW_TAG_volatile_type:
    case DW_TAG_restrict_type:
    case DW_TAG_atomic_type:
        write_target(types, die, depth, builder);
        break;
    case DW_TAG_structure_type:
        write_record(die, "struct", builder);
        break;
    case DW_TAG_class_type:
        write_record(die, "class", builder);
        break;
    case DW_TAG_union_type:
        write_record(die, "union", builder);
        break;
    case DW_TAG_enumeration_type:
        write_record(die, "enum", builder);
        break;
    case DW_TAG_subroutine_type:
        dj_string_builder_add(builder, "function");
        break;
    case DW_TAG_string_type:
        dj_string_builder_add(builder, "character");
        if (dj_dwarf_size(die, DW_AT_byte_size, &bytes))
            dj_string_builder_print(builder, "(len=%" PRIu64 ")", bytes);
        break;
    default:
        name = dwarf_diename(die);
        dj_string_builder_add(builder, name != NULL ? name : "?");
        break;
    }
}

void dj_type_write(dj_types *types, Dwarf_Die *type, dj_string_builder *builder)
{
    write_type(types, type, 0, builder);
}

void dj_type_write_typed(dj_types *types, Dwarf_Die *typed, dj_string_builder *builder)
{
    Dwarf_Die target;
    if (dj_dwarf_reference(typed, DW_AT_type, &target))
        write_type(types, &target, 0, builder);
}
