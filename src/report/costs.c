// SPDX-License-Identifier: MIT
#include "report/costs.h"

#include <math.h>
#include <stdlib.h>

size_t dj_cost_count(const dj_attribution *a)
{
    return DJ_COST_MISSES + a->cut_count + 1;
}

size_t dj_cost_distance(const dj_attribution *a)
{
    return DJ_COST_MISSES + a->cut_count;
}

void dj_cost_add(const dj_attribution *a, const dj_tally *tally, uint64_t *to)
{
    to[DJ_COST_ACCESSES] += tally->accesses;
    to[DJ_COST_WRITES] += tally->writes;
    to[DJ_COST_COLD] += tally->cold;
    for (size_t i = 0; i < a->cut_count; i++)
        to[DJ_COST_MISSES + i] += (uint64_t)llround(dj_tally_misses(tally, a, a->cuts[i].blocks));
    to[dj_cost_distance(a)] += tally->sum;
}

uint32_t dj_place_called(const dj_attribution *a, const dj_place_row *place)
{
    uint32_t called = a->contexts[place->context].function;
    if (called != DJ_NOWHERE)
        return called;
    const dj_site_row *site = &a->sites[place->site];
    called = site->function;
    for (uint32_t frame = site->inlined; frame != DJ_NOWHERE; frame = a->inlined[frame].inlined)
        called = a->inlined[frame].function;
    return called;
}

int dj_cost_contexts(dj_context *context, const dj_attribution *a, bool inclusive, uint64_t **out)
{
    size_t width = dj_cost_count(a);
    uint64_t *costs = calloc(a->context_count + 1, width * sizeof *costs);
    if (!costs)
        return dj_fail_memory(context, "costs of calling contexts", 0);
    for (size_t i = 0; i < a->place_count; i++)
        dj_cost_add(a, &a->places[i].tally, &costs[a->places[i].context * width]);
    for (size_t i = a->context_count; inclusive && i-- > 0;) { // parents come before their children
        uint32_t parent = a->contexts[i].parent;
        for (size_t k = 0; parent != DJ_NOWHERE && k < width; k++)
            costs[parent * width + k] += costs[i * width + k];
    }
    *out = costs;
    return DJ_OK;
}
