// SPDX-License-Identifier: MIT
#ifndef DEJA_SYMBOLS_LOOP_CHAIN_H
#define DEJA_SYMBOLS_LOOP_CHAIN_H

#include "symbols/loop/loop.h"

// The loads of a function that belong to chains, and in recompiled programs the calls that report them: their
// addresses, with an item of enum dj_chain.
int dj_chains_find(dj_symbols *symbols, const dj_module *module, const dj_graph *graph, uint64_t entry,
                   dj_ranges *out);

#endif
