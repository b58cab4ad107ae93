// SPDX-License-Identifier: MIT
#include "symbols/data/data.h"

#include <stdlib.h>

#define SPLIT_ENTRIES_MOST (UINT64_C(1) << 22)

static void destroy(void *user)
{
    dj_data *data = user;
    if (data == NULL)
        return;
    for (uint64_t i = 0; data->locals.entries != NULL && i <= data->locals.mask; i++)
        if (data->locals.entries[i].value != 0)
            dj_locals_free(data, (dj_locals *)(uintptr_t)data->locals.entries[i].value);
    dj_map_destroy(&data->locals);
    dj_map_destroy(&data->pointers);
    dj_footprint_free(&data->footprint, data->globals, data->global_capacity, sizeof *data->globals);
    dj_footprint_free(&data->footprint, data->scopes, data->scope_capacity, sizeof *data->scopes);
    dj_footprint_free(&data->footprint, data->objects, data->object_capacity, sizeof *data->objects);
    dj_footprint_free(&data->footprint, data->subprograms, data->subprogram_capacity,
                      sizeof *data->subprograms);
    dj_types_destroy(&data->types);
    if (data->cfi != NULL)
        dwarf_cfi_end(data->cfi);
    free(data);
}

static dj_data *create(dj_symbols *symbols, dj_module *module)
{
    dj_data *data = calloc(1, sizeof *data);
    if (data == NULL)
        return NULL;
    *data = (dj_data){.symbols = symbols, .module = module};
    if (dj_types_create(&data->types, symbols->quiet) != DJ_OK ||
        dj_map_create(&data->locals, symbols->quiet, &data->footprint, 64) != DJ_OK ||
        dj_map_create(&data->pointers, symbols->quiet, &data->footprint, 16) != DJ_OK) {
        destroy(data);
        return NULL;
    }
    data->dwarf = dj_module_dwarf(module);
    // Functions are visited twice; separate .dwo files are not included in the bytes.
    data->entries_left = 2 * module->dwarf_bytes + SPLIT_ENTRIES_MOST;
    data->cfi = dwarf_getcfi_elf(module->file.elf);
    symbols->variables.row_bytes = sizeof(dj_variable);
    if (data->dwarf != NULL)
        dj_data_walk(data);
    dj_data_read_objects(data);
    dj_data_order_globals(data);
    return data;
}

dj_data *dj_data_get(dj_symbols *symbols, uint32_t id)
{
    dj_module *module = dj_module_get(symbols, id);
    if (module == NULL)
        return NULL;
    if (module->data == NULL) {
        module->data = create(symbols, module);
        module->data_destroy = destroy;
    }
    return module->data;
}

bool dj_data_reserve(dj_data *data, void *array, size_t count, size_t *capacity, size_t element_bytes)
{
    if (count < *capacity)
        return true;
    size_t grown = *capacity == 0 ? 8 : 2 * *capacity;
    if (dj_footprint_resize(&data->footprint, data->symbols->quiet, "variables", array, *capacity, grown,
                            element_bytes) != DJ_OK)
        return false;
    *capacity = grown;
    return true;
}

bool dj_files_global(dj_symbols *symbols, uint32_t module, uint64_t offset, dj_extent *out)
{
    *out = (dj_extent){.lo = 0, .hi = INT64_MAX};
    dj_data *data = dj_data_get(symbols, module);
    uint64_t address, base = data != NULL ? data->module->base : 0;
    if (data == NULL || __builtin_add_overflow(offset, base, &address))
        return false;
    size_t before;
    dj_global *global = dj_data_global_at(data, address, &before);
    if (global != NULL) {
        *out = (dj_extent){(int64_t)(global->lo - base), (int64_t)(global->hi - base),
                           dj_variable_of_global(data, global)};
        return out->variable != 0;
    }
    if (before > 0)
        out->lo = (int64_t)(data->globals[before - 1].hi - base);
    if (before < data->global_count)
        out->hi = (int64_t)(data->globals[before].lo - base);
    return false;
}

const dj_variable_info *dj_symbols_variable_info(const dj_symbols *symbols, uint32_t variable)
{
    const dj_variable *row = dj_numbered_get(&symbols->variables, variable);
    return row != NULL ? &row->info : NULL;
}

void dj_files_element(dj_symbols *symbols, uint32_t variable, uint64_t offset, uint64_t bytes, bool any_index,
                      char *text, size_t capacity)
{
    dj_string_builder builder = dj_string_builder_begin(text, capacity);
    const dj_variable *row = dj_numbered_get(&symbols->variables, variable);
    if (row == NULL || row->type == NULL || __builtin_add_overflow(offset, row->skip, &offset))
        return;
    dj_type *type = row->type;
    if (row->block && type->bytes > 0) {
        if (offset < row->lead)
            return;
        offset -= row->lead;
        if (any_index)
            dj_string_builder_add(&builder, "[*]");
        else
            dj_string_builder_print(&builder, "[%llu]", (unsigned long long)(offset / type->bytes));
        offset %= type->bytes;
        if (bytes > type->bytes - offset)
            return;
    }
    dj_type_element(&row->data->types, type, offset, bytes, any_index, &builder);
}
