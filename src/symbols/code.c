// SPDX-License-Identifier: MIT
// From an offset in a module to function, inline chain, file, line and loop.
#include "symbols/code.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

dj_module_code *dj_module_code_get(dj_symbols *symbols, dj_module *module)
{
    if (module->code)
        return module->code;
    dj_module_code *code = calloc(1, sizeof *code);
    if (!code)
        return NULL;
    module->code = code;
    // What was read before memory ran out is still usable.
    if (dj_functions_read(symbols, module, code) == DJ_OK && !symbols->code_only)
        dj_line_tables_create(symbols, module, &code->regions, &code->lines);
    return code;
}

void dj_module_code_destroy(dj_module_code *code)
{
    if (!code)
        return;
    for (size_t i = 0; i < code->entries.count; i++) {
        dj_ranges_free(&code->entries.rows[i].loops);
        dj_ranges_free(&code->entries.rows[i].latches);
        free(code->entries.rows[i].flow);
        dj_ranges_free(&code->entries.rows[i].chains);
    }
    free(code->entries.rows);
    free(code->cold);
    dj_ranges_free(&code->functions);
    dj_ranges_free(&code->regions);
    dj_line_tables_destroy(code->lines);
    free(code);
}

dj_module_info dj_files_module(dj_symbols *symbols, uint32_t id)
{
    dj_module *module = dj_module_get(symbols, id);
    dj_module_code *code = module ? dj_module_code_get(symbols, module) : NULL;
    bool known = id < symbols->module_count && symbols->modules[id];
    return (dj_module_info){
        .path = known ? symbols->modules[id]->path : "",
        .state = known && symbols->modules[id]->opened ? symbols->modules[id]->state : DJ_MODULE_MISSING,
        .has_lines = code && code->lines && code->lines->has_rows,
        .has_types = code && code->lines && code->lines->unit_count > 0,
        .has_symbols = code && code->has_symbols,
        .reason = known && symbols->modules[id]->reason ? symbols->modules[id]->reason : "",
    };
}

const dj_ranges *dj_files_functions(dj_symbols *symbols, uint32_t id, uint64_t *base)
{
    dj_module *module = dj_module_get(symbols, id);
    dj_module_code *code = module ? dj_module_code_get(symbols, module) : NULL;
    *base = module ? module->base : 0;
    return code ? &code->functions : NULL;
}

static void add_frame(dj_code *out, const char *function, const char *file, uint32_t line, uint32_t column)
{
    // The last entry is reserved for the function itself.
    if (out->frame_count < DJ_CODE_FRAMES_MOST)
        out->frame_count++;
    out->frames[out->frame_count - 1] = (dj_code_frame){function, file, line, column};
}

// The frames around an instruction, innermost first.
static void add_frames(dj_code *out, const dj_unit *unit, uint64_t address, const char *function)
{
    const dj_line_row *row = unit ? dj_unit_row(unit, address) : NULL;
    const dj_scope *scope = unit ? dj_unit_scope(unit, address) : NULL;
    const char *file = row ? row->file : "";
    uint32_t line = row ? row->line : 0, column = row ? row->column : 0;
    for (; scope && scope->inlined;
         scope = scope->parent == DJ_NO_SCOPE ? NULL : &unit->scopes[scope->parent]) {
        add_frame(out, scope->name, file, line, column);
        file = scope->file;
        line = scope->line;
        column = scope->column;
    }
    add_frame(out, function ? function : scope ? scope->name : "", file, line, column);
}

int dj_files_code(dj_symbols *symbols, dj_context *context, const dj_code_query *query, dj_code *out)
{
    (void)context;
    dj_module *module = dj_module_get(symbols, query->module);
    dj_module_code *code = module ? dj_module_code_get(symbols, module) : NULL;
    *out = (dj_code){0};
    if (!code) {
        add_frame(out, "", "", 0, 0);
        return DJ_OK;
    }
    uint64_t address = module->base + query->offset;
    const dj_range *span = dj_ranges_find(&code->functions, address);
    const dj_function_info *info = NULL;
    if (span) {
        out->function = dj_function_number(symbols, module, span->item);
        out->loop = dj_loop_at(symbols, module, span->item, address);
        if (query->chain)
            out->chain = dj_chain_at(symbols, module, span->item, address);
        info = dj_symbols_function_info(symbols, out->function);
    }
    add_frames(out, dj_line_tables_unit(symbols, module, address), address, info ? info->name : NULL);
    return DJ_OK;
}
