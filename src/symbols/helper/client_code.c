// SPDX-License-Identifier: MIT
// Code symbols from the helper.
#include "symbols/helper/remote.h"

#include <stdlib.h>
#include <string.h>

typedef struct dj_remote_code {
    uint32_t function, loop, frame_count;
    uint32_t chain;
    bool chain_known;
    dj_code_frame frames[];
} dj_remote_code;

// Statements from `start` on, up to the next run; the last one starts at DJ_WINDOW_BYTES.
typedef struct dj_remote_run {
    uint64_t start;
    dj_statement_info info; // file NULL: unknown
} dj_remote_run;

dj_module_info dj_client_module(dj_client *client, uint32_t id)
{
    dj_remote_module *module = dj_client_begin(client, id);
    const dj_symbols *symbols = client->symbols;
    bool known = id < symbols->module_count && symbols->modules[id];
    dj_module_info unknown = {.path = known ? symbols->modules[id]->path : "",
                              .state = known ? DJ_MODULE_UNKNOWN : DJ_MODULE_MISSING,
                              .reason = ""};
    if (module && !module->described) {
        dj_client_put(client, DJ_REQUEST_MODULE, id);
        if (!dj_client_ask(client))
            return unknown;
        module->info = unknown;
        uint64_t state = dj_message_get(&client->in);
        module->info.state = (enum dj_module_state)state;
        module->info.has_lines = dj_message_get(&client->in);
        module->info.has_types = dj_message_get(&client->in);
        module->info.has_symbols = dj_message_get(&client->in);
        module->info.reason = dj_client_get_text(client);
        module->described = dj_client_check(client, state < DJ_MODULE_STATES && module->info.reason);
    }
    return module && module->described ? module->info : unknown;
}

static bool list_functions(dj_client *client, dj_remote_module *module, uint32_t id)
{
    dj_client_put(client, DJ_REQUEST_FUNCTIONS, id);
    if (!dj_client_ask(client))
        return false;
    module->base = dj_message_get(&client->in);
    if (!dj_client_check(client, dj_client_get_ranges(client, &module->functions)))
        return false;
    for (size_t i = 0; i < module->functions.count; i++)
        if (module->functions.rows[i].item >= module->item_count)
            module->item_count = module->functions.rows[i].item + 1;
    module->numbers = calloc((size_t)module->item_count + 1, sizeof *module->numbers);
    module->latches = calloc((size_t)module->item_count + 1, sizeof *module->latches);
    module->flows = calloc((size_t)module->item_count + 1, sizeof *module->flows);
    module->listed = dj_client_check(client, module->numbers && module->latches && module->flows);
    return module->listed;
}

// The function at an offset: its item, and its module. NULL: unknown.
static const dj_range *find_span(dj_client *client, uint32_t id, uint64_t offset, dj_remote_module **out)
{
    dj_remote_module *module = dj_client_begin(client, id);
    if (!module || (!module->listed && !list_functions(client, module, id)))
        return NULL;
    dj_message_clear(&client->out);
    *out = module;
    return dj_ranges_find(&module->functions, module->base + offset);
}

uint32_t dj_client_function(dj_client *client, uint32_t id, uint64_t offset)
{
    dj_remote_module *module;
    const dj_range *span = find_span(client, id, offset, &module);
    if (!span)
        return 0;
    uint32_t *number = &module->numbers[span->item];
    if (*number == 0) {
        dj_client_put(client, DJ_REQUEST_FUNCTION, id);
        dj_message_put(&client->out, offset);
        if (!dj_client_ask(client))
            return 0;
        uint32_t answer = (uint32_t)dj_message_get(&client->in);
        *number = dj_client_check(client, true) && dj_client_get_frames(client, answer) ? answer : 0;
    }
    return *number;
}

size_t dj_client_find_function(dj_client *client, uint32_t id, const char *name, uint32_t *out, size_t most)
{
    if (!dj_client_begin(client, id))
        return 0;
    dj_client_put(client, DJ_REQUEST_FIND, id);
    dj_message_put_text(&client->out, name);
    if (!dj_client_ask(client))
        return 0;
    size_t count = (size_t)dj_message_get(&client->in);
    for (size_t i = 0; i < count && i < most; i++)
        out[i] = (uint32_t)dj_message_get(&client->in);
    return dj_client_check(client, true) ? count : 0;
}

