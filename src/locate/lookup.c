// SPDX-License-Identifier: MIT
#include "locate/locate.h"

static int add_module(void *user, dj_context *context, uint32_t id, const char *path)
{
    return dj_symbols_add_module(user, context, id, path);
}

static uint32_t function(void *user, uint32_t module, uint64_t offset)
{
    return dj_symbols_function(user, module, offset);
}

static bool is_stub(void *user, uint32_t number)
{
    return dj_symbols_function_info(user, number)->stub;
}

static bool global(void *user, uint32_t module, uint64_t offset, dj_extent *out)
{
    return dj_symbols_global(user, module, offset, out);
}

static bool local(void *user, uint32_t number, uint64_t pc, int64_t cfa_offset, dj_extent *out)
{
    return dj_symbols_local(user, number, pc, cfa_offset, out);
}

static bool hands_on(void *user, dj_context *context, uint32_t module, uint64_t offset)
{
    return !dj_symbols_pointer(user, context, module, offset) &&
           dj_symbols_pointer_returned(user, context, module, offset);
}

dj_lookup dj_lookup_symbols(dj_symbols *symbols)
{
    return (dj_lookup){symbols, add_module, function, is_stub, global, local, hands_on};
}
