// SPDX-License-Identifier: MIT
#include "live/sites.h"

#include <stdlib.h>
#include <string.h>

#include "base/identity.h"

enum { MODULES_MOST = 1 << 16 };

int dj_live_sites_create(dj_live_sites *s, dj_context *context)
{
    *s = (dj_live_sites){.no_module = UINT32_MAX};
    s->cache = calloc(DJ_LIVE_SITES_CACHED, sizeof *s->cache);
    if (!s->cache)
        return dj_fail_memory(context, "the sites of a program", DJ_LIVE_SITES_CACHED * sizeof *s->cache);
    return dj_dictionary_create(&s->ids, context);
}

void dj_live_sites_destroy(dj_live_sites *s)
{
    dj_dictionary_destroy(&s->ids);
    free(s->cache);
    free(s->modules);
    *s = (dj_live_sites){0};
}

// The file is read now, because it may change while the program runs.
static int add_identity(dj_context *context, dj_batch *batch, uint32_t module, const char *path)
{
    dj_identity identity;
    int fault = dj_identity_read_file(path, &identity);
    if (fault)
        return dj_fail(context, DJ_ERR_IO, "%s: cannot read: %s", path, strerror(fault));
    dj_event event = {.index = batch->count, .type = DJ_EVENT_IDENTITY, .a = module, .text = identity.text};
    return identity.text[0] ? dj_batch_add_event(context, batch, &event) : DJ_OK;
}

int dj_live_sites_add_module(dj_live_sites *s, dj_context *context, dj_batch *batch, uint64_t load,
                             uint64_t bytes, bool silent, const char *path)
{
    if (s->module_count == MODULES_MOST)
        return dj_fail(context, DJ_ERR_INPUT, "the tracer reports more than %d object files", MODULES_MOST);
    if (s->module_count == s->module_capacity) {
        uint32_t capacity = s->module_capacity ? 2 * s->module_capacity : 16;
        dj_live_module *grown = realloc(s->modules, capacity * sizeof *grown);
        if (!grown)
            return dj_fail_memory(context, "the object files of a program", capacity * sizeof *grown);
        s->modules = grown;
        s->module_capacity = capacity;
    }
    uint64_t end = load + bytes < load ? UINT64_MAX : load + bytes;
    s->modules[s->module_count] = (dj_live_module){load, end, silent};
    memset(s->cache, 0,
           DJ_LIVE_SITES_CACHED * sizeof *s->cache); // it may overlap an unloaded one
    int err = add_identity(context, batch, s->module_count, path);
    dj_event event = {batch->count, DJ_EVENT_MODULE, s->module_count++, load, end - load, path};
    return err ? err : dj_batch_add_event(context, batch, &event);
}

static bool is_within(const dj_live_module *module, uint64_t address)
{
    return address >= module->load && address < module->end;
}

bool dj_live_sites_in_module(const dj_live_sites *s, uint64_t address)
{
    for (uint32_t i = 0; i < s->module_count; i++)
        if (is_within(&s->modules[i], address))
            return true;
    return false;
}

// The newest module wins, since it may be where another was unloaded.
static int find_module(dj_live_sites *s, dj_context *context, dj_batch *batch, uint64_t pc, uint32_t *out)
{
    for (uint32_t i = s->module_count; i > 0; i--)
        if (is_within(&s->modules[i - 1], pc)) {
            *out = i - 1;
            return DJ_OK;
        }
    if (s->no_module == UINT32_MAX) {
        int err = dj_live_sites_add_module(s, context, batch, 0, 0, false, "[code in no file]");
        if (err)
            return err;
        s->no_module = s->module_count - 1;
    }
    *out = s->no_module;
    return DJ_OK;
}

int dj_live_sites_find(dj_live_sites *s, dj_context *context, dj_batch *batch, uint64_t pc, uint32_t *site)
{
    uint32_t module;
    bool fresh;
    int err = find_module(s, context, batch, pc, &module);
    if (err)
        return err;
    uint64_t offset = pc - s->modules[module].load;
    err = dj_dictionary_value(&s->ids, context, (uint64_t)module << 48 ^ offset, site, &fresh);
    if (err || !fresh)
        return err;
    dj_event event = {batch->count, DJ_EVENT_SITE, *site,
                      module,       offset,        s->modules[module].silent ? "silent" : ""};
    return dj_batch_add_event(context, batch, &event);
}

int dj_live_sites_find_call(dj_live_sites *s, dj_context *context, dj_batch *batch, uint64_t pc,
                            uint32_t *site)
{
    uint64_t key = DJ_DIRECT_RECORD(DJ_DIRECT_ACCESS, DJ_DIRECT_PC(pc));
    dj_cached_site *slot = dj_live_sites_slot(s, pc);
    if (slot->key == key) {
        *site = slot->site;
        return DJ_OK;
    }
    int err = dj_live_sites_find(s, context, batch, pc - 1, site);
    if (!err)
        *slot = (dj_cached_site){key, *site};
    return err;
}
