// SPDX-License-Identifier: MIT
#include "symbols/helper/rows.h"

#include "symbols/module/module.h"

// Rows are complete after the request that added them, and do not change any more.
static void put_functions(const dj_symbols *symbols, dj_sent_rows *sent, dj_message *to)
{
    dj_message_put(to, symbols->functions.count - sent->functions);
    while (sent->functions < symbols->functions.count) {
        const dj_function_info *info = dj_symbols_function_info(symbols, ++sent->functions);
        dj_message_put_text(to, info->name);
        dj_message_put_text(to, info->file);
        dj_message_put(to, info->line);
        dj_message_put(to, info->module);
        dj_message_put(to, info->lo);
        dj_message_put(to, info->hi);
        dj_message_put(to, info->origin);
        dj_message_put(to, info->stub);
    }
}

static void put_loops(const dj_symbols *symbols, dj_sent_rows *sent, dj_message *to)
{
    dj_message_put(to, symbols->loops.count - sent->loops);
    while (sent->loops < symbols->loops.count) {
        const dj_loop_info *info = dj_symbols_loop_info(symbols, ++sent->loops);
        dj_message_put(to, info->function);
        dj_message_put(to, info->parent);
        dj_message_put(to, info->depth);
        dj_message_put_text(to, info->inlined);
        dj_message_put_text(to, info->file);
        dj_message_put(to, info->first_line);
        dj_message_put(to, info->last_line);
        dj_message_put(to, info->header);
    }
}

static void put_variables(const dj_symbols *symbols, dj_sent_rows *sent, dj_message *to)
{
    dj_message_put(to, symbols->variables.count - sent->variables);
    while (sent->variables < symbols->variables.count) {
        const dj_variable_info *info = dj_symbols_variable_info(symbols, ++sent->variables);
        dj_message_put_text(to, info->name);
        dj_message_put_text(to, info->type);
        dj_message_put_text(to, info->file);
        dj_message_put(to, info->line);
        dj_message_put(to, info->module);
        dj_message_put(to, info->function);
        dj_message_put(to, info->bytes);
    }
}

void dj_rows_put(const dj_symbols *symbols, dj_sent_rows *sent, dj_message *to)
{
    put_functions(symbols, sent, to);
    put_loops(symbols, sent, to);
    put_variables(symbols, sent, to);
}
