// SPDX-License-Identifier: MIT
#include "model/comparable.h"

#include <stdlib.h>
#include <string.h>

static bool same_text(const char *a, const char *b)
{
    return strcmp(a ? a : "", b ? b : "") == 0;
}

const char *dj_measured_differently(const dj_profile *a, const dj_profile *b)
{
    const dj_lane_profile *x = &a->lanes[0], *y = &b->lanes[0];
    const dj_provenance *p = &a->provenance, *q = &b->provenance;
    return x->id.block_bytes != y->id.block_bytes                           ? "block sizes"
           : !same_text(dj_lane_filter(x), dj_lane_filter(y))               ? "filters"
           : !same_text(dj_lane_partition(x), dj_lane_partition(y))         ? "partitions"
           : !same_text(p->unit, q->unit) || p->unit_bytes != q->unit_bytes ? "kinds of data"
           : !same_text(p->statements, q->statements)                       ? "statements"
           : p->split != q->split                                           ? "ways to split accesses"
           : !same_text(p->format, q->format)                               ? "kinds of traces"
                                                                            : NULL;
}

bool dj_selected_differently(const dj_profile *a, const dj_profile *b)
{
    return !same_text(a->provenance.selection, b->provenance.selection);
}

static int by_name(const void *left, const void *right)
{
    return strcmp(*(const char *const *)left, *(const char *const *)right);
}

static double share_of(const dj_breakdown *one, const dj_breakdown *other, const char **names)
{
    double all = 0, same = 0;
    for (size_t i = 0; i < other->count; i++)
        names[i] = other->entities[i].name;
    qsort(names, other->count, sizeof *names, by_name);
    for (size_t i = 0; i < one->count; i++) {
        const dj_entity *entity = &one->entities[i];
        const char *name = entity->name;
        all += (double)entity->exclusive.accesses;
        if (bsearch(&name, names, other->count, sizeof *names, by_name))
            same += (double)entity->exclusive.accesses;
    }
    return all > 0 ? same / all : 1;
}

int dj_shared_parts(dj_context *context, const dj_profile *one, const dj_profile *other, enum dj_by by,
                    double *out)
{
    const dj_attribution *a = dj_profile_attribution(one), *b = dj_profile_attribution(other);
    dj_breakdown *parts = NULL, *others = NULL;
    *out = 1;
    if (!a || !b)
        return DJ_OK;
    int err = dj_breakdown_create(context, a, by, &parts);
    if (!err)
        err = dj_breakdown_create(context, b, by, &others);
    const char **names = err ? NULL : malloc((others->count + 1) * sizeof *names);
    if (!err && !names)
        err = dj_fail_memory(context, "a comparison", others->count * sizeof *names);
    if (!err && parts->count > 0 && others->count > 0)
        *out = share_of(parts, others, names);
    free(names);
    dj_breakdown_destroy(parts);
    dj_breakdown_destroy(others);
    return err;
}
