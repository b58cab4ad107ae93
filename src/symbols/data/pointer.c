// SPDX-License-Identifier: MIT
// The pointers that hold heap blocks.
#include "symbols/pointer/pointer.h"
#include "symbols/code.h"
#include "symbols/dwarf_value.h"

static bool is_declared_at(dj_data *data, dj_local *local, const dj_code_frame *frame)
{
    Dwarf_Attribute memory;
    int line = 0;
    return frame->line != 0 && dwarf_decl_line(&local->die, &line) == 0 && (uint32_t)line == frame->line &&
           strcmp(frame->file,
                  dj_symbols_file_attribute(
                      data->symbols, dwarf_attr_integrate(&local->die, DW_AT_decl_file, &memory))) == 0;
}

// The only pointer to a known type that is declared on the line. Parameters do not count: their values come
// from elsewhere.
static dj_local *declared_at(dj_data *data, dj_locals *locals, uint64_t call, const dj_code_frame *frame)
{
    dj_local *found = NULL;
    for (size_t i = 0; i < locals->count; i++) {
        dj_local *local = &locals->list[i];
        dj_type *type = dj_type_of_typed(&data->types, &local->die);
        if (dwarf_tag(&local->die) != DW_TAG_variable || dj_type_pointee(&data->types, type)->bytes == 0 ||
            !is_declared_at(data, local, frame) || !dj_locals_in_scope(locals, local->scope, call))
            continue;
        if (found != NULL)
            return NULL;
        found = local;
    }
    return found;
}

uint32_t dj_pointer_declared(dj_data *data, const dj_subprogram *function, uint64_t call)
{
    dj_code code;
    dj_locals *locals = dj_locals_get(data, function);
    const dj_code_query query = {.module = data->module->id, .offset = call - data->module->base};
    if (locals == NULL || dj_files_code(data->symbols, data->symbols->quiet, &query, &code) != DJ_OK)
        return 0;
    for (uint32_t i = 0; i < code.frame_count; i++) {
        dj_local *local = declared_at(data, locals, call, &code.frames[i]);
        if (local != NULL)
            return dj_local_variable(data, locals, local, code.function);
    }
    return 0;
}

// A row for the blocks that a pointer holds, derived from the row of the variable that its name starts
// with.
static uint32_t add_blocks(dj_data *data, uint32_t from, const char *name, dj_type *pointer, int64_t lead)
{
    uint32_t number;
    char text[512];
    const dj_variable *base = dj_numbered_get(&data->symbols->variables, from);
    dj_variable *variable =
        base != NULL ? dj_numbered_add(&data->symbols->variables, data->symbols->quiet, &number) : NULL;
    if (variable == NULL)
        return 0;
    dj_string_builder builder = dj_string_builder_begin(text, sizeof text);
    dj_type_write(&data->types, &pointer->die, &builder);
    *variable = (dj_variable){.info = base->info, .data = data, .block = true, .lead = (uint64_t)lead};
    variable->info.name = name != NULL ? name : base->info.name;
    variable->info.type = dj_symbols_keep(data->symbols, text);
    variable->type = dj_type_pointee(&data->types, pointer);
    variable->info.bytes = variable->type->bytes;
    return number;
}

// Answers are stored as the number of a variable plus one, or as this.
#define RETURNED UINT64_MAX

// The function of a call, even if only the symbol table or .eh_frame has it.
static bool function_at(const dj_data *data, uint64_t call, dj_subprogram *out)
{
    const dj_subprogram *known = dj_data_subprogram_at(data, call);
    uint64_t base = data->module->base;
    if (known != NULL) {
        *out = *known;
        return true;
    }
    uint32_t number = dj_files_function(data->symbols, data->module->id, call - base);
    const dj_function_info *info = dj_symbols_function_info(data->symbols, number);
    if (info == NULL || call - base < info->lo || call - base >= info->hi)
        return false;
    *out = (dj_subprogram){.lo = info->lo + base, .hi = info->hi + base};
    return true;
}

static uint64_t find(dj_data *data, uint64_t from)
{
    dj_subprogram function;
    if (!function_at(data, from - 1, &function))
        return 1;
    dj_holder holder = dj_pointer_follow(data, &function, from);
    if (holder.returned)
        return RETURNED;
    uint32_t declared =
        holder.merit <= DJ_MERIT_UNTYPED ? dj_pointer_declared(data, &function, holder.from - 1) : 0;
    const dj_variable *variable = dj_numbered_get(&data->symbols->variables, declared);
    if (variable != NULL)
        return 1 + (uint64_t)add_blocks(data, declared, NULL, variable->type, 0);
    // An unnamed type in an inlined function is not informative.
    variable = dj_numbered_get(&data->symbols->variables, holder.place.variable);
    if (variable == NULL || (holder.merit == DJ_MERIT_UNTYPED && variable->inlined))
        return 1;
    return 1 +
           (uint64_t)add_blocks(data, holder.place.variable, holder.place.name, holder.type, holder.offset);
}

static uint64_t answer(dj_symbols *symbols, uint32_t module, uint64_t offset)
{
    dj_data *data = dj_data_get(symbols, module);
    if (data == NULL || offset == 0 || offset > INT64_MAX)
        return 1;
    uint64_t known = dj_map_get(&data->pointers, offset);
    if (known != 0)
        return known;
    known = find(data, offset + data->module->base);
    uint64_t *place = dj_map_at(&data->pointers, symbols->quiet, offset);
    if (place != NULL)
        *place = known;
    return known;
}

uint32_t dj_files_pointer(dj_symbols *symbols, dj_context *context, uint32_t module, uint64_t offset)
{
    (void)context;
    uint64_t known = answer(symbols, module, offset);
    return known == RETURNED ? 0 : (uint32_t)(known - 1);
}

bool dj_files_pointer_returned(dj_symbols *symbols, dj_context *context, uint32_t module, uint64_t offset)
{
    (void)context;
    return answer(symbols, module, offset) == RETURNED;
}
