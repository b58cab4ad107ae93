// SPDX-License-Identifier: MIT
// A source over a list of accesses, in batches of any size, and what a source returned, as a list.
#ifndef DEJA_TESTS_ACCESS_LIST_H
#define DEJA_TESTS_ACCESS_LIST_H

#include <deja/sharers.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
// cmocka needs the three above it
#include <cmocka.h>

#include "base/random.h"

typedef struct listed {
    uint64_t address, size;
    uint32_t device, site, place, sharer, thread;
    uint8_t kind;
} listed;

typedef struct access_list {
    listed *items;
    size_t count;
    const char *name;
    uint32_t columns;
    uint32_t rare;    // device or kind: half of the batches lack it, and it becomes 0 in the list
    uint32_t batch;   // accesses of a batch; 0: random
    uint32_t threads; // whether thread events precede the accesses
    int end;          // what follows
    // Private.
    size_t at;
    dj_random random;
    uint64_t thread;
    bool closed;
} access_list;

static int list_next(void *state, dj_context *ctx, dj_pool *pool, dj_batch **out)
{
    access_list *l = state;
    *out = NULL;
    if (l->at == l->count)
        return l->end ? dj_fail(ctx, (enum dj_err)l->end, "%s: bad end", l->name) : DJ_OK;
    assert_int_equal(dj_pool_take(ctx, pool, out), DJ_OK);
    uint32_t most = l->batch ? l->batch : (uint32_t)dj_random_below(&l->random, 40), n = 0;
    if (!l->batch && most > 30)
        most = DJ_BATCH_CAPACITY;
    dj_batch_buffers to = dj_batch_writable(*out);
    uint32_t columns = l->columns & ~(dj_random_below(&l->random, 2) ? l->rare : 0u);
    for (; n < most && l->at < l->count; n++, l->at++) {
        listed *item = &l->items[l->at];
        if (l->threads && (l->at == 0 || item->thread != l->thread)) {
            dj_event event = {.index = n, .type = DJ_EVENT_THREAD, .a = item->thread, .text = ""};
            assert_int_equal(dj_batch_add_event(ctx, *out, &event), DJ_OK);
            l->thread = item->thread;
        }
        if (l->rare & ~columns & DJ_COLUMN_KIND)
            item->kind = 0;
        if (l->rare & ~columns & DJ_COLUMN_DEVICE)
            item->device = 0;
        to.address[n] = item->address;
        to.size[n] = item->size;
        to.device[n] = item->device;
        to.site[n] = item->site;
        to.place[n] = item->place;
        to.kind[n] = item->kind;
    }
    (*out)->count = n;
    dj_batch_set_columns(*out, columns);
    return DJ_OK;
}

static const char *list_name(const void *state)
{
    return ((const access_list *)state)->name;
}

static void list_close(void *state)
{
    ((access_list *)state)->closed = true;
}

static dj_source *open_list(dj_context *ctx, access_list *l, const dj_source_info *info)
{
    static const dj_source_ops ops = {.next = list_next, .name = list_name, .close = list_close};
    dj_source_info own = *info;
    dj_source *source = NULL;
    own.columns |= l->columns;
    own.provides |= l->threads ? DJ_COLUMN_THREAD : 0u;
    l->at = 0;
    l->closed = false;
    dj_random_seed(&l->random, 7);
    assert_int_equal(dj_source_create(ctx, &ops, l, &own, &source), DJ_OK);
    return source;
}

// Reads everything and closes the source; columns that are missing are 0.
static inline access_list read_list(dj_context *ctx, dj_source *source, int *err)
{
    access_list l = {.columns = UINT32_MAX};
    dj_batch *batch;
    while ((*err = dj_source_next(source, ctx, &batch)) == DJ_OK && batch) {
        const dj_columns *c = &batch->column;
        l.items = realloc(l.items, (l.count + batch->count) * sizeof *l.items);
        assert_non_null(l.items);
        assert_int_equal(batch->first, l.count);
        assert_in_range(batch->count, 1, DJ_BATCH_CAPACITY);
        l.columns &= dj_batch_columns(batch);
        for (uint32_t i = 0; i < batch->count; i++)
            l.items[l.count++] = (listed){
                .address = c->address[i],
                .size = c->size ? c->size[i] : 0,
                .device = c->device ? c->device[i] : 0,
                .site = c->site ? c->site[i] : 0,
                .place = c->place ? c->place[i] : 0,
                .sharer = c->sharer ? c->sharer[i] : UINT32_MAX,
                .kind = c->kind ? c->kind[i] : 0,
            };
        dj_batch_release(batch);
    }
    dj_source_close(source);
    return l;
}

#endif