static void copy_code(const dj_remote_code *from, dj_code *out)
{
    out->function = from->function;
    out->loop = from->loop;
    out->chain = from->chain;
    out->frame_count = from->frame_count;
    for (uint32_t i = 0; i < from->frame_count; i++)
        out->frames[i] = from->frames[i];
}

// Keeps the next code of the answer.
static const dj_remote_code *get_code(dj_client *client, dj_remote_module *module, const dj_code_query *query)
{
    dj_message *in = &client->in;
    uint32_t function = (uint32_t)dj_message_get(in), loop = (uint32_t)dj_message_get(in);
    const uint64_t chain = dj_message_get(in);
    uint64_t count = dj_message_get(in);
    uint64_t *place = NULL;
    dj_remote_code *code = NULL;
    if (!in->failed && count <= DJ_CODE_FRAMES_MOST && chain <= DJ_CHAIN_LINK) {
        code = dj_arena_alloc(&client->arena, 1, sizeof *code + count * sizeof code->frames[0]);
        place = dj_map_at(&module->codes, client->symbols->quiet, query->offset);
    }
    if (!dj_client_check(client, code && place))
        return NULL;
    *code = (dj_remote_code){function, loop, (uint32_t)count, (uint32_t)chain, query->chain};
    for (uint32_t i = 0; i < count; i++) {
        dj_code_frame *frame = &code->frames[i];
        frame->function = dj_client_get_text(client);
        frame->file = dj_client_get_text(client);
        frame->line = (uint32_t)dj_message_get(in);
        frame->column = (uint32_t)dj_message_get(in);
    }
    if (in->failed)
        code->frame_count = 0;
    *place = (uint64_t)(uintptr_t)code;
    return dj_client_check(client, true) ? code : NULL;
}

static const dj_remote_code *known_code(const dj_client *client, const dj_code_query *query)
{
    const dj_symbols *symbols = client->symbols;
    const dj_module *module = query->module < symbols->module_count ? symbols->modules[query->module] : NULL;
    return module && module->remote
               ? (const dj_remote_code *)(uintptr_t)dj_map_get(&module->remote->codes, query->offset)
               : NULL;
}

static bool is_known(const dj_client *client, const dj_code_query *query)
{
    const dj_remote_code *known = known_code(client, query);
    return known && (known->chain_known || !query->chain);
}

// Asks for everything unknown at once. Modules that are new to the helper come before the request.
static void ask_codes(dj_client *client, const dj_code_query *queries, size_t count)
{
    bool fresh[DJ_QUERIES_MOST];
    uint64_t missing = 0;
    dj_message_clear(&client->out);
    for (size_t i = 0; i < count; i++) {
        fresh[i] = dj_client_add(client, queries[i].module) && !is_known(client, &queries[i]);
        missing += fresh[i];
    }
    if (missing == 0)
        return;
    dj_client_put(client, DJ_REQUEST_CODES, missing);
    for (size_t i = 0; i < count; i++)
        if (fresh[i]) {
            dj_message_put(&client->out, queries[i].module);
            dj_message_put(&client->out, queries[i].offset);
            dj_message_put(&client->out, queries[i].chain);
        }
    bool good = dj_client_ask(client);
    for (size_t i = 0; good && i < count; i++)
        if (fresh[i])
            good = get_code(client, dj_client_add(client, queries[i].module), &queries[i]) != NULL;
}

void dj_client_codes(dj_client *client, const dj_code_query *queries, size_t count, dj_code *out)
{
    ask_codes(client, queries, count);
    for (size_t i = 0; i < count; i++) {
        const dj_remote_code *known = known_code(client, &queries[i]);
        out[i].function = out[i].loop = 0;
        out[i].chain = DJ_CHAIN_NONE;
        out[i].frame_count = 1;
        out[i].frames[0] = (dj_code_frame){"", "", 0, 0};
        if (known && known->frame_count > 0)
            copy_code(known, &out[i]);
    }
}

