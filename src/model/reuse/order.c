// SPDX-License-Identifier: MIT
#include <stdlib.h>
#include <string.h>

#include "model/reuse/reuse.h"

static int compare(const void *left, const void *right)
{
    const dj_reuse *a = left, *b = right;
    if (a->weight > b->weight || a->weight < b->weight)
        return a->weight > b->weight ? -1 : 1;
    if (a->tally.accesses != b->tally.accesses)
        return a->tally.accesses > b->tally.accesses ? -1 : 1;
    int names = strcmp(a->from_name, b->from_name);
    names = names ? names : strcmp(a->to_name, b->to_name);
    return names ? names : strcmp(a->data_name, b->data_name);
}

static void weigh(dj_reuse *reuse, const dj_attribution *a, const uint64_t *all)
{
    for (size_t i = 0; i < a->cut_count; i++)
        reuse->weight += all[i] > 0 ? (double)reuse->misses[i] / (double)all[i] : 0;
}

static int sum_places(dj_tally *all, dj_context *context, const dj_attribution *a)
{
    int err = DJ_OK;
    for (size_t i = 0; i < a->place_count && !err; i++)
        err = dj_tally_add(all, context, &a->places[i].tally);
    return err;
}

int dj_reuses_order(dj_reuses *reuses, dj_context *context, const dj_attribution *a)
{
    size_t cells = (reuses->count + 2) * a->cut_count;
    uint64_t *at = reuses->miss_table = calloc(cells + 1, sizeof *at);
    if (!at)
        return dj_fail_memory(context, "reuse pairs", cells * sizeof *at);
    dj_tally all = {0};
    int err = sum_places(&all, context, a);
    dj_tally_cuts(&all, a, at);
    dj_tally_free(&all);
    reuses->all_misses = at;
    for (size_t i = 0; i < reuses->count && !err; i++) {
        dj_reuse *reuse = &reuses->list[i];
        err = dj_tally_add(&reuses->total, context, &reuse->tally);
        dj_tally_cuts(&reuse->tally, a, at += a->cut_count);
        reuse->misses = at;
        weigh(reuse, a, reuses->all_misses);
    }
    dj_tally_cuts(&reuses->total, a, at += a->cut_count);
    reuses->total_misses = at;
    if (!err && reuses->count > 0)
        qsort(reuses->list, reuses->count, sizeof *reuses->list, compare);
    return err;
}

void dj_reuses_destroy(dj_reuses *reuses)
{
    if (!reuses)
        return;
    for (size_t i = 0; i < reuses->count; i++) {
        dj_reuse *reuse = &reuses->list[i];
        free(reuse->from_name);
        free(reuse->to_name);
        free(reuse->data_name);
        free(reuse->loop_name);
        free(reuse->text);
        free(reuse->evidence);
        free(reuse->saves);
        dj_tally_free(&reuse->tally);
    }
    free(reuses->list);
    free(reuses->miss_table);
    dj_tally_free(&reuses->total);
    free(reuses);
}
