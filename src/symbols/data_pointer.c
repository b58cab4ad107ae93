// SPDX-License-Identifier: MIT
// The pointers that heap blocks are held by.
#include "symbols/data.h"

// A pointer that is declared on the line of the call, when there is only one.
static dj_local *declared_on(dj_data *data, dj_locals *locals, uint64_t pc, uint32_t line)
{
    dj_local *found = NULL;
    for (size_t i = 0; line != 0 && i < locals->count; i++) {
        dj_local *local = &locals->list[i];
        int declared = 0;
        enum dj_type_kind kind = dj_type_of_typed(&data->types, &local->die)->kind;
        if ((kind != DJ_TYPE_POINTER && kind != DJ_TYPE_DESCRIPTOR) ||
            dwarf_decl_line(&local->die, &declared) != 0 || (uint32_t)declared != line ||
            !dj_locals_in_scope(locals, local->scope, pc))
            continue;
        if (found != NULL)
            return NULL;
        found = local;
    }
    return found;
}

static uint32_t by_line(dj_data *data, dj_context *context, uint64_t offset)
{
    dj_code code;
    uint64_t pc = offset - 1 + data->module->base; // the call itself
    const dj_subprogram *subprogram = dj_data_subprogram_at(data, pc);
    dj_locals *locals = subprogram != NULL ? dj_locals_get(data, subprogram) : NULL;
    if (locals == NULL ||
        dj_symbols_code(data->symbols, context, data->module->id, offset - 1, &code) != DJ_OK)
        return 0;
    dj_local *local = declared_on(data, locals, pc, code.frames[0].line);
    dj_variable *variable;
    uint32_t number = local != NULL ? dj_variable_add(data, &local->die, &variable) : 0;
    if (number == 0)
        return 0;
    variable->info.function = code.function;
    variable->type = dj_type_pointee(&data->types, variable->type);
    variable->block = true;
    return number;
}

uint32_t dj_symbols_pointer(dj_symbols *symbols, dj_context *context, uint32_t module, uint64_t offset)
{
    dj_data *data = dj_data_get(symbols, module);
    if (data == NULL || offset == 0 || offset > INT64_MAX)
        return 0;
    uint64_t *place = dj_map_at(&data->pointers, symbols->quiet, offset);
    if (place == NULL)
        return 0;
    if (*place == 0) {
        *place = 1; // found next to nothing, so far
        uint32_t number = by_line(data, context, offset);
        *dj_map_at(&data->pointers, symbols->quiet, offset) = (uint64_t)number + 1;
    }
    return (uint32_t)(dj_map_get(&data->pointers, offset) - 1);
}