static const dj_remote_run *get_window(dj_client *client, dj_remote_module *module, uint64_t window)
{
    dj_remote_run runs[DJ_WINDOW_BYTES + 1];
    size_t count = 0;
    dj_message *in = &client->in;
    do {
        dj_remote_run *run = &runs[count];
        *run = (dj_remote_run){.start = dj_message_get(in)};
        if (in->failed || run->start >= DJ_WINDOW_BYTES)
            break;
        run->info.file = dj_client_get_text(client);
        run->info.line = (uint32_t)dj_message_get(in);
        run->info.exact = dj_message_get(in);
        run->info.repeats = dj_message_get(in);
        run->info.stores = dj_message_get(in);
        run->info.returns_nothing = dj_message_get(in);
    } while (!in->failed && ++count < DJ_WINDOW_BYTES);
    runs[count++].start = DJ_WINDOW_BYTES;
    dj_remote_run *kept = dj_arena_alloc(&client->arena, count, sizeof *kept);
    uint64_t *place = kept ? dj_map_at(&module->statements, client->symbols->quiet, window) : NULL;
    if (!dj_client_check(client, place))
        return NULL;
    memcpy(kept, runs, count * sizeof *kept);
    *place = (uint64_t)(uintptr_t)kept;
    return kept;
}

bool dj_client_statement(dj_client *client, uint32_t id, uint64_t offset, dj_statement_info *out)
{
    dj_remote_module *module = dj_client_begin(client, id);
    uint64_t window = offset / DJ_WINDOW_BYTES;
    const dj_remote_run *runs =
        module ? (const dj_remote_run *)(uintptr_t)dj_map_get(&module->statements, window) : NULL;
    if (module && !runs) {
        dj_client_put(client, DJ_REQUEST_STATEMENTS, id);
        dj_message_put(&client->out, window);
        runs = dj_client_ask(client) ? get_window(client, module, window) : NULL;
    }
    if (!runs)
        return false;
    while (runs[1].start <= offset % DJ_WINDOW_BYTES)
        runs++;
    if (runs->info.file)
        *out = runs->info;
    return runs->info.file;
}

uint32_t dj_client_latch(dj_client *client, uint32_t id, uint64_t offset, uint64_t *block)
{
    dj_remote_module *module;
    const dj_range *span = find_span(client, id, offset, &module);
    *block = 0;
    if (!span)
        return 0;
    dj_remote_latches *latches = &module->latches[span->item];
    if (!latches->known) {
        dj_client_put(client, DJ_REQUEST_LATCHES, id);
        dj_message_put(&client->out, offset);
        latches->known =
            dj_client_ask(client) && dj_client_check(client, dj_client_get_ranges(client, &latches->ranges));
    }
    const dj_range *found = latches->known ? dj_ranges_find(&latches->ranges, module->base + offset) : NULL;
    *block = found ? found->lo : 0;
    return found ? found->item : 0;
}

static void get_flow(dj_client *client, dj_remote_flow *flow)
{
    dj_message *in = &client->in;
    const uint64_t count = dj_message_get(in);
    const bool fits = !in->failed && count <= in->count; // each number has at least one byte
    uint64_t *words = fits && count ? dj_arena_alloc(&client->arena, count, sizeof *words) : NULL;
    for (uint64_t i = 0; words && i < count; i++)
        words[i] = dj_message_get(in);
    if (dj_client_check(client, fits && (words || count == 0)))
        *flow = (dj_remote_flow){true, count, words};
}

const uint64_t *dj_client_flow(dj_client *client, uint32_t id, uint64_t offset, size_t *count)
{
    dj_remote_module *module;
    const dj_range *span = find_span(client, id, offset, &module);
    *count = 0;
    if (!span)
        return NULL;
    dj_remote_flow *flow = &module->flows[span->item];
    if (!flow->known) {
        dj_client_put(client, DJ_REQUEST_FLOW, id);
        dj_message_put(&client->out, offset);
        if (dj_client_ask(client))
            get_flow(client, flow);
    }
    *count = flow->count;
    return flow->words;
}
