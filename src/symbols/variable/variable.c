// SPDX-License-Identifier: MIT
// Rows of variables: their properties, filled in on first use.
#include <ctype.h>

#include "symbols/code.h"
#include "symbols/data/data.h"
#include "symbols/dwarf_value.h"

enum { NAME_CAPACITY = 512 };

static const char *file_of(dj_symbols *symbols, Dwarf_Die *die)
{
    Dwarf_Attribute memory;
    return dj_symbols_file_attribute(symbols, dwarf_attr_integrate(die, DW_AT_decl_file, &memory));
}

static dj_variable *add(dj_data *data, uint32_t *number)
{
    dj_variable *variable = dj_numbered_add(&data->symbols->variables, data->symbols->quiet, number);
    if (variable != NULL)
        *variable = (dj_variable){.info = {.name = "", .type = "", .file = "", .module = data->module->id},
                                  .data = data};
    return variable;
}

uint32_t dj_variable_add(dj_data *data, Dwarf_Die *die, uint32_t scope, dj_variable **out)
{
    uint32_t number;
    char name[NAME_CAPACITY], type[NAME_CAPACITY];
    int line = 0;
    dj_variable *variable = add(data, &number);
    *out = variable;
    if (variable == NULL)
        return 0;
    dj_string_builder builder = dj_string_builder_begin(name, sizeof name);
    dj_variable_name(data, die, scope, &builder);
    variable->info.name = dj_symbols_keep(data->symbols, name);
    builder = dj_string_builder_begin(type, sizeof type);
    dj_type_write_typed(&data->types, die, &builder);
    variable->info.type = dj_symbols_keep(data->symbols, type);
    variable->info.file = file_of(data->symbols, die);
    if (dwarf_decl_line(die, &line) == 0 && line > 0)
        variable->info.line = (uint32_t)line;
    variable->type = dj_type_of_typed(&data->types, die);
    variable->info.bytes = variable->type->bytes;
    return number;
}

// The length of "x" in "x.1234", which compilers write for variables of functions, and in "x@@VERSION".
static size_t plain_length(const char *name)
{
    const char *at = strchr(name, '@');
    size_t length = at != NULL && at != name ? (size_t)(at - name) : strlen(name), end = length;
    while (end > 0 && isdigit((unsigned char)name[end - 1]))
        end--;
    return end < length && end > 1 && name[end - 1] == '.' ? end - 1 : length;
}

static uint32_t add_symbol(dj_data *data, const dj_global *global)
{
    uint32_t number;
    char name[NAME_CAPACITY];
    dj_variable *variable = add(data, &number);
    if (variable == NULL)
        return 0;
    size_t length = plain_length(global->symbol);
    snprintf(name, sizeof name, "%.*s", (int)(length < NAME_CAPACITY ? length : NAME_CAPACITY),
             global->symbol);
    variable->info.name = dj_function_readable(data->symbols, name, NULL);
    variable->info.bytes = global->hi - global->lo;
    variable->skip = global->skip;
    return number;
}

uint32_t dj_variable_of_global(dj_data *data, dj_global *global)
{
    if (global->variable != 0)
        return global->variable;
    if (global->die.addr == NULL) {
        global->variable = add_symbol(data, global);
        return global->variable;
    }
    dj_variable *variable;
    Dwarf_Die owner;
    Dwarf_Addr entry;
    global->variable = dj_variable_add(data, &global->die, global->scope, &variable);
    if (variable == NULL)
        return 0;
    variable->skip = global->skip;
    variable->info.bytes = global->hi - global->lo + global->skip;
    if (dj_variable_owner(data, global->scope, &owner) && dwarf_entrypc(&owner, &entry) == 0 &&
        entry >= data->module->base)
        variable->info.function =
            dj_files_function(data->symbols, data->module->id, entry - data->module->base);
    return global->variable;
}
