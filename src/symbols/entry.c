// SPDX-License-Identifier: MIT
// The functions of symbols.h that read files: here, or in a helper process.
#include "symbols/helper/client.h"
#include "symbols/module/module.h"
#include "symbols/string_builder.h"

const char *dj_symbols_fault(const dj_symbols *symbols)
{
    return symbols->client ? dj_client_fault(symbols->client) : NULL;
}

int dj_symbols_check(const dj_symbols *symbols, dj_context *context)
{
    return symbols->client && dj_client_failed(symbols->client)
               ? dj_fail_memory(context, "names of code and data", 0)
               : DJ_OK;
}

dj_module_info dj_symbols_module(dj_symbols *symbols, uint32_t id)
{
    return symbols->client ? dj_client_module(symbols->client, id) : dj_files_module(symbols, id);
}

uint32_t dj_symbols_function(dj_symbols *symbols, uint32_t id, uint64_t offset)
{
    return symbols->client ? dj_client_function(symbols->client, id, offset)
                           : dj_files_function(symbols, id, offset);
}

size_t dj_symbols_find_function(dj_symbols *symbols, uint32_t id, const char *name, uint32_t *out,
                                size_t most)
{
    return symbols->client ? dj_client_find_function(symbols->client, id, name, out, most)
                           : dj_files_find_function(symbols, id, name, out, most);
}

int dj_symbols_codes(dj_symbols *symbols, dj_context *context, const dj_code_query *queries, size_t count,
                     dj_code *out)
{
    int err = DJ_OK;
    if (symbols->client)
        dj_client_codes(symbols->client, queries, count, out);
    else
        for (size_t i = 0; !err && i < count; i++)
            err = dj_files_code(symbols, context, &queries[i], &out[i]);
    return err;
}

int dj_symbols_code(dj_symbols *symbols, dj_context *context, uint32_t id, uint64_t offset, dj_code *out)
{
    return dj_symbols_codes(symbols, context, &(dj_code_query){offset, id, false}, 1, out);
}

bool dj_symbols_statement(dj_symbols *symbols, uint32_t id, uint64_t offset, dj_statement_info *out)
{
    return symbols->client ? dj_client_statement(symbols->client, id, offset, out)
                           : dj_files_statement(symbols, id, offset, out);
}

uint32_t dj_symbols_latch(dj_symbols *symbols, uint32_t id, uint64_t offset, uint64_t *block)
{
    return symbols->client ? dj_client_latch(symbols->client, id, offset, block)
                           : dj_files_latch(symbols, id, offset, block);
}

void dj_symbols_use_flow_only(dj_symbols *symbols)
{
    symbols->code_only = true;
}

const uint64_t *dj_symbols_flow(dj_symbols *symbols, uint32_t id, uint64_t offset, size_t *count)
{
    return symbols->client ? dj_client_flow(symbols->client, id, offset, count)
                           : dj_files_flow(symbols, id, offset, count);
}

bool dj_symbols_global(dj_symbols *symbols, uint32_t module, uint64_t offset, dj_extent *out)
{
    return symbols->client ? dj_client_global(symbols->client, module, offset, out)
                           : dj_files_global(symbols, module, offset, out);
}

bool dj_symbols_local(dj_symbols *symbols, uint32_t function, uint64_t pc, int64_t cfa_offset, dj_extent *out)
{
    return symbols->client ? dj_client_local(symbols->client, function, pc, cfa_offset, out)
                           : dj_files_local(symbols, function, pc, cfa_offset, out);
}

void dj_symbols_elements(dj_symbols *symbols, const dj_element_query *queries, size_t count,
                         char (*text)[DJ_ELEMENT_CAPACITY])
{
    if (symbols->client)
        dj_client_elements(symbols->client, queries, count, text);
    for (size_t i = 0; !symbols->client && i < count; i++)
        dj_files_element(symbols, queries[i].variable, queries[i].offset, queries[i].bytes,
                         queries[i].any_index, text[i], sizeof text[i]);
}

void dj_symbols_element(dj_symbols *symbols, uint32_t variable, uint64_t offset, uint64_t bytes,
                        bool any_index, char *text, size_t capacity)
{
    char whole[1][DJ_ELEMENT_CAPACITY];
    dj_symbols_elements(symbols, &(dj_element_query){offset, bytes, variable, any_index}, 1, whole);
    dj_string_builder builder = dj_string_builder_begin(text, capacity);
    dj_string_builder_add(&builder, whole[0]);
}

uint32_t dj_symbols_pointer(dj_symbols *symbols, dj_context *context, uint32_t module, uint64_t offset)
{
    bool returned;
    return symbols->client ? dj_client_pointer(symbols->client, module, offset, &returned)
                           : dj_files_pointer(symbols, context, module, offset);
}

bool dj_symbols_pointer_returned(dj_symbols *symbols, dj_context *context, uint32_t module, uint64_t offset)
{
    bool returned;
    if (!symbols->client)
        return dj_files_pointer_returned(symbols, context, module, offset);
    dj_client_pointer(symbols->client, module, offset, &returned);
    return returned;
}
