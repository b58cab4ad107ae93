// SPDX-License-Identifier: MIT
#include "symbols/module.h"

#include <capstone/capstone.h>

uint64_t dj_symbols_after(dj_symbols *symbols, uint32_t module, uint64_t offset)
{
    csh handle;
    uint64_t room, next = 0;
    dj_module *m = dj_module_get(symbols, module);
    if (m == NULL || m->machine != EM_X86_64)
        return 0;
    uint64_t address = offset + m->base;
    const uint8_t *bytes = dj_module_bytes(m, address, &room);
    if (bytes == NULL || cs_open(CS_ARCH_X86, CS_MODE_64, &handle) != CS_ERR_OK)
        return 0;
    cs_insn *insn = cs_malloc(handle);
    size_t left = (size_t)room;
    if (insn != NULL && cs_disasm_iter(handle, &bytes, &left, &address, insn))
        next = address - m->base;
    if (insn != NULL)
        cs_free(insn, 1);
    cs_close(&handle);
    return next;
}
