// SPDX-License-Identifier: MIT
// Reads several traces, each with its own numbering of sites, modules and blocks, as one: the ids of each
// trace are moved beyond those of the traces before it.
#ifndef DEJA_TRACE_RENUMBER_H
#define DEJA_TRACE_RENUMBER_H

#include <deja/batch.h>

typedef struct dj_ids {
    uint64_t site, module, block;
} dj_ids;

typedef struct dj_renumber {
    dj_ids base; // added to the ids of this trace
    dj_ids next; // above all ids so far
} dj_renumber;

// Another trace begins.
void dj_renumber_begin(dj_renumber *renumber);
void dj_renumber_event(dj_renumber *renumber, dj_event *event);
void dj_renumber_sites(const dj_renumber *renumber, uint32_t *sites, uint32_t count);

#endif
