// SPDX-License-Identifier: MIT
#include "symbols/type/type.h"

#include "symbols/dwarf_value.h"

enum { CHAIN_MOST = 64, DIMENSIONS_MOST = 32 };

int dj_types_create(dj_types *types, dj_context *context)
{
    *types = (dj_types){0};
    int err = dj_context_create(&types->scratch);
    if (err != DJ_OK)
        return dj_fail_memory(context, "types", 0);
    err = dj_map_create(&types->map, context, &types->footprint, 64);
    if (err != DJ_OK)
        dj_types_destroy(types);
    return err;
}

void dj_types_destroy(dj_types *types)
{
    dj_map_destroy(&types->map);
    dj_context_destroy(types->scratch);
    dj_arena_free(&types->arena);
    *types = (dj_types){0};
}

static bool is_wrapper(int tag)
{
    switch (tag) {
    case DW_TAG_typedef:
    case DW_TAG_const_type:
    case DW_TAG_volatile_type:
    case DW_TAG_restrict_type:
    case DW_TAG_atomic_type:
    case DW_TAG_immutable_type:
    case DW_TAG_packed_type:
    case DW_TAG_shared_type:
    case DW_TAG_template_alias:
        return true;
    default:
        return false;
    }
}

static bool peel(Dwarf_Die *type)
{
    for (unsigned i = 0; i < CHAIN_MOST; i++) {
        Dwarf_Die target;
        int tag = dwarf_tag(type);
        if (dwarf_hasattr(type, DW_AT_signature) && dj_dwarf_reference(type, DW_AT_signature, &target)) {
            *type = target; // in a type unit
            continue;
        }
        if (!is_wrapper(tag))
            return tag != DW_TAG_invalid;
        if (!dj_dwarf_reference(type, DW_AT_type, &target))
            return false;
        *type = target;
    }
    return false;
}

static bool read_dimension(Dwarf_Die *subrange, bool fortran, dj_dimension *dimension)
{
    int64_t upper;
    *dimension = (dj_dimension){.lower = fortran ? 1 : 0};
    bool known = !dwarf_hasattr(subrange, DW_AT_lower_bound) ||
                 dj_dwarf_constant(subrange, DW_AT_lower_bound, &dimension->lower);
    if (dj_dwarf_size(subrange, DW_AT_count, &dimension->count))
        return known;
    if (!dj_dwarf_constant(subrange, DW_AT_upper_bound, &upper))
        return known && !dwarf_hasattr(subrange, DW_AT_upper_bound) && !dwarf_hasattr(subrange, DW_AT_count);
    if (upper < dimension->lower)
        return known;
    if (__builtin_sub_overflow(upper, dimension->lower, &upper) || upper == INT64_MAX)
        return false;
    dimension->count = (uint64_t)upper + 1;
    return known;
}

static size_t read_dimensions(Dwarf_Die *array, bool fortran, dj_dimension *dimensions)
{
    Dwarf_Die child;
    size_t count = 0;
    if (dwarf_child(array, &child) != 0)
        return 0;
    do {
        int tag = dwarf_tag(&child);
        if (tag != DW_TAG_subrange_type && tag != DW_TAG_enumeration_type)
            continue;
        if (count == DIMENSIONS_MOST || !read_dimension(&child, fortran, &dimensions[count]))
            return 0;
        count++;
    } while (dwarf_siblingof(&child, &child) == 0);
    return count;
}

// The fastest-running index is the first one in Fortran and the last one in C.
static bool set_strides(dj_type *type, uint64_t stride)
{
    size_t count = type->dimension_count;
    for (size_t i = 0; i < count; i++) {
        size_t at = type->fortran ? i : count - 1 - i;
        dj_dimension *dimension = &type->dimensions[at];
        dimension->stride = stride;
        if (dimension->count == 0 && i + 1 < count)
            return false;
        if (__builtin_mul_overflow(stride, dimension->count, &stride) || stride > INT64_MAX)
            return false;
    }
    type->bytes = stride;
    return true;
}

