// SPDX-License-Identifier: MIT
#include "model/reuse/cluster.h"

#include <stdlib.h>
#include <string.h>

// Reuses further down the list do not matter.
enum { LOOKED_AT = 256 };

static bool belong_together(const dj_reuse *a, const dj_reuse *b)
{
    return a->advice == b->advice && a->loop == b->loop && a->outer_loop == b->outer_loop &&
           a->relation == b->relation && a->carried == b->carried && a->carrier == b->carrier &&
           a->next_iteration == b->next_iteration && strcmp(a->from_name, b->from_name) == 0 &&
           strcmp(a->to_name, b->to_name) == 0;
}

static int compare(const void *left, const void *right)
{
    const dj_cluster *a = left, *b = right;
    if (a->weight > b->weight || a->weight < b->weight)
        return a->weight > b->weight ? -1 : 1;
    return a->members[0] < b->members[0] ? -1 : 1;
}

static int add(dj_cluster *cluster, dj_context *context, const dj_reuse *reuse)
{
    bool named = false;
    for (size_t i = 0; i < cluster->named; i++)
        named |= strcmp(cluster->members[i]->data_name, reuse->data_name) == 0;
    if (!named && cluster->named < DJ_CLUSTER_MEMBERS)
        cluster->members[cluster->named++] = reuse;
    cluster->count++;
    cluster->weight += reuse->weight;
    return dj_tally_add(&cluster->tally, context, &reuse->tally);
}

int dj_clusters_create(dj_context *context, const dj_reuses *reuses, size_t most, dj_cluster **out,
                       size_t *count)
{
    size_t looked_at = reuses->count < LOOKED_AT ? reuses->count : LOOKED_AT, found = 0;
    dj_cluster *clusters = calloc(looked_at + 1, sizeof *clusters);
    int err = clusters ? DJ_OK : dj_fail_memory(context, "a report", looked_at * sizeof *clusters);
    for (size_t i = 0; i < looked_at && !err; i++) {
        size_t at = 0;
        while (at < found && !belong_together(clusters[at].members[0], &reuses->list[i]))
            at++;
        found += at == found;
        err = add(&clusters[at], context, &reuses->list[i]);
    }
    if (err) {
        dj_clusters_destroy(clusters, found);
        return err;
    }
    qsort(clusters, found, sizeof *clusters, compare);
    for (; found > most; found--)
        dj_tally_free(&clusters[found - 1].tally);
    *out = clusters;
    *count = found;
    return DJ_OK;
}

void dj_clusters_destroy(dj_cluster *clusters, size_t count)
{
    for (size_t i = 0; i < count; i++)
        dj_tally_free(&clusters[i].tally);
    free(clusters);
}
