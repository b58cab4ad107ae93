// SPDX-License-Identifier: MIT
// Members of structures, classes and unions.
#include "symbols/dwarf_value.h"
#include "symbols/type/type.h"

enum { MEMBERS_MOST = 1 << 16 };

// Bytes from the start of the record; false for a virtual base, whose position depends on the object.
static bool read_location(Dwarf_Die *die, int64_t *bytes)
{
    Dwarf_Attribute memory;
    Dwarf_Op *operations;
    size_t count;
    *bytes = 0;
    if (dwarf_attr_integrate(die, DW_AT_data_member_location, &memory) == NULL ||
        dj_dwarf_constant(die, DW_AT_data_member_location, bytes))
        return true;
    if (dwarf_getlocation(&memory, &operations, &count) != 0 || count != 1 ||
        operations[0].atom != DW_OP_plus_uconst)
        return false;
    *bytes = (int64_t)operations[0].number;
    return true;
}

static bool read_bits(Dwarf_Die *die, const dj_type *type, int64_t bytes, dj_member *member)
{
    int64_t bit, from_top, bits;
    uint64_t storage;
    if (__builtin_mul_overflow(bytes, 8, &bit))
        return false;
    if (!dj_dwarf_constant(die, DW_AT_bit_size, &bits)) {
        member->bit = (uint64_t)bit;
        member->bits = type->bytes > UINT64_MAX / 8 ? 0 : 8 * type->bytes;
        return bit >= 0;
    }
    if (dj_dwarf_constant(die, DW_AT_data_bit_offset, &from_top)) {
        bit = from_top;
    } else if (dj_dwarf_constant(die, DW_AT_bit_offset, &from_top)) {
        // Counted from the top of the storage unit, as on a big-endian machine.
        if (!dj_dwarf_size(die, DW_AT_byte_size, &storage))
            storage = type->bytes;
        if (storage > 64 || bits < 0 || bits > 512 || from_top < -512 || from_top > 512 ||
            __builtin_add_overflow(bit, (int64_t)(8 * storage) - from_top - bits, &bit))
            return false;
    }
    member->bit_field = true;
    member->bit = (uint64_t)bit;
    member->bits = (uint64_t)bits;
    return bit >= 0 && bits > 0;
}

static bool read_member(dj_types *types, Dwarf_Die *die, dj_member *member)
{
    int tag = dwarf_tag(die);
    int64_t bytes;
    if (tag != DW_TAG_member && tag != DW_TAG_inheritance)
        return false;
    // A static member is declared here and stored elsewhere.
    if (dj_dwarf_flag(die, DW_AT_declaration) || dj_dwarf_flag(die, DW_AT_external) ||
        !read_location(die, &bytes))
        return false;
    const char *name = tag == DW_TAG_member ? dwarf_diename(die) : NULL;
    *member = (dj_member){.name = name != NULL ? name : "", .type = dj_type_of_typed(types, die)};
    return read_bits(die, member->type, bytes, member);
}

void dj_type_expand(dj_types *types, dj_type *type)
{
    Dwarf_Die child;
    if (type->expanded || (type->kind != DJ_TYPE_RECORD && type->kind != DJ_TYPE_UNION))
        return;
    type->expanded = true;
    if (dwarf_child(&type->die, &child) != 0)
        return;
    size_t count = 0;
    do
        count++;
    while (count < MEMBERS_MOST && dwarf_siblingof(&child, &child) == 0);
    dj_member *members = dj_arena_alloc(&types->arena, count, sizeof *members);
    if (members == NULL || dwarf_child(&type->die, &child) != 0)
        return;
    for (size_t i = 0; i < count; i++) {
        type->member_count += read_member(types, &child, &members[type->member_count]);
        if (dwarf_siblingof(&child, &child) != 0)
            break;
    }
    type->members = members;
}
