// SPDX-License-Identifier: MIT
// The object files of a traced process, and the places in their code that do
// something. What is new becomes an event of the batch at hand.
#ifndef DEJA_LIVE_SITES_H
#define DEJA_LIVE_SITES_H

#include <deja/batch.h>

#include "base/dictionary.h"
#include "tracer/ring.h"

typedef struct dj_live_module {
    uint64_t load, end;
    bool silent; // its functions tell no calls, while those of others do
} dj_live_module;

// Sites by the address after their call into the tracer. Calls are five bytes
// long, so that two bits fewer still tell neighbours apart.
enum { DJ_LIVE_SITES_REMEMBERED = 8192, DJ_LIVE_SITES_SHIFT = 2 };

typedef struct dj_remembered_site {
    uint64_t key; // DJ_DIRECT_RECORD(DJ_DIRECT_ACCESS, pc); 0: none yet
    uint32_t site;
} dj_remembered_site;

typedef struct dj_live_sites {
    dj_live_module *modules;
    uint32_t module_count, module_capacity;
    uint32_t nowhere; // module of code that is in none; UINT32_MAX: not told yet
    dj_dictionary ids;
    dj_remembered_site *remembered;
} dj_live_sites;

// The sites must stay where they are until they are destroyed.
int dj_live_sites_create(dj_live_sites *sites, dj_context *context);
void dj_live_sites_destroy(dj_live_sites *sites); // one that is all zero is fine

int dj_live_sites_add_module(dj_live_sites *sites, dj_context *context, dj_batch *batch, uint64_t load,
                             uint64_t bytes, bool silent, const char *path);
bool dj_live_sites_in_module(const dj_live_sites *sites, uint64_t address);

// The site of the instruction at `pc`.
int dj_live_sites_find(dj_live_sites *sites, dj_context *context, dj_batch *batch, uint64_t pc,
                       uint32_t *site);
// The site of the call that returns to `pc`, which is remembered.
int dj_live_sites_find_call(dj_live_sites *sites, dj_context *context, dj_batch *batch, uint64_t pc,
                            uint32_t *site);

static inline dj_remembered_site *dj_live_sites_slot(const dj_live_sites *sites, uint64_t pc)
{
    return &sites->remembered[pc >> DJ_LIVE_SITES_SHIFT & (DJ_LIVE_SITES_REMEMBERED - 1)];
}

#endif
