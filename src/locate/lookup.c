// SPDX-License-Identifier: MIT
#include "locate/locate.h"

#include <string.h>
#include <xxhash.h>

static int add_module(void *user, dj_context *context, uint32_t id, const char *path, const char *identity)
{
    return dj_symbols_add_module(user, context, id, path, identity);
}

static uint32_t function(void *user, uint32_t module, uint64_t offset)
{
    return dj_symbols_function(user, module, offset);
}

static bool is_stub(void *user, uint32_t number)
{
    return dj_symbols_function_info(user, number)->stub;
}

static uint32_t origin(void *user, uint32_t number)
{
    return dj_symbols_function_info(user, number)->origin;
}

static bool global(void *user, uint32_t module, uint64_t offset, dj_extent *out)
{
    return dj_symbols_global(user, module, offset, out);
}

static bool local(void *user, uint32_t number, uint64_t pc, int64_t cfa_offset, dj_extent *out)
{
    return dj_symbols_local(user, number, pc, cfa_offset, out);
}

static bool forwards(void *user, dj_context *context, uint32_t module, uint64_t offset)
{
    return !dj_symbols_pointer(user, context, module, offset) &&
           dj_symbols_pointer_returned(user, context, module, offset);
}

static uint64_t hash_text(const char *text, uint64_t before)
{
    return XXH3_64bits_withSeed(text, strlen(text), before);
}

static uint64_t allocation(void *user, dj_context *context, uint32_t module, uint64_t offset)
{
    dj_code code;
    if (dj_symbols_code(user, context, module, offset, &code) != DJ_OK || code.frames[0].line == 0)
        return 0;
    uint32_t pointer = dj_symbols_pointer(user, context, module, offset);
    const dj_variable_info *held = pointer ? dj_symbols_variable_info(user, pointer) : NULL;
    uint64_t hash = held ? hash_text(held->name, hash_text(held->type, module)) : module;
    for (uint32_t i = 0; i < code.frame_count; i++) {
        const dj_code_frame *f = &code.frames[i];
        const uint32_t at[] = {f->line, f->column};
        hash = XXH3_64bits_withSeed(at, sizeof at, hash_text(f->file, hash_text(f->function, hash)));
    }
    return hash ? hash : 1;
}

static bool statement(void *user, uint32_t module, uint64_t offset, dj_statement_info *out)
{
    return dj_symbols_statement(user, module, offset, out);
}

static const uint64_t *flow(void *user, uint32_t module, uint64_t offset, size_t *count)
{
    return dj_symbols_flow(user, module, offset, count);
}

dj_lookup dj_lookup_symbols(dj_symbols *symbols)
{
    return (dj_lookup){.user = symbols,
                       .add_module = add_module,
                       .function = function,
                       .is_stub = is_stub,
                       .origin = origin,
                       .global = global,
                       .local = local,
                       .forwards = forwards,
                       .allocation = allocation,
                       .flow = flow,
                       .statement = statement};
}
