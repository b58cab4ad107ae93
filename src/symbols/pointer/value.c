// SPDX-License-Identifier: MIT
// Addresses with names: what is there, and what a load from there returns.
#include "symbols/pointer/pointer.h"

enum { NAME_CAPACITY = 256 };

dj_type *dj_value_part(dj_data *data, const dj_value *value, int64_t offset, dj_string_builder *builder)
{
    dj_types *types = &data->types;
    char text[NAME_CAPACITY];
    dj_string_builder part = dj_string_builder_begin(text, sizeof text);
    if (value->kind != DJ_VALUE_ADDRESS || __builtin_add_overflow(offset, value->offset, &offset) ||
        offset < 0)
        return &types->unknown;
    if (!value->target) {
        dj_type *type = dj_type_element(types, value->type, (uint64_t)offset, 8, value->any, &part);
        dj_string_builder_print(builder, "%s%s", value->name, text);
        return type;
    }
    if (value->type->bytes == 0)
        return &types->unknown;
    uint64_t index = (uint64_t)offset / value->type->bytes;
    dj_type *type =
        dj_type_element(types, value->type, (uint64_t)offset % value->type->bytes, 8, value->any, &part);
    if (value->any)
        dj_string_builder_print(builder, "%s[*]%s", value->name, text);
    else if (index == 0 && text[0] == '.')
        dj_string_builder_print(builder, "%s->%s", value->name, text + 1);
    else if (index == 0 && text[0] == 0)
        dj_string_builder_print(builder, "*%s", value->name);
    else
        dj_string_builder_print(builder, "%s[%llu]%s", value->name, (unsigned long long)index, text);
    return type;
}

dj_value dj_value_load(dj_data *data, const dj_value *from, int64_t offset)
{
    char name[NAME_CAPACITY];
    dj_string_builder builder = dj_string_builder_begin(name, sizeof name);
    dj_type *type = dj_value_part(data, from, offset, &builder);
    // Names that grow without end come from loops over lists.
    if (type->kind != DJ_TYPE_POINTER || builder.length + 1 >= sizeof name / 2)
        return (dj_value){0};
    return (dj_value){.kind = DJ_VALUE_ADDRESS,
                      .target = true,
                      .type = dj_type_pointee(&data->types, type),
                      .variable = from->variable,
                      .name = dj_symbols_keep(data->symbols, name)};
}

static dj_value address_of(dj_follow *follow, uint32_t number, int64_t offset)
{
    const dj_variable *variable = dj_numbered_get(&follow->data->symbols->variables, number);
    if (variable == NULL || variable->type == NULL || variable->info.name[0] == 0)
        return (dj_value){0};
    return (dj_value){.kind = DJ_VALUE_ADDRESS,
                      .offset = offset + (int64_t)variable->skip,
                      .type = variable->type,
                      .variable = number,
                      .name = variable->info.name};
}

dj_value dj_value_static(dj_follow *follow, uint64_t address)
{
    dj_extent extent;
    uint64_t offset = address - follow->data->module->base;
    if (!dj_files_global(follow->data->symbols, follow->data->module->id, offset, &extent))
        return (dj_value){0};
    return address_of(follow, extent.variable, (int64_t)offset - extent.lo);
}

dj_value dj_value_local(dj_follow *follow, int64_t cfa_offset)
{
    dj_extent extent;
    if (!dj_files_local(follow->data->symbols, follow->function, follow->pc - follow->data->module->base,
                        cfa_offset, &extent))
        return (dj_value){0};
    return address_of(follow, extent.variable, cfa_offset - extent.lo);
}

// The variable that DWARF has in a register: a pointer to a known type, preferably of the function itself
// rather than of a function inlined into it.
static dj_value variable_in(dj_follow *follow, int reg)
{
    dj_value best = {0};
    for (size_t i = 0; follow->locals != NULL && i < follow->locals->count; i++) {
        dj_local *local = &follow->locals->list[i];
        const dj_local_place *place = dj_local_place_at(follow->locals, local, follow->pc);
        bool inlined = follow->locals->scopes[local->scope].inlined;
        if (place == NULL || !place->in_register || place->by.reg != reg ||
            (best.kind != DJ_VALUE_NONE && inlined) ||
            !dj_locals_in_scope(follow->locals, local->scope, follow->pc))
            continue;
        uint32_t number = dj_local_variable(follow->data, follow->locals, local, follow->function);
        dj_value variable = address_of(follow, number, 0);
        dj_value value = dj_value_load(follow->data, &variable, 0);
        if (value.kind != DJ_VALUE_NONE && value.type->bytes > 0)
            best = value;
    }
    return best;
}

dj_value dj_value_register(dj_follow *follow, int reg)
{
    if (reg < 0 || reg >= DJ_REGISTER_COUNT)
        return (dj_value){0};
    dj_value value = follow->now.values[reg];
    return value.kind != DJ_VALUE_NONE ? value : variable_in(follow, reg);
}

dj_value dj_value_named(dj_follow *follow, dj_value value, bool declared)
{
    dj_value variable = {0};
    int64_t start = 0;
    if (value.kind != DJ_VALUE_RESULT)
        return value;
    for (int reg = 0; reg < DJ_REGISTER_COUNT && variable.kind == DJ_VALUE_NONE; reg++) {
        const dj_value *same = &follow->now.values[reg];
        if (same->kind != DJ_VALUE_RESULT || same->call != value.call || same->any)
            continue;
        variable = variable_in(follow, reg);
        start = same->offset;
    }
    if (variable.kind == DJ_VALUE_NONE && declared) {
        uint32_t number = dj_pointer_declared(follow->data, follow->subprogram, value.call - 1);
        dj_value address = address_of(follow, number, 0);
        variable = dj_value_load(follow->data, &address, 0);
        start = 0;
    }
    if (variable.kind == DJ_VALUE_NONE)
        return value;
    variable.offset = value.offset - start;
    variable.any = value.any;
    return variable;
}

dj_value dj_value_indexed(const dj_value *a, const dj_value *b)
{
    bool a_is_place = a->kind == DJ_VALUE_ADDRESS || a->kind == DJ_VALUE_BLOCK;
    bool b_is_place = b->kind == DJ_VALUE_ADDRESS || b->kind == DJ_VALUE_BLOCK;
    dj_value sum = {0};
    if (a_is_place != b_is_place)
        sum = a_is_place ? *a : *b;
    else if (!a_is_place && (a->kind == DJ_VALUE_NONE || b->kind == DJ_VALUE_NONE))
        sum = a->kind != DJ_VALUE_NONE ? *a : *b;
    sum.any = true;
    return sum;
}
