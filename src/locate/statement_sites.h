// SPDX-License-Identifier: MIT
// The statement of each instruction of a stream, by line tables.
#ifndef DEJA_LOCATE_STATEMENT_SITES_H
#define DEJA_LOCATE_STATEMENT_SITES_H

#include <deja/batch.h>

#include "base/dictionary.h"
#include "base/identity.h"
#include "base/triple.h"
#include "locate/locate.h"

typedef struct dj_statement_site {
    uint32_t module;    // DJ_NOWHERE: not described
    uint32_t statement; // the first site of its line
    uint64_t offset;
    uint8_t source; // enum dj_statement_source; DJ_STATEMENT_SOURCES: not looked up yet
    bool repeats;   // the instruction makes several accesses at once
} dj_statement_site;

typedef struct dj_statement_sites {
    dj_lookup lookup;
    dj_statement_site *list;
    size_t count, capacity;
    uint64_t described; // by events
    dj_dictionary files;
    dj_triples lines;     // file, line → the first site
    uint64_t identified;  // the last module with an identity
    dj_identity identity; // which it has
} dj_statement_sites;

int dj_statement_sites_create(dj_statement_sites *sites, dj_context *context, const dj_lookup *lookup);
void dj_statement_sites_destroy(dj_statement_sites *sites);
// Records modules and sites; ignores other events.
int dj_statement_sites_event(dj_statement_sites *sites, dj_context *context, const dj_event *event);
// NULL: out of memory.
const dj_statement_site *dj_statement_sites_get(dj_statement_sites *sites, dj_context *context,
                                                uint32_t site);

#endif
