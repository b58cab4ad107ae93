// SPDX-License-Identifier: MIT
#include "model/predict/named.h"

#include <deja/reuse.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int by_name(const void *left, const void *right)
{
    const dj_named_part *a = left, *b = right;
    return strcmp(a->name, b->name);
}

void dj_named_free(dj_named_parts *list)
{
    for (size_t i = 0; i < list->count; i++) {
        free(list->list[i].name);
        dj_tally_free(&list->list[i].tally);
    }
    free(list->list);
    *list = (dj_named_parts){0};
}

// Joins the tallies of rows with one name: the order of rows, and how many there are, may differ between
// runs.
static int combine(dj_context *context, dj_named_parts *list)
{
    size_t kept = 0;
    int err = DJ_OK;
    qsort(list->list, list->count, sizeof *list->list, by_name);
    for (size_t i = 0; i < list->count; i++) {
        dj_named_part *row = &list->list[i], *last = kept > 0 ? &list->list[kept - 1] : NULL;
        if (!last || strcmp(last->name, row->name) != 0) {
            list->list[kept++] = *row;
            continue;
        }
        if (!err)
            err = dj_tally_add(&last->tally, context, &row->tally);
        free(row->name);
        dj_tally_free(&row->tally);
    }
    list->count = kept;
    return err;
}

static int reserve(dj_context *context, size_t count, dj_named_parts *out)
{
    out->list = calloc(count + 1, sizeof *out->list);
    return out->list ? DJ_OK : dj_fail_memory(context, "a prediction", count * sizeof *out->list);
}

// Takes over `name`, which is NULL if memory ran out.
static int add(dj_context *context, dj_named_parts *list, char *name, const dj_tally *tally)
{
    if (!name)
        return dj_fail_memory(context, "a prediction", 0);
    dj_named_part *row = &list->list[list->count++];
    row->name = name;
    return dj_tally_add(&row->tally, context, tally);
}

static int finish(dj_context *context, int err, dj_named_parts *list)
{
    if (!err)
        err = combine(context, list);
    if (err)
        dj_named_free(list);
    return err;
}

int dj_named_entities(dj_context *context, const dj_profile *profile, enum dj_by by, dj_named_parts *out)
{
    const dj_attribution *a = dj_profile_attribution(profile);
    dj_breakdown *breakdown = NULL;
    *out = (dj_named_parts){0};
    if (!a)
        return DJ_OK;
    int err = dj_breakdown_create(context, a, by, &breakdown);
    if (!err)
        err = reserve(context, breakdown->count, out);
    for (size_t i = 0; !err && i < breakdown->count; i++)
        err = add(context, out, strdup(breakdown->entities[i].name), &breakdown->entities[i].exclusive);
    dj_breakdown_destroy(breakdown);
    return finish(context, err, out);
}

static char *name_pair(const dj_reuse *reuse)
{
    char *name = NULL;
    return asprintf(&name, "%s: %s → %s", reuse->data_name, reuse->from_name, reuse->to_name) < 0 ? NULL
                                                                                                  : name;
}

int dj_named_pairs(dj_context *context, const dj_profile *profile, dj_named_parts *out)
{
    const dj_attribution *a = dj_profile_attribution(profile);
    dj_reuses *reuses = NULL;
    *out = (dj_named_parts){0};
    if (!a)
        return DJ_OK;
    int err = dj_reuses_create(context, a, &reuses);
    if (!err)
        err = reserve(context, reuses->count, out);
    for (size_t i = 0; !err && i < reuses->count; i++)
        err = add(context, out, name_pair(&reuses->list[i]), &reuses->list[i].tally);
    dj_reuses_destroy(reuses);
    return finish(context, err, out);
}

const dj_named_part *dj_named_find(const dj_named_parts *list, const char *name)
{
    size_t low = 0, high = list->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        const int order = strcmp(list->list[middle].name, name);
        if (order == 0)
            return &list->list[middle];
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}
