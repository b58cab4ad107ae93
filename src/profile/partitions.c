// SPDX-License-Identifier: MIT
#include <deja/partitions.h>

#include <stdlib.h>

#include "profile/identity.h"

int dj_partitions_create(dj_context *context, size_t count, dj_partitions **out)
{
    dj_partitions *p = calloc(1, sizeof *p);
    if (!p)
        return dj_fail_memory(context, "the partitions", sizeof *p);
    p->rows = calloc(count + 1, sizeof *p->rows);
    int err = p->rows ? DJ_OK : dj_fail_memory(context, "the partitions", count * sizeof *p->rows);
    for (; !err && p->count < count; p->count++) {
        p->rows[p->count].lane.id.sampling = 1;
        err = dj_histogram_create(context, &p->rows[p->count].lane.distance);
    }
    if (err)
        dj_partitions_destroy(p);
    else
        *out = p;
    return err;
}

static void free_row(dj_partition_profile *row)
{
    free(row->name);
    dj_lane_id_free(&row->lane.id);
    dj_histogram_destroy(row->lane.distance);
}

void dj_partitions_drop_empty(dj_partitions *p)
{
    size_t kept = 0;
    for (size_t i = 0; i < p->count; i++) {
        if (p->rows[i].lane.accesses == 0 && p->rows[i].lane.distinct == 0)
            free_row(&p->rows[i]);
        else
            p->rows[kept++] = p->rows[i];
    }
    p->count = kept;
}

void dj_partitions_destroy(dj_partitions *p)
{
    if (!p)
        return;
    for (size_t i = 0; i < p->count; i++)
        free_row(&p->rows[i]);
    free(p->rows);
    free(p);
}
