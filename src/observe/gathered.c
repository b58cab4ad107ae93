// SPDX-License-Identifier: MIT
#include "observe/gathered.h"

#include <deja/engine.h>

#include <stdlib.h>

#include "observe/compact.h"
#include "observe/rounding.h"

enum { GATHERED = 512 };

void dj_gathered_free(dj_gathered *g)
{
    dj_histogram_destroy(g->histogram);
    free(g->distances);
    *g = (dj_gathered){0};
}

static int begin(dj_gathered *g, dj_context *context)
{
    if (g->histogram)
        return DJ_OK;
    if (!g->distances)
        g->distances = malloc((GATHERED + DJ_COMPACT_PAD) * sizeof *g->distances);
    return g->distances ? dj_histogram_create(context, &g->histogram)
                        : dj_fail_memory(context, "a histogram", 0);
}

// Those of a sample.
static int count_weighted(dj_gathered *g, dj_context *context, uint64_t *cold)
{
    int err = DJ_OK;
    for (uint32_t i = 0; !err && i < g->waiting; i++)
        if (g->distances[i] == DJ_COLD)
            ++*cold;
        else
            err = dj_histogram_add(g->histogram, context, g->distances[i], UINT64_C(1) << g->weight_log2);
    return err;
}

static int count(dj_gathered *g, dj_context *context)
{
    uint64_t cold = 0;
    int err = g->weight_log2 > 0
                  ? count_weighted(g, context, &cold)
                  : dj_histogram_add_all(g->histogram, context, g->distances, g->waiting, &cold);
    if (!err && g->zeros)
        err = dj_histogram_add(g->histogram, context, 0, g->zeros << g->weight_log2);
    g->cold += cold << g->weight_log2;
    g->accesses += (g->waiting + g->zeros) << g->weight_log2;
    g->waiting = 0;
    g->zeros = 0;
    return err;
}

int dj_gathered_add(dj_gathered *g, dj_context *context, const uint64_t *distance, uint32_t n,
                    unsigned weight_log2)
{
    int err = g->histogram ? DJ_OK : begin(g, context);
    if (!err && g->weight_log2 != weight_log2)
        err = count(g, context);
    g->weight_log2 = weight_log2;
    for (uint32_t from = 0; !err && from < n; from += GATHERED) {
        uint32_t some = n - from < GATHERED ? n - from : GATHERED;
        if (g->waiting + some > GATHERED)
            err = count(g, context);
        if (err)
            return err;
        uint32_t kept = dj_compact_choose()->drop_zeros(distance + from, some, g->distances + g->waiting);
        g->waiting += kept;
        g->zeros += some - kept;
    }
    return err;
}

int dj_gathered_round(dj_gathered *g, dj_context *context)
{
    int err = g->histogram ? count(g, context) : DJ_OK;
    return err || !g->histogram ? err : dj_histogram_round(context, &g->histogram);
}

uint64_t dj_gathered_bytes_ahead(const dj_gathered *g)
{
    return g->histogram ? dj_histogram_bytes_ahead(g->histogram) + GATHERED * sizeof *g->distances : 0;
}

int dj_gathered_merge(dj_gathered *g, dj_context *context, dj_gathered *other)
{
    if (!other->histogram)
        return DJ_OK;
    int err = begin(g, context);
    if (!err)
        err = count(other, context);
    if (!err)
        err = dj_histogram_merge(g->histogram, context, other->histogram);
    g->accesses += other->accesses;
    g->cold += other->cold;
    return err;
}

int dj_gathered_finish(dj_gathered *g, dj_context *context, dj_lane_profile *to)
{
    if (!g->histogram)
        return DJ_OK;
    int err = count(g, context);
    to->accesses = g->accesses;
    to->distinct = to->cold = g->cold;
    return err ? err : dj_histogram_merge(to->distance, context, g->histogram);
}
