// SPDX-License-Identifier: MIT
// The object files of a traced process, and the sites in their code. New ones become events of the current
// batch.
#ifndef DEJA_LIVE_SITES_H
#define DEJA_LIVE_SITES_H

#include <deja/batch.h>

#include "base/dictionary.h"
#include "tracer/ring.h"

typedef struct dj_live_module {
    uint64_t load, end;
    bool silent; // its functions report no calls, while those of others do
} dj_live_module;

// Caches sites by the return address of their call into the tracer. Calls are five bytes long, so dropping
// two bits still distinguishes neighbours.
enum { DJ_LIVE_SITES_CACHED = 8192, DJ_LIVE_SITES_SHIFT = 2 };

typedef struct dj_cached_site {
    uint64_t key; // DJ_DIRECT_RECORD(DJ_DIRECT_ACCESS, pc); 0: none yet
    uint32_t site;
} dj_cached_site;

typedef struct dj_live_sites {
    dj_live_module *modules;
    uint32_t module_count, module_capacity;
    uint32_t no_module; // module for code outside all modules; UINT32_MAX: not reported yet
    dj_dictionary ids;
    dj_cached_site *cache;
} dj_live_sites;

// The structure must not move until it is destroyed.
int dj_live_sites_create(dj_live_sites *sites, dj_context *context);
void dj_live_sites_destroy(dj_live_sites *sites); // a zero-initialized one is allowed

int dj_live_sites_add_module(dj_live_sites *sites, dj_context *context, dj_batch *batch, uint64_t load,
                             uint64_t bytes, bool silent, const char *path);
bool dj_live_sites_in_module(const dj_live_sites *sites, uint64_t address);

// The site of the instruction at `pc`.
int dj_live_sites_find(dj_live_sites *sites, dj_context *context, dj_batch *batch, uint64_t pc,
                       uint32_t *site);
// The site of the call that returns to `pc`; it is cached.
int dj_live_sites_find_call(dj_live_sites *sites, dj_context *context, dj_batch *batch, uint64_t pc,
                            uint32_t *site);

static inline dj_cached_site *dj_live_sites_slot(const dj_live_sites *sites, uint64_t pc)
{
    return &sites->cache[pc >> DJ_LIVE_SITES_SHIFT & (DJ_LIVE_SITES_CACHED - 1)];
}

#endif
