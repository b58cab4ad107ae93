// SPDX-License-Identifier: MIT
// Functions, loops and variables that an answer added.
#ifndef DEJA_SYMBOLS_HELPER_ROWS_H
#define DEJA_SYMBOLS_HELPER_ROWS_H

#include "symbols/helper/message.h"
#include "symbols/symbols.h"

// How many rows of each kind the other side has.
typedef struct dj_sent_rows {
    uint32_t functions, loops, variables;
} dj_sent_rows;

void dj_rows_put(const dj_symbols *symbols, dj_sent_rows *sent, dj_message *to);

#endif
