// SPDX-License-Identifier: MIT
#include "symbols/code.h"

uint32_t dj_loop_at(dj_symbols *symbols, dj_module *module, uint32_t entry, uint64_t address)
{
    (void)symbols, (void)module, (void)entry, (void)address;
    return 0;
}

const dj_loop_info *dj_symbols_loop_info(const dj_symbols *symbols, uint32_t loop)
{
    return dj_rows_get(&symbols->loops, loop);
}
