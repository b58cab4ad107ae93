// SPDX-License-Identifier: MIT
#include <stdlib.h>

#include "model/breakdown/own.h"

uint64_t dj_own_weight(const dj_breakdown *lines, const dj_attribution *a, const dj_entity *entity)
{
    if (lines->sort_cut >= a->cut_count)
        return entity->exclusive.accesses;
    return lines->simulated ? dj_tally_simulated(&entity->exclusive, lines->sort_cut)
                            : entity->misses[lines->sort_cut];
}

// Sets `found` of the own lines that are among `lines`.
static bool find_difference(dj_own_lines *l, const dj_attribution *a, const dj_breakdown *lines, bool *found)
{
    double whole = 0;
    for (size_t i = 0; i < lines->count; i++) {
        whole += (double)dj_own_weight(lines, a, &lines->entities[i]);
        const dj_entity *own = dj_own_find(l->own, &lines->entities[i]);
        if (own)
            found[own - l->own->entities] = true;
    }
    for (size_t i = 0; i < lines->count; i++) {
        const dj_entity *own = dj_own_find(l->own, &lines->entities[i]);
        if (own && 100 * ((double)dj_own_weight(lines, a, own) -
                          (double)dj_own_weight(lines, a, &lines->entities[i])) >=
                       whole)
            return whole > 0;
    }
    for (size_t i = 0; i < l->own->count; i++)
        if (!found[i] && l->own->entities[i].line > 0 &&
            100 * (double)dj_own_weight(lines, a, &l->own->entities[i]) >= whole)
            return whole > 0;
    return false;
}

typedef struct order {
    const dj_own_lines *l;
    const dj_attribution *a;
} order;

static uint64_t greater(const order *by, const dj_entity *entity)
{
    const dj_entity *own = dj_own_find(by->l->own, entity);
    const uint64_t made = dj_own_weight(&by->l->lines, by->a, entity),
                   caused = own ? dj_own_weight(&by->l->lines, by->a, own) : 0;
    return made > caused ? made : caused;
}

// Ties keep the order that they had.
static int compare(const void *left, const void *right, void *user)
{
    const uint64_t *x = left, *y = right;
    (void)user;
    if (x[0] != y[0])
        return x[0] > y[0] ? -1 : 1;
    return (x[1] > y[1]) - (x[1] < y[1]);
}

static int sort(dj_context *context, const dj_attribution *a, dj_own_lines *l)
{
    const size_t count = l->lines.count;
    const order by = {l, a};
    uint64_t(*at)[2] = calloc(count + 1, sizeof *at);
    dj_entity *sorted = calloc(count + 1, sizeof *sorted);
    if (at && sorted) {
        for (size_t i = 0; i < count; i++) {
            at[i][0] = greater(&by, &l->entities[i]);
            at[i][1] = i;
        }
        qsort_r(at, count, sizeof *at, compare, NULL);
        for (size_t i = 0; i < count; i++)
            sorted[i] = l->entities[at[i][1]];
        l->lines.entities = sorted;
        sorted = l->entities;
        l->entities = l->lines.entities;
    }
    const int err = at && sorted ? DJ_OK : dj_fail_memory(context, "own lines", count * sizeof *sorted);
    free(at);
    free(sorted);
    return err;
}

static int add_lines(dj_context *context, const dj_attribution *a, const dj_breakdown *lines,
                     const bool *found, dj_own_lines *l)
{
    l->entities = calloc(lines->count + l->own->count + 1, sizeof *l->entities);
    l->zeros = calloc(a->cut_count + 1, sizeof *l->zeros);
    if (!l->entities || !l->zeros)
        return dj_fail_memory(context, "own lines", lines->count * sizeof *l->entities);
    for (size_t i = 0; i < lines->count; i++)
        l->entities[i] = lines->entities[i];
    l->lines.entities = l->entities;
    for (size_t i = 0; i < l->own->count; i++) {
        const dj_entity *own = &l->own->entities[i];
        if (found[i] || own->line == 0)
            continue;
        dj_entity *entity = &l->entities[l->lines.count++];
        *entity = *own;
        entity->exclusive = (dj_tally){0};
        entity->misses = l->zeros;
        entity->distinct = (dj_distinct){.known = true, .exact = true};
    }
    return DJ_OK;
}

int dj_own_lines_create(dj_context *context, const dj_attribution *a, const char *folder,
                        const dj_breakdown *lines, bool sorted, dj_own_lines *out)
{
    *out = (dj_own_lines){.lines = *lines};
    int err = dj_own_create(context, a, folder, &out->own);
    if (err)
        return err;
    bool *found = calloc(out->own->count + 1, sizeof *found);
    if (!found)
        return dj_fail_memory(context, "own lines", out->own->count);
    out->differs = find_difference(out, a, lines, found);
    if (out->differs)
        err = add_lines(context, a, lines, found, out);
    if (!err && out->differs && sorted && !lines->timed)
        err = sort(context, a, out);
    free(found);
    return err;
}

void dj_own_lines_free(dj_own_lines *lines)
{
    dj_breakdown_destroy(lines->own);
    free(lines->entities);
    free(lines->zeros);
    *lines = (dj_own_lines){0};
}
