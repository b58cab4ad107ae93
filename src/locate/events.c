// SPDX-License-Identifier: MIT
// Handles the events of a stream.
#include "base/grow.h"
#include "base/text.h"
#include "locate/locator.h"

#include <stdlib.h>
#include <string.h>

// Ids are small numbers that tracers count up. A damaged stream may contain others, which must not consume
// more memory than the stream itself.
enum { MODULES_MOST = 1 << 16, SITES_MOST = 1 << 28, SITES_SKIPPED_MOST = 1 << 18 };

// A module may be loaded again elsewhere.
static void put_in_order(dj_locator *l, uint32_t id, uint64_t load)
{
    const dj_module_id *modules = l->located.modules;
    uint32_t *order = l->module_order;
    size_t at = 0, rest;
    while (at < l->module_order_count && order[at] != id)
        at++;
    if (at < l->module_order_count) {
        rest = --l->module_order_count - at;
        memmove(order + at, order + at + 1, rest * sizeof *order);
    }
    for (at = l->module_order_count; at > 0 && modules[order[at - 1]].load > load; at--)
        ;
    rest = l->module_order_count++ - at;
    memmove(order + at + 1, order + at, rest * sizeof *order);
    order[at] = id;
}

static int grow_modules(dj_locator *l, dj_context *context, const dj_event *event)
{
    dj_located *all = &l->located;
    if (event->a >= MODULES_MOST || event->b + event->c < event->b)
        return dj_fail(context, DJ_ERR_INPUT, "the stream has an impossible module '%s'", event->text);
    int err = dj_grow(context, "the modules", &all->modules, &l->module_capacity, (size_t)event->a + 1,
                      sizeof *all->modules);
    if (!err)
        err = dj_grow(context, "the modules", &l->module_order, &l->module_order_capacity, l->module_capacity,
                      sizeof *l->module_order);
    return err;
}

static int locator_identify_module(dj_locator *l, dj_context *context, const dj_event *event)
{
    int err = grow_modules(l, context, event);
    if (err)
        return err;
    dj_module_id *m = &l->located.modules[event->a];
    free(m->identity);
    return dj_copy_text(context, event->text, &m->identity);
}

static int locator_add_module(dj_locator *l, dj_context *context, const dj_event *event)
{
    dj_located *all = &l->located;
    size_t id = (size_t)event->a;
    int err = grow_modules(l, context, event);
    if (err)
        return err;
    dj_module_id *m = &all->modules[id];
    free(m->path);
    m->load = event->b;
    m->bytes = event->c;
    err = dj_copy_text(context, event->text, &m->path);
    if (err)
        return err;
    all->module_count = id >= all->module_count ? id + 1 : all->module_count;
    put_in_order(l, (uint32_t)id, m->load);
    const dj_lookup *ask = &l->options.lookup;
    return ask->add_module
               ? ask->add_module(ask->user, context, (uint32_t)id, event->text, dj_module_identity(m))
               : DJ_OK;
}

uint32_t dj_locator_module(const dj_locator *l, uint64_t address)
{
    size_t lo = 0, hi = l->module_order_count;
    while (lo < hi) {
        size_t middle = (lo + hi) / 2;
        if (l->located.modules[l->module_order[middle]].load <= address)
            lo = middle + 1;
        else
            hi = middle;
    }
    if (lo == 0)
        return DJ_NOWHERE;
    uint32_t id = l->module_order[lo - 1];
    return address - l->located.modules[id].load < l->located.modules[id].bytes ? id : DJ_NOWHERE;
}

int dj_locator_site(dj_locator *l, dj_context *context, uint32_t site)
{
    dj_located *all = &l->located;
    if (site < all->site_count)
        return DJ_OK;
    if (site >= SITES_MOST || site > 4 * l->sites_met++ + SITES_SKIPPED_MOST)
        return dj_fail(context, DJ_ERR_INPUT, "the stream has an impossible site %u", site);
    int err =
        dj_grow(context, "the sites", &all->sites, &l->site_capacity, (size_t)site + 1, sizeof *all->sites);
    if (!err)
        err =
            dj_grow(context, "the sites", &l->sites, &l->memory_capacity, (size_t)site + 1, sizeof *l->sites);
    if (err)
        return err;
    for (; all->site_count <= site; all->site_count++) {
        all->sites[all->site_count] = (dj_site_id){DJ_NOWHERE, 0};
        l->sites[all->site_count] =
            (dj_site_memory){.alive = &l->always, .cct_node = DJ_NOWHERE, .allocation = DJ_NOWHERE};
    }
    return DJ_OK;
}

static int describe_site(dj_locator *l, dj_context *context, const dj_event *event)
{
    const dj_lookup *ask = &l->options.lookup;
    if (event->a >= SITES_MOST)
        return dj_fail(context, DJ_ERR_INPUT, "the stream has an impossible site");
    uint32_t site = (uint32_t)event->a;
    int err = dj_locator_site(l, context, site);
    if (err)
        return err;
    uint32_t module = event->b < l->located.module_count ? (uint32_t)event->b : DJ_NOWHERE;
    l->located.sites[site] = (dj_site_id){module, event->c};
    dj_site_memory *m = &l->sites[site];
    m->function = module != DJ_NOWHERE && ask->function ? ask->function(ask->user, module, event->c) : 0;
    m->origin = m->function && ask->origin ? ask->origin(ask->user, m->function) : m->function;
    m->silent = event->text[0] != '\0';
    m->stub = m->function && ask->is_stub && ask->is_stub(ask->user, m->function);
    return DJ_OK;
}

