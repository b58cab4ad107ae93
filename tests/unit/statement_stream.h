// SPDX-License-Identifier: MIT
// Streams of accesses and events for the tests of statement mode, and the output of the
// stage. Include it after cmocka.h.
#ifndef DEJA_TESTS_STATEMENT_STREAM_H
#define DEJA_TESTS_STATEMENT_STREAM_H

#include "locate/statements.h"
#include "support/context.h"
#include "support/streams.h"

// An access, or an event: type 0 for an access of `site` to address a, of b bytes, kind c.
typedef struct item {
    uint32_t type, site;
    uint64_t a, b, c;
} item;

typedef struct items {
    item *list;
    size_t count, capacity;
} items;

static inline void add(items *to, item one)
{
    if (to->count == to->capacity) {
        to->capacity = to->capacity ? 2 * to->capacity : 1024;
        to->list = realloc(to->list, to->capacity * sizeof *to->list);
        assert_non_null(to->list);
    }
    to->list[to->count++] = one;
}

static inline void add_access(items *to, uint32_t site, uint64_t address, uint64_t size, uint64_t kind)
{
    add(to, (item){.site = site, .a = address, .b = size, .c = kind});
}

static inline void add_event(items *to, uint32_t type, uint64_t a, uint64_t b, uint64_t c)
{
    add(to, (item){.type = type, .a = a, .b = b, .c = c});
}

// A source over items, in batches of random sizes.
typedef struct item_source {
    const items *from;
    size_t at;
    uint64_t random;
    int ends_with; // DJ_OK or the error after the last item
} item_source;

static inline int next_items(void *state, dj_context *ctx, dj_pool *pool, dj_batch **out)
{
    item_source *g = state;
    *out = NULL;
    if (g->at == g->from->count)
        return g->ends_with ? dj_fail(ctx, (enum dj_err)g->ends_with, "cut off") : DJ_OK;
    assert_int_equal(dj_pool_take(ctx, pool, out), DJ_OK);
    dj_batch_buffers to = dj_batch_writable(*out);
    uint64_t most = 1 + random_below(&g->random, random_below(&g->random, 2) ? 20 : DJ_BATCH_CAPACITY);
    for (; g->at < g->from->count && (*out)->count < most; g->at++) {
        const item *i = &g->from->list[g->at];
        uint32_t n = (*out)->count;
        if (i->type) {
            dj_event event = {.index = n, .type = i->type, .a = i->a, .b = i->b, .c = i->c, .text = "m"};
            assert_int_equal(dj_batch_add_event(ctx, *out, &event), DJ_OK);
            continue;
        }
        to.address[n] = i->a;
        to.size[n] = i->b;
        to.kind[n] = (uint8_t)i->c;
        to.site[n] = i->site;
        (*out)->count++;
    }
    dj_batch_set_columns(*out, DJ_COLUMN_SIZE | DJ_COLUMN_SITE | DJ_COLUMN_KIND);
    return DJ_OK;
}

// Appends the output of the stage to `out` and its tally to *tally; returns the error that ended it.
static inline int merge(const items *in, const dj_statements_options *options, int ends_with, items *out,
                        dj_statements_tally *tally)
{
    static const dj_source_ops ops = {.next = next_items};
    static const dj_source_info info = {.format = "test", .unit_bytes = 1, .default_block = 1};
    item_source g = {.from = in, .random = in->count, .ends_with = ends_with};
    dj_source *inner, *outer;
    dj_statements *stage;
    assert_int_equal(dj_source_create(context, &ops, &g, &info, &inner), DJ_OK);
    assert_int_equal(dj_statements_create(context, options, &stage), DJ_OK);
    assert_int_equal(dj_statements_source(context, stage, inner, &outer), DJ_OK);
    dj_batch *batch;
    int err;
    while ((err = dj_source_next(outer, context, &batch)) == DJ_OK && batch) {
        for (uint32_t i = 0, e = 0; i <= batch->count; i++) {
            for (; e < batch->event_count && batch->events[e].index == i; e++)
                add_event(out, batch->events[e].type, batch->events[e].a, batch->events[e].b,
                          batch->events[e].c);
            if (i < batch->count)
                add_access(out, batch->column.site[i], batch->column.address[i], batch->column.size[i],
                           batch->column.kind[i]);
        }
        dj_batch_release(batch);
    }
    if (tally)
        *tally = dj_statements_count(stage);
    dj_source_close(outer);
    dj_source_close(inner);
    dj_statements_destroy(stage);
    return err;
}

#endif
