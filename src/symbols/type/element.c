// SPDX-License-Identifier: MIT
// The name of a part of a value, by descending into its type.
#include <inttypes.h>

#include "symbols/type/type.h"

enum { WORK_MOST = 1 << 20 };

typedef struct range {
    uint64_t offset, bytes;
    bool exact; // exactly that many bytes are accessed; otherwise their number is unknown
} range;

// A flexible array at the end of a record has no size: everything that follows belongs to it.
static bool is_open(const dj_type *type)
{
    return type->kind == DJ_TYPE_ARRAY && type->bytes == 0;
}

static bool is_inside(const dj_member *member, range part)
{
    if (member->bit_field || member->bit % 8 != 0 || part.offset < member->bit / 8)
        return false;
    uint64_t from = part.offset - member->bit / 8, bytes = member->bits / 8;
    return is_open(member->type) || (from < bytes && part.bytes <= bytes - from);
}

static range part_of_member(const dj_member *member, range part)
{
    return (range){part.offset - member->bit / 8, part.bytes, part.exact};
}

// Whether the part is within one element; then narrows it to that element.
static bool enter_array(const dj_type *type, range *part)
{
    uint64_t stride = type->dimensions[type->fortran ? 0 : type->dimension_count - 1].stride;
    if (stride == 0)
        return false;
    part->offset %= stride;
    return part->offset < type->element->bytes && part->bytes <= type->element->bytes - part->offset;
}

enum { FIT_NONE, FIT_WITHIN, FIT_EXACT };

static const dj_member *best_member(dj_types *types, dj_type *type, range part, unsigned depth,
                                    unsigned *work);

// How well a part of a type matches what a program would access at once.
static int fit(dj_types *types, dj_type *type, range part, unsigned depth, unsigned *work)
{
    while (depth < DJ_TYPE_DEPTH_MOST && ++*work < WORK_MOST) {
        depth++;
        const dj_member *member;
        switch (type->kind) {
        case DJ_TYPE_SCALAR:
        case DJ_TYPE_POINTER:
        case DJ_TYPE_DESCRIPTOR:
            return part.offset == 0 && (part.bytes == type->bytes || !part.exact) ? FIT_EXACT : FIT_WITHIN;
        case DJ_TYPE_ARRAY:
            if (!enter_array(type, &part))
                return FIT_WITHIN;
            type = type->element;
            break;
        case DJ_TYPE_RECORD:
        case DJ_TYPE_UNION:
            member = best_member(types, type, part, depth, work);
            if (member == NULL)
                return FIT_NONE;
            part = part_of_member(member, part);
            type = member->type;
            break;
        default:
            return FIT_NONE;
        }
    }
    return FIT_NONE;
}

// Among the members that contain the part, the one whose parts match it best. In a record there are several
// only if one has no members, such as an empty base class.
static const dj_member *best_member(dj_types *types, dj_type *type, range part, unsigned depth,
                                    unsigned *work)
{
    const dj_member *best = NULL;
    int best_fit = -1;
    dj_type_expand(types, type);
    for (size_t i = 0; i < type->member_count && ++*work < WORK_MOST; i++) {
        const dj_member *member = &type->members[i];
        if (!is_inside(member, part))
            continue;
        int how = best == NULL && i + 1 == type->member_count
                      ? FIT_NONE
                      : fit(types, member->type, part_of_member(member, part), depth, work);
        if (how > best_fit) {
            best = member;
            best_fit = how;
        }
    }
    return best;
}

// The bit fields in the part: ".kind|flags". Nothing if it contains something else, too.
static void write_bit_fields(const dj_type *type, range part, dj_string_builder *builder)
{
    uint64_t first = part.offset * 8, end = first + part.bytes * 8;
    unsigned found = 0;
    for (size_t i = 0; i < type->member_count; i++) {
        const dj_member *member = &type->members[i];
        if (member->bit >= end || member->bits > UINT64_MAX - member->bit ||
            member->bit + member->bits <= first || member->bits == 0)
            continue;
        if (!member->bit_field)
            return;
        found++;
    }
    if (found == 0)
        return;
    char mark = type->fortran ? '%' : '.';
    for (size_t i = 0; i < type->member_count; i++) {
        const dj_member *member = &type->members[i];
        if (!member->bit_field || member->bit >= end || member->bit + member->bits <= first ||
            member->name[0] == 0)
            continue;
        dj_string_builder_print(builder, "%c%s", mark, member->name);
        mark = '|';
    }
}

static void write_index(const dj_dimension *dimension, uint64_t offset, bool any_index,
                        dj_string_builder *builder)
{
    if (any_index) {
        dj_string_builder_add(builder, "*");
        return;
    }
    uint64_t index = dimension->stride == 0 ? 0 : offset / dimension->stride;
    if (dimension->count != 0)
        index %= dimension->count;
    dj_string_builder_print(builder, "%" PRId64, (int64_t)((uint64_t)dimension->lower + index));
}

static void write_indexes(const dj_type *type, uint64_t offset, bool any_index, dj_string_builder *builder)
{
    for (size_t i = 0; i < type->dimension_count; i++) {
        dj_string_builder_add(builder, !type->fortran ? "[" : i == 0 ? "(" : ",");
        write_index(&type->dimensions[i], offset, any_index, builder);
        if (!type->fortran || i + 1 == type->dimension_count)
            dj_string_builder_add(builder, type->fortran ? ")" : "]");
    }
}

dj_type *dj_type_element(dj_types *types, dj_type *type, uint64_t offset, uint64_t bytes, bool any_index,
                         dj_string_builder *builder)
{
    range part = {offset, bytes > 0 ? bytes : 1, bytes > 0};
    unsigned work = 0;
    if (offset > INT64_MAX / 16 || bytes > INT64_MAX / 16)
        return &types->unknown;
    for (unsigned depth = 0; depth < DJ_TYPE_DEPTH_MOST; depth++) {
        if (type->kind == DJ_TYPE_ARRAY) {
            if (type->bytes != 0 && part.offset >= type->bytes)
                return type;
            write_indexes(type, part.offset, any_index, builder);
            if (!enter_array(type, &part))
                return type;
            type = type->element;
        } else if (type->kind == DJ_TYPE_RECORD || type->kind == DJ_TYPE_UNION) {
            const dj_member *member = best_member(types, type, part, 0, &work);
            if (member == NULL) {
                write_bit_fields(type, part, builder);
                return type;
            }
            if (member->name[0] != 0)
                dj_string_builder_print(builder, "%c%s", type->fortran ? '%' : '.', member->name);
            part = part_of_member(member, part);
            type = member->type;
        } else {
            return type;
        }
    }
    return &types->unknown;
}
