// SPDX-License-Identifier: MIT
#include "symbols/helper/remote.h"

#include <stdlib.h>
#include <string.h>

#include "symbols/data/data.h"

int dj_client_create(dj_context *context, dj_symbols *symbols, const char *path, dj_client **out)
{
    dj_client *client = calloc(1, sizeof *client);
    char *copy = strdup(path);
    if (!client || !copy) {
        free(client);
        free(copy);
        return dj_fail_memory(context, "symbols", 0);
    }
    *client = (dj_client){.symbols = symbols, .path = copy, .context = context, .helper.fd = -1};
    symbols->variables.row_bytes = sizeof(dj_variable);
    int err = dj_map_create(&client->elements, context, &client->footprint, 0);
    if (err) {
        dj_client_destroy(client);
        client = NULL;
    }
    *out = client;
    return err;
}

void dj_client_destroy(dj_client *client)
{
    if (!client)
        return;
    dj_helper_end(&client->helper);
    dj_message_free(&client->out);
    dj_message_free(&client->in);
    dj_arena_free(&client->arena);
    for (size_t i = 0; i < client->framed_count; i++)
        dj_ranges_free(&client->framed[i]);
    free(client->framed);
    free(client->frames);
    dj_map_destroy(&client->elements);
    free(client->path);
    free(client);
}

void dj_client_start(dj_client *client)
{
    if (client->started)
        return;
    client->started = true;
    dj_helper_start(&client->helper, client->context, client->path);
}

const char *dj_client_fault(const dj_client *client)
{
    return client->helper.why[0] ? client->helper.why : NULL;
}

bool dj_client_failed(const dj_client *client)
{
    return client->failed;
}

void dj_remote_module_destroy(dj_remote_module *module)
{
    if (!module)
        return;
    for (uint32_t i = 0; module->latches && i < module->item_count; i++)
        dj_ranges_free(&module->latches[i].ranges);
    free(module->latches);
    free(module->flows);
    free(module->numbers);
    dj_ranges_free(&module->functions);
    dj_map_destroy(&module->codes);
    dj_map_destroy(&module->statements);
    dj_map_destroy(&module->pointers);
    dj_ranges_free(&module->globals);
    free(module);
}

void dj_client_fail(dj_client *client)
{
    client->failed = true;
    dj_helper_end(&client->helper); // its rows could not be numbered as here
}

static dj_remote_module *create_module(dj_client *client)
{
    dj_context *quiet = client->symbols->quiet;
    dj_remote_module *module = calloc(1, sizeof *module);
    if (module && (dj_map_create(&module->codes, quiet, &module->footprint, 0) != DJ_OK ||
                   dj_map_create(&module->statements, quiet, &module->footprint, 0) != DJ_OK ||
                   dj_map_create(&module->pointers, quiet, &module->footprint, 0) != DJ_OK)) {
        dj_remote_module_destroy(module);
        return NULL;
    }
    return module;
}

// Before the first module.
static void put_folders(dj_client *client)
{
    const dj_symbols *symbols = client->symbols;
    if (symbols->code_only && !client->flow_only_sent)
        dj_client_put(client, DJ_REQUEST_FLOW_ONLY, 0);
    client->flow_only_sent = true;
    for (; client->folders_sent < symbols->folder_count; client->folders_sent++) {
        dj_client_put(client, DJ_REQUEST_FOLDER, 0);
        dj_message_put_text(&client->out, symbols->folders[client->folders_sent]);
    }
}

dj_remote_module *dj_client_add(dj_client *client, uint32_t id)
{
    dj_module *module = id < client->symbols->module_count ? client->symbols->modules[id] : NULL;
    if (!module || module->remote)
        return module ? module->remote : NULL;
    module->remote = create_module(client);
    if (!dj_client_check(client, module->remote))
        return NULL;
    put_folders(client);
    dj_client_put(client, DJ_REQUEST_ADD, id);
    dj_message_put_text(&client->out, module->path);
    dj_message_put_text(&client->out, module->identity);
    return module->remote;
}

dj_remote_module *dj_client_begin(dj_client *client, uint32_t id)
{
    dj_message_clear(&client->out);
    return dj_client_add(client, id);
}

void dj_client_put(dj_client *client, enum dj_symbols_request request, uint64_t first)
{
    dj_message_put(&client->out, request);
    dj_message_put(&client->out, first);
}

const char *dj_client_get_text(dj_client *client)
{
    size_t length;
    const char *text = dj_message_get_text(&client->in, &length);
    if (!text || length == 0)
        return text ? "" : NULL;
    const char *kept = dj_string_pool_keep(&client->symbols->text, client->symbols->quiet, text, length);
    client->in.failed |= !kept;
    return kept;
}

bool dj_client_get_ranges(dj_client *client, dj_ranges *out)
{
    uint64_t count = dj_message_get(&client->in);
    bool good = true;
    for (uint64_t i = 0; good && i < count && !client->in.failed; i++) {
        uint64_t lo = dj_message_get(&client->in), hi = dj_message_get(&client->in);
        good = dj_ranges_add(out, client->symbols->quiet, lo, hi, (uint32_t)dj_message_get(&client->in)) ==
               DJ_OK;
    }
    return good && !client->in.failed;
}

static void *add_row(dj_client *client, dj_numbered *rows)
{
    uint32_t number;
    void *row = client->in.failed ? NULL : dj_numbered_add(rows, client->symbols->quiet, &number);
    client->in.failed |= !row;
    return row;
}

static void get_functions(dj_client *client)
{
    dj_message *in = &client->in;
    dj_function_info *row;
    for (uint64_t i = dj_message_get(in); i > 0 && (row = add_row(client, &client->symbols->functions));
         i--) {
        row->name = dj_client_get_text(client);
        row->file = dj_client_get_text(client);
        row->line = (uint32_t)dj_message_get(in);
        row->module = (uint32_t)dj_message_get(in);
        row->lo = dj_message_get(in);
        row->hi = dj_message_get(in);
        row->origin = (uint32_t)dj_message_get(in);
        row->stub = dj_message_get(in);
    }
}

static void get_loops(dj_client *client)
{
    dj_message *in = &client->in;
    dj_loop_info *row;
    for (uint64_t i = dj_message_get(in); i > 0 && (row = add_row(client, &client->symbols->loops)); i--) {
        row->function = (uint32_t)dj_message_get(in);
        row->parent = (uint32_t)dj_message_get(in);
        row->depth = (uint32_t)dj_message_get(in);
        row->inlined = dj_client_get_text(client);
        row->file = dj_client_get_text(client);
        row->first_line = (uint32_t)dj_message_get(in);
        row->last_line = (uint32_t)dj_message_get(in);
        row->header = dj_message_get(in);
    }
}

static void get_variables(dj_client *client)
{
    dj_message *in = &client->in;
    dj_variable *row;
    for (uint64_t i = dj_message_get(in); i > 0 && (row = add_row(client, &client->symbols->variables));
         i--) {
        row->info.name = dj_client_get_text(client);
        row->info.type = dj_client_get_text(client);
        row->info.file = dj_client_get_text(client);
        row->info.line = (uint32_t)dj_message_get(in);
        row->info.module = (uint32_t)dj_message_get(in);
        row->info.function = (uint32_t)dj_message_get(in);
        row->info.bytes = dj_message_get(in);
    }
}

bool dj_client_ask(dj_client *client)
{
    if (!dj_helper_ask(&client->helper, &client->out, &client->in)) {
        client->failed |= !client->helper.why[0];
        return false;
    }
    get_functions(client);
    get_loops(client);
    get_variables(client);
    return dj_client_check(client, true);
}