int dj_locator_thread(dj_locator *l, dj_context *context, const dj_event *event)
{
    dj_located *all = &l->located;
    uint32_t index, root;
    bool fresh;
    int err = dj_dictionary_value(&l->thread_ids, context, event->a, &index, &fresh);
    if (err)
        return err;
    if (fresh) {
        err = dj_grow(context, "the threads", &all->threads, &l->thread_name_capacity, (size_t)index + 1,
                      sizeof *all->threads);
        if (!err)
            err = dj_grow(context, "the threads", &l->threads, &l->thread_capacity, (size_t)index + 1,
                          sizeof *l->threads);
        if (!err)
            err = dj_cct_add_root(&l->cct, context, index, &root);
        if (!err)
            err = dj_thread_create(&l->threads[index], context, event->a, root);
        if (err)
            return err;
        all->threads[all->thread_count++] = (dj_thread_id){event->a, NULL};
    }
    l->thread = index;
    if (event->c > event->b) {
        l->threads[index].stack_lo = event->b;
        l->threads[index].stack_hi = event->c;
        err = dj_stacks_add(&l->stacks, context, event->b, event->c, index);
        if (err)
            return err;
    }
    if (event->text[0] && !all->threads[index].name)
        return dj_copy_text(context, event->text, &all->threads[index].name);
    return DJ_OK;
}

// The caller may have made no access yet, or belong to a library whose calls are not reported and that was
// called by the function on top.
static int called(dj_locator *l, dj_context *context, const dj_event *event)
{
    dj_thread *thread = &l->threads[l->thread];
    uint32_t site = event->a < SITES_MOST ? (uint32_t)event->a : DJ_NOWHERE;
    int err = site == DJ_NOWHERE ? DJ_OK : dj_locator_site(l, context, site);
    if (err)
        return err;
    l->stack_changes++;
    dj_thread_return(thread, event->c + 1);
    const dj_site_memory *m = site == DJ_NOWHERE ? NULL : &l->sites[site];
    if (m && !thread->top->entered)
        err = dj_locator_enter(l, context, m);
    bool within = !m || m->stub || dj_locator_is_within(l, site, thread->top);
    uint32_t caller = dj_locator_caller(m, thread->top);
    if (!err)
        err = dj_thread_call(thread, context, site, event->c);
    if (err || within)
        return err;
    return dj_cct_child(&l->cct, context, caller, DJ_NOWHERE, m->origin, &thread->top->cct_node);
}

static int entered(dj_locator *l, dj_context *context, const dj_event *event)
{
    const uint32_t site = event->a < SITES_MOST ? (uint32_t)event->a : DJ_NOWHERE;
    int err = site == DJ_NOWHERE ? DJ_OK : dj_locator_site(l, context, site);
    if (err || site == DJ_NOWHERE || l->threads[l->thread].top->entered)
        return err;
    return dj_locator_enter(l, context, &l->sites[site]);
}

static int passed(dj_locator *l, dj_context *context, const dj_event *event)
{
    dj_located *all = &l->located;
    if (event->a >= all->site_count)
        return DJ_OK; // nothing is known about it
    int err = dj_grow(context, "the passes", &all->passes, &all->pass_count, (size_t)event->a + 1,
                      sizeof *all->passes);
    if (!err)
        all->passes[event->a] += event->b;
    return err;
}

// Estimates count the first burst of a run as it is, and let the others stand for more. So they have places
// of their own.
static int separate_bursts(dj_locator *l, dj_context *context)
{
    if (l->separated)
        return DJ_OK;
    l->separated = true;
    for (size_t i = 0; i < l->located.site_count; i++)
        l->sites[i].cct_node = DJ_NOWHERE;
    dj_triples_destroy(&l->place_ids);
    return dj_triples_create(&l->place_ids, context);
}

int dj_locator_event(dj_locator *l, dj_context *context, const dj_event *event)
{
    switch ((enum dj_event_type)event->type) {
    case DJ_EVENT_MODULE:
        return locator_add_module(l, context, event);
    case DJ_EVENT_IDENTITY:
        return locator_identify_module(l, context, event);
    case DJ_EVENT_SITE:
        return describe_site(l, context, event);
    case DJ_EVENT_CALL:
        return called(l, context, event);
    case DJ_EVENT_ENTERED:
        return entered(l, context, event);
    case DJ_EVENT_RETURN:
        l->stack_changes++;
        dj_thread_return(&l->threads[l->thread], event->c);
        return DJ_OK;
    case DJ_EVENT_ALLOC:
        return dj_locator_allocated(l, context, event);
    case DJ_EVENT_FREE:
        return dj_heap_remove(l->heap, context, event->b);
    case DJ_EVENT_THREAD:
        return dj_locator_thread(l, context, event);
    case DJ_EVENT_PASS:
        return passed(l, context, event);
    case DJ_EVENT_GAP:
        return event->c ? separate_bursts(l, context) : DJ_OK;
    case DJ_EVENT_REGION:
    case DJ_EVENT_STATEMENT:
    case DJ_EVENT_SYNC:
    case DJ_EVENT_OUTSIDE:
    case DJ_EVENT_LOOP:
    case DJ_EVENT_FILE:
    case DJ_EVENT_BUDGET:
    case DJ_EVENT_COST:
        return DJ_OK;
    }
    return DJ_OK;
}
