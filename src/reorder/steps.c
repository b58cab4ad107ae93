// SPDX-License-Identifier: MIT
#include <stdlib.h>

#include "reorder/orders.h"

static uint32_t find_step(const dj_dataflow *d, const uint32_t *steps, uint32_t instance)
{
    dj_predecessors p = dj_predecessors_of(d, instance);
    uint32_t step = 0, before;
    while ((before = dj_predecessors_next(d, &p)) != DJ_NONE)
        step = steps[before] >= step ? steps[before] + 1 : step;
    return step;
}

int dj_order_by_step(dj_context *context, const dj_dataflow *d, uint32_t *order)
{
    uint32_t *step = malloc((d->count + 1) * sizeof *step), *starts = NULL, steps = 0;
    if (!step)
        return dj_fail_memory(context, "an order of statements", d->count * sizeof *step);
    for (size_t i = 0; i < d->count; i++) {
        step[i] = find_step(d, step, (uint32_t)i);
        steps = step[i] >= steps ? step[i] + 1 : steps;
    }
    starts = calloc((size_t)steps + 1, sizeof *starts);
    for (size_t i = 0; starts && i < d->count; i++)
        starts[step[i] + 1]++;
    for (size_t s = 1; starts && s < steps; s++)
        starts[s] += starts[s - 1];
    for (size_t i = 0; starts && i < d->count; i++)
        order[starts[step[i]]++] = (uint32_t)i;
    const bool complete = starts != NULL;
    free(step);
    free(starts);
    return complete ? DJ_OK : dj_fail_memory(context, "an order of statements", 0);
}
