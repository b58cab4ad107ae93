// SPDX-License-Identifier: MIT
#include <deja/orders.h>

#include <stdlib.h>
#include <string.h>

#include "base/text.h"

const char *dj_execution_order_name(enum dj_execution_order order)
{
    static const char *const names[] = {"as written", "reuse-driven", "loops fused"};
    return names[order];
}

void dj_reordering_free(dj_reordering *reordering)
{
    for (int i = 0; i < DJ_EXECUTION_ORDERS; i++)
        dj_profile_destroy(reordering->profiles[i]);
    *reordering = (dj_reordering){0};
}

int dj_reordering_mark_partial(dj_context *context, dj_reordering *reordering, const char *why)
{
    int err = DJ_OK;
    for (int i = 0; !err && i < DJ_EXECUTION_ORDERS; i++) {
        dj_provenance *from = &reordering->profiles[i]->provenance;
        if (from->partial)
            continue;
        free(from->partial_reason);
        from->partial_reason = NULL;
        from->partial = true;
        err = dj_copy_text(context, why, &from->partial_reason);
    }
    return err;
}

static const dj_attribution *attribution_of(const dj_reordering *reordering)
{
    return dj_profile_attribution(reordering->profiles[DJ_AS_WRITTEN]);
}

uint64_t dj_reordering_long_from(const dj_reordering *reordering, size_t cut)
{
    return attribution_of(reordering)->cuts[cut].blocks;
}

size_t dj_reordering_cut_count(const dj_reordering *reordering)
{
    return attribution_of(reordering)->cut_count;
}

uint64_t dj_reordering_long(const dj_reordering *reordering, enum dj_execution_order order, size_t cut)
{
    const dj_histogram *h = reordering->profiles[order]->lanes[0].distance;
    uint64_t count = 0, times;
    for (uint64_t v = dj_reordering_long_from(reordering, cut); (times = dj_histogram_next(h, &v)) != 0; v++)
        count += times;
    return count;
}

enum dj_execution_order dj_reordering_best(const dj_reordering *reordering, size_t cut)
{
    enum dj_execution_order best = DJ_AS_WRITTEN;
    for (int i = 1; i < DJ_EXECUTION_ORDERS; i++)
        if (dj_reordering_long(reordering, (enum dj_execution_order)i, cut) <
            dj_reordering_long(reordering, best, cut))
            best = (enum dj_execution_order)i;
    return best;
}

void dj_reordering_choose(dj_reordering *reordering)
{
    uint64_t most = 0;
    reordering->cut = 0;
    for (size_t cut = 0; cut < dj_reordering_cut_count(reordering); cut++) {
        const enum dj_execution_order best = dj_reordering_best(reordering, cut);
        const uint64_t gain =
            dj_reordering_long(reordering, DJ_AS_WRITTEN, cut) - dj_reordering_long(reordering, best, cut);
        if (gain > most) {
            most = gain;
            reordering->cut = cut;
        }
    }
}

static uint64_t count_long(const dj_entity *entity, size_t cut)
{
    return entity->misses[cut] - entity->exclusive.cold;
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(((const dj_entity *)a)->name, ((const dj_entity *)b)->name);
}

static uint64_t saved(const dj_reordered_row *row)
{
    uint64_t least = row->longs[0];
    for (int i = 1; i < DJ_EXECUTION_ORDERS; i++)
        least = row->longs[i] < least ? row->longs[i] : least;
    return row->longs[0] - least;
}

static int compare_savings(const void *a, const void *b)
{
    const dj_reordered_row *x = a, *y = b;
    const uint64_t p = saved(x), q = saved(y);
    if (p != q)
        return p < q ? 1 : -1;
    if (x->longs[0] != y->longs[0])
        return x->longs[0] < y->longs[0] ? 1 : -1;
    return strcmp(x->name, y->name);
}

// The same code makes the same accesses to the same data in every order, so all breakdowns have the same
// names. Entities of one name become one row.
static int merge(dj_context *context, dj_breakdown *const *orders, size_t cut, dj_reordered_rows *out)
{
    size_t at[DJ_EXECUTION_ORDERS] = {0};
    const dj_breakdown *first = orders[0];
    out->list = calloc(first->count + 1, sizeof *out->list);
    if (!out->list)
        return dj_fail_memory(context, "the rows of orders", 0);
    while (at[0] < first->count) {
        dj_reordered_row *row = &out->list[out->count];
        const char *name = first->entities[at[0]].name;
        int err = dj_copy_text(context, name, &row->name);
        if (err)
            return err;
        out->count++;
        for (int i = 0; i < DJ_EXECUTION_ORDERS; i++)
            for (; at[i] < orders[i]->count && strcmp(orders[i]->entities[at[i]].name, row->name) == 0;
                 at[i]++) {
                row->longs[i] += count_long(&orders[i]->entities[at[i]], cut);
                row->accesses += i == 0 ? orders[i]->entities[at[i]].exclusive.accesses : 0;
            }
    }
    qsort(out->list, out->count, sizeof *out->list, compare_savings);
    return DJ_OK;
}

int dj_reordered_rows_create(dj_context *context, const dj_reordering *reordering, enum dj_by by,
                             dj_reordered_rows *out)
{
    dj_breakdown *orders[DJ_EXECUTION_ORDERS] = {NULL};
    int err = DJ_OK;
    *out = (dj_reordered_rows){0};
    for (int i = 0; !err && i < DJ_EXECUTION_ORDERS; i++) {
        err = dj_breakdown_create(context, dj_profile_attribution(reordering->profiles[i]), by, &orders[i]);
        if (!err)
            qsort(orders[i]->entities, orders[i]->count, sizeof *orders[i]->entities, compare_names);
    }
    if (!err)
        err = merge(context, orders, reordering->cut, out);
    for (int i = 0; i < DJ_EXECUTION_ORDERS; i++)
        dj_breakdown_destroy(orders[i]);
    if (err)
        dj_reordered_rows_free(out);
    return err;
}

void dj_reordered_rows_free(dj_reordered_rows *rows)
{
    for (size_t i = 0; i < rows->count; i++)
        free(rows->list[i].name);
    free(rows->list);
    *rows = (dj_reordered_rows){0};
}