static void build_array(dj_types *types, dj_type *type, Dwarf_Die *die)
{
    dj_dimension dimensions[DIMENSIONS_MOST];
    size_t count = read_dimensions(die, type->fortran, dimensions);
    uint64_t stride;
    type->element = dj_type_of_typed(types, die);
    if (!dj_dwarf_size(die, DW_AT_byte_stride, &stride))
        stride = type->element->bytes;
    type->dimensions = dj_arena_alloc(&types->arena, count, sizeof *dimensions);
    if (count == 0 || stride == 0 || type->dimensions == NULL)
        return;
    memcpy(type->dimensions, dimensions, count * sizeof *dimensions);
    type->dimension_count = count;
    if (set_strides(type, stride))
        type->kind = DJ_TYPE_ARRAY;
}

// libgfortran: address, offset, type and span take 40 bytes, each dimension 24.
enum { DESCRIPTOR_BYTES = 40, DESCRIPTOR_DIMENSION_BYTES = 24 };

static void build_descriptor(dj_type *type, Dwarf_Die *die)
{
    Dwarf_Die child;
    type->kind = DJ_TYPE_DESCRIPTOR;
    size_t rank = 0;
    if (dwarf_child(die, &child) == 0)
        do
            rank += dwarf_tag(&child) == DW_TAG_subrange_type;
        while (rank < DIMENSIONS_MOST && dwarf_siblingof(&child, &child) == 0);
    type->dimension_count = rank;
    if (type->bytes == 0)
        type->bytes = DESCRIPTOR_BYTES + rank * DESCRIPTOR_DIMENSION_BYTES;
}

static void build(dj_types *types, dj_type *type, Dwarf_Die *die)
{
    type->die = *die;
    type->fortran = dj_dwarf_is_fortran(die);
    if (!dj_dwarf_size(die, DW_AT_byte_size, &type->bytes))
        type->bytes = 0;
    switch (dwarf_tag(die)) {
    case DW_TAG_array_type:
        if (dwarf_hasattr(die, DW_AT_data_location))
            build_descriptor(type, die);
        else
            build_array(types, type, die);
        break;
    case DW_TAG_structure_type:
    case DW_TAG_class_type:
    case DW_TAG_interface_type:
        type->kind = DJ_TYPE_RECORD;
        break;
    case DW_TAG_union_type:
        type->kind = DJ_TYPE_UNION;
        break;
    case DW_TAG_pointer_type:
    case DW_TAG_reference_type:
    case DW_TAG_rvalue_reference_type:
        type->kind = DJ_TYPE_POINTER;
        if (type->bytes == 0)
            type->bytes = sizeof(uint64_t);
        break;
    default:
        type->kind = type->bytes > 0 ? DJ_TYPE_SCALAR : DJ_TYPE_UNKNOWN;
        break;
    }
    if (type->kind != DJ_TYPE_UNKNOWN || type->bytes > 0)
        return;
    // An enumeration or a range may have its size only in the underlying type.
    if (dwarf_tag(die) == DW_TAG_enumeration_type || dwarf_tag(die) == DW_TAG_subrange_type) {
        type->bytes = dj_type_of_typed(types, die)->bytes;
        type->kind = type->bytes > 0 ? DJ_TYPE_SCALAR : DJ_TYPE_UNKNOWN;
    }
}

dj_type *dj_type_of(dj_types *types, Dwarf_Die *type)
{
    Dwarf_Die peeled = *type;
    if (!peel(&peeled) || types->depth == DJ_TYPE_DEPTH_MOST)
        return &types->unknown;
    uint64_t *place = dj_map_at(&types->map, types->scratch, (uintptr_t)peeled.addr);
    if (place == NULL)
        return &types->unknown;
    if (*place != 0)
        return (dj_type *)(uintptr_t)*place;
    dj_type *made = dj_arena_alloc(&types->arena, 1, sizeof *made);
    *place = (uintptr_t)(made != NULL ? made : &types->unknown);
    if (made == NULL)
        return &types->unknown;
    types->depth++;
    build(types, made, &peeled);
    types->depth--;
    return made;
}

dj_type *dj_type_of_typed(dj_types *types, Dwarf_Die *typed)
{
    Dwarf_Die type;
    return dj_dwarf_reference(typed, DW_AT_type, &type) ? dj_type_of(types, &type) : &types->unknown;
}

dj_type *dj_type_pointee(dj_types *types, dj_type *type)
{
    if (type->kind != DJ_TYPE_POINTER && type->kind != DJ_TYPE_DESCRIPTOR)
        return &types->unknown;
    return dj_type_of_typed(types, &type->die);
}
