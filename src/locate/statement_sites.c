// SPDX-License-Identifier: MIT
#include "locate/statement_sites.h"

#include <deja/attribution.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/grow.h"

// Ids are small numbers that tracers count up. Ids that make the locator reject a stream as damaged are
// treated as unknown here.
enum { SITES_SKIPPED_MOST = 1 << 18, SITES_MOST = 1 << 28, MODULES_MOST = 1 << 16 };

static const dj_statement_site unknown = {.module = DJ_NOWHERE, .source = DJ_STATEMENT_OUTSIDE};

int dj_statement_sites_create(dj_statement_sites *sites, dj_context *context, const dj_lookup *lookup)
{
    sites->lookup = *lookup;
    int err = dj_dictionary_create(&sites->files, context);
    return err ? err : dj_triples_create(&sites->lines, context);
}

void dj_statement_sites_destroy(dj_statement_sites *sites)
{
    free(sites->list);
    dj_dictionary_destroy(&sites->files);
    dj_triples_destroy(&sites->lines);
}

int dj_statement_sites_event(dj_statement_sites *sites, dj_context *context, const dj_event *event)
{
    const dj_lookup *ask = &sites->lookup;
    if (!ask->statement)
        return DJ_OK;
    if (event->type == DJ_EVENT_IDENTITY) {
        sites->identified = event->a;
        snprintf(sites->identity.text, sizeof sites->identity.text, "%s", event->text);
    }
    if (event->type == DJ_EVENT_MODULE && event->a < MODULES_MOST && ask->add_module)
        return ask->add_module(ask->user, context, (uint32_t)event->a, event->text,
                               event->a == sites->identified ? sites->identity.text : "");
    if (event->type != DJ_EVENT_SITE || event->a >= SITES_MOST || event->b >= MODULES_MOST ||
        event->a > 4 * sites->described++ + SITES_SKIPPED_MOST)
        return DJ_OK;
    size_t site = (size_t)event->a;
    int err = dj_grow(context, "the sites of statements", &sites->list, &sites->capacity, site + 1,
                      sizeof *sites->list);
    if (err)
        return err;
    for (; sites->count <= site; sites->count++)
        sites->list[sites->count] = unknown;
    sites->list[site] =
        (dj_statement_site){.module = (uint32_t)event->b, .offset = event->c, .source = DJ_STATEMENT_SOURCES};
    return DJ_OK;
}

static int look_up(dj_statement_sites *sites, dj_context *context, uint32_t site)
{
    dj_statement_site *s = &sites->list[site];
    dj_statement_info info;
    uint32_t file;
    bool fresh;
    s->source = DJ_STATEMENT_OUTSIDE;
    if (!sites->lookup.statement(sites->lookup.user, s->module, s->offset, &info))
        return DJ_OK;
    int err = dj_dictionary_value(&sites->files, context, (uint64_t)(uintptr_t)info.file, &file, &fresh);
    if (err)
        return err;
    uint32_t *first = dj_triples_at(&sites->lines, context, file, info.line, 0);
    if (!first)
        return DJ_ERR_MEMORY;
    *first = *first == DJ_TRIPLE_FREE ? site : *first;
    s->statement = *first;
    s->source = info.exact ? DJ_STATEMENT_LINES : DJ_STATEMENT_OPTIMIZED;
    s->repeats = info.repeats;
    return DJ_OK;
}

const dj_statement_site *dj_statement_sites_get(dj_statement_sites *sites, dj_context *context, uint32_t site)
{
    if (site >= sites->count)
        return &unknown;
    if (sites->list[site].source == DJ_STATEMENT_SOURCES && look_up(sites, context, site) != DJ_OK)
        return NULL;
    return &sites->list[site];
}
