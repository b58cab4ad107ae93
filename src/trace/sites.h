// SPDX-License-Identifier: MIT
// Ids for the sites of a trace that has program counters but no modules: all sites are in one module,
// "[process]", that covers all addresses.
#ifndef DEJA_TRACE_SITES_H
#define DEJA_TRACE_SITES_H

#include <deja/batch.h>

#include "base/dictionary.h"

typedef struct dj_sites {
    dj_dictionary ids;
    bool module_announced;
    bool known; // `current` is the id of `pc`
    uint64_t pc;
    uint32_t current;
} dj_sites;

int dj_sites_create(dj_sites *sites, dj_context *context);
void dj_sites_destroy(dj_sites *sites); // a zero-initialized one is allowed

// Returns the id of a site; events announce a new one before access `index` of the batch (unless the batch is
// NULL). A site with a `name` other than "" has no program counter: `value` then represents the name.
int dj_sites_find(dj_sites *sites, dj_context *context, dj_batch *batch, uint32_t index, uint64_t value,
                  const char *name, uint32_t *id);

// From now on accesses belong to the instruction at `pc`. Most instructions access no data, so its id is only
// looked up by dj_sites_current.
static inline void dj_sites_move(dj_sites *sites, uint64_t pc)
{
    sites->known = sites->known && sites->pc == pc;
    sites->pc = pc;
}

static inline int dj_sites_current(dj_sites *sites, dj_context *context, dj_batch *batch, uint32_t index,
                                   uint32_t *id)
{
    int err = DJ_OK;
    if (!sites->known)
        err = dj_sites_find(sites, context, batch, index, sites->pc, "", &sites->current);
    sites->known = !err;
    *id = sites->current;
    return err;
}

#endif
