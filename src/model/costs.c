// SPDX-License-Identifier: MIT
#include "model/costs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

size_t dj_cost_count(const dj_attribution *a)
{
    return DJ_COST_MISSES + a->cut_count + 1;
}

// Index of the sum of distances.
static size_t cost_distance(const dj_attribution *a)
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
    to[cost_distance(a)] += tally->sum;
}

int dj_fail_attribution(dj_context *context)
{
    return dj_fail(context, DJ_ERR_USAGE,
                   "the profile does not attribute accesses to code and data; create one with 'deja run', or "
                   "with 'deja analyze --by' on a recording");
}

int dj_cost_find(dj_context *context, const dj_profile *profile, const char *name, size_t *out)
{
    static const char *const names[] = {"accesses", "writes", "cold"};
    const dj_attribution *a = dj_profile_attribution(profile);
    char known[256] = "";
    if (!a)
        return dj_fail_attribution(context);
    for (size_t i = 0; i < DJ_COST_MISSES; i++)
        if (!name || strcmp(name, names[i]) == 0)
            return *out = i, DJ_OK;
    for (size_t i = 0; i < a->cut_count; i++) {
        if (strcmp(name, a->cuts[i].name) == 0)
            return *out = DJ_COST_MISSES + i, DJ_OK;
        size_t used = strlen(known);
        snprintf(known + used, sizeof known - used, ", %s", a->cuts[i].name);
    }
    *out = cost_distance(a);
    return strcmp(name, "distance") == 0
               ? DJ_OK
               : dj_fail(context, DJ_ERR_USAGE,
                         "the profile has no weight '%s'; it has accesses, writes, cold, distance%s", name,
                         known);
}

uint32_t dj_place_called(const dj_attribution *a, const dj_place_row *place)
{
    uint32_t called = a->cct[place->cct_node].function;
    if (called != DJ_NOWHERE)
        return called;
    const dj_site_row *site = &a->sites[place->site];
    called = site->function;
    for (uint32_t frame = site->inlined; frame != DJ_NOWHERE; frame = a->inlined[frame].inlined)
        called = a->inlined[frame].function;
    return called;
}

int dj_cost_cct(dj_context *context, const dj_attribution *a, uint64_t **out)
{
    size_t width = dj_cost_count(a);
    uint64_t *costs = calloc(a->cct_count + 1, width * sizeof *costs);
    if (!costs)
        return dj_fail_memory(context, "costs of calling contexts", 0);
    for (size_t i = 0; i < a->place_count; i++)
        dj_cost_add(a, &a->places[i].tally, &costs[a->places[i].cct_node * width]);
    for (size_t i = a->cct_count; i-- > 0;) { // parents come before their children
        uint32_t parent = a->cct[i].parent;
        for (size_t k = 0; parent != DJ_NOWHERE && k < width; k++)
            costs[parent * width + k] += costs[i * width + k];
    }
    *out = costs;
    return DJ_OK;
}
