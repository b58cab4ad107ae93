// SPDX-License-Identifier: MIT
// The pointers that heap blocks are held by.
#include "symbols/pointer.h"

// A pointer that is declared on the line of the call, when there is only one.
static dj_local *declared_on(dj_data *data, dj_locals *locals, uint64_t pc, uint32_t line)
{
    dj_local *found = NULL;
    for (size_t i = 0; line != 0 && i < locals->count; i++) {
        dj_local *local = &locals->list[i];
        int declared = 0;
        dj_type *type = dj_type_of_typed(&data->types, &local->die);
        if (dj_type_pointee(&data->types, type)->bytes == 0 || dwarf_decl_line(&local->die, &declared) != 0 ||
            (uint32_t)declared != line || !dj_locals_in_scope(locals, local->scope, pc))
            continue;
        if (found != NULL)
            return NULL;
        found = local;
    }
    return found;
}

static uint32_t by_line(dj_data *data, dj_context *context, const dj_subprogram *subprogram, uint64_t call)
{
    dj_code code;
    dj_locals *locals = dj_locals_get(data, subprogram);
    if (locals == NULL ||
        dj_symbols_code(data->symbols, context, data->module->id, call - data->module->base, &code) != DJ_OK)
        return 0;
    dj_local *local = declared_on(data, locals, call, code.frames[0].line);
    dj_variable *variable;
    uint32_t number = local != NULL ? dj_variable_add(data, &local->die, 0, &variable) : 0;
    if (number == 0)
        return 0;
    variable->info.function = code.function;
    variable->type = dj_type_pointee(&data->types, variable->type);
    variable->block = true;
    return number;
}

static uint32_t by_holder(dj_data *data, const dj_holder *holder)
{
    uint32_t number;
    char text[512];
    const dj_variable *base = dj_rows_get(&data->symbols->variables, holder->place.variable);
    dj_variable *variable =
        base != NULL ? dj_rows_add(&data->symbols->variables, data->symbols->quiet, &number) : NULL;
    if (variable == NULL)
        return 0;
    dj_phrase phrase = dj_phrase_begin(text, sizeof text);
    dj_type_write(&data->types, &holder->type->die, &phrase);
    *variable = (dj_variable){.info = base->info, .data = data, .block = true};
    variable->info.name = holder->place.name;
    variable->info.type = dj_symbols_keep(data->symbols, text);
    variable->type = dj_type_pointee(&data->types, holder->type);
    variable->lead = (uint64_t)holder->offset;
    variable->info.bytes = variable->type->bytes;
    return number;
}

// The answers are kept as the number of a variable plus one, or as this.
#define RETURNED UINT64_MAX

static uint64_t find(dj_data *data, dj_context *context, uint64_t from)
{
    const dj_subprogram *function = dj_data_subprogram_at(data, from - 1); // where the call is
    if (function == NULL)
        return 1;
    dj_holder holder = dj_pointer_follow(data, function, from);
    if (holder.returned)
        return RETURNED;
    uint32_t number = holder.merit > 0 ? by_holder(data, &holder) : 0;
    return 1 + (uint64_t)(number != 0 ? number : by_line(data, context, function, from - 1));
}

static uint64_t answer(dj_symbols *symbols, dj_context *context, uint32_t module, uint64_t offset)
{
    dj_data *data = dj_data_get(symbols, module);
    if (data == NULL || offset == 0 || offset > INT64_MAX)
        return 1;
    uint64_t known = dj_map_get(&data->pointers, offset);
    if (known != 0)
        return known;
    known = find(data, context, offset + data->module->base);
    uint64_t *place = dj_map_at(&data->pointers, symbols->quiet, offset);
    if (place != NULL)
        *place = known;
    return known;
}

uint32_t dj_symbols_pointer(dj_symbols *symbols, dj_context *context, uint32_t module, uint64_t offset)
{
    uint64_t known = answer(symbols, context, module, offset);
    return known == RETURNED ? 0 : (uint32_t)(known - 1);
}

bool dj_symbols_pointer_returned(dj_symbols *symbols, dj_context *context, uint32_t module, uint64_t offset)
{
    return answer(symbols, context, module, offset) == RETURNED;
}
