// SPDX-License-Identifier: MIT
#include "trace/sites.h"

int dj_sites_create(dj_sites *sites, dj_context *context)
{
    *sites = (dj_sites){0};
    return dj_dictionary_create(&sites->ids, context);
}

void dj_sites_destroy(dj_sites *sites)
{
    dj_dictionary_destroy(&sites->ids);
}

int dj_sites_find(dj_sites *sites, dj_context *context, dj_batch *batch, uint32_t index, uint64_t value,
                  const char *name, uint32_t *id)
{
    bool fresh = false;
    int err = dj_dictionary_value(&sites->ids, context, value, id, &fresh);
    if (err || !fresh || !batch)
        return err;
    dj_event module = {.index = index, .type = DJ_EVENT_MODULE, .text = "[process]"};
    dj_event site = {.index = index, .type = DJ_EVENT_SITE, .a = *id, .c = name[0] ? 0 : value, .text = name};
    if (!sites->module_announced)
        err = dj_batch_add_event(context, batch, &module);
    sites->module_announced = true;
    return err ? err : dj_batch_add_event(context, batch, &site);
}
