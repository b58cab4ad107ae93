// SPDX-License-Identifier: MIT
#include <stdlib.h>

#include "base/map.h"
#include "reorder/orders.h"

static uint64_t mix(uint64_t a, uint64_t b)
{
    return dj_map_hash(a * UINT64_C(0x9e3779b97f4a7c15) + b + 1);
}

typedef struct memory {
    uint64_t *data;    // by element
    uint64_t *results; // by instance
} memory;

// What is not data, such as a scalar, is the result of the instance that wrote it.
static uint64_t compute(const dj_dataflow *d, const memory *m, uint32_t instance)
{
    uint64_t result = mix(1, instance);
    for (uint32_t use = d->first_use[instance]; use < d->first_use[instance + 1]; use++)
        if (d->uses[use] & DJ_USE_READS)
            result = mix(result, m->data[dj_use_element(d, use)]);
    for (uint32_t i = d->first_after ? d->first_after[instance] : 0;
         d->first_after && i < d->first_after[instance + 1]; i++)
        result = mix(result, m->results[d->after[i]]);
    return result;
}

int dj_order_value(dj_context *context, const dj_dataflow *d, const uint32_t *order, uint64_t *value)
{
    memory m = {calloc(d->element_count + 1, sizeof *m.data), calloc(d->count + 1, sizeof *m.results)};
    const bool complete = m.data && m.results;
    *value = 0;
    for (size_t i = 0; complete && i < d->count; i++) {
        const uint32_t instance = order ? order[i] : (uint32_t)i;
        m.results[instance] = compute(d, &m, instance);
        for (uint32_t use = d->first_use[instance]; use < d->first_use[instance + 1]; use++)
            if (d->uses[use] & DJ_USE_WRITES)
                m.data[dj_use_element(d, use)] = mix(m.results[instance], dj_use_element(d, use));
    }
    for (size_t i = 0; complete && i < d->count; i++)
        *value = mix(*value, m.results[i]);
    for (size_t i = 0; complete && i < d->element_count; i++)
        *value = mix(*value, m.data[i]);
    free(m.data);
    free(m.results);
    return complete ? DJ_OK : dj_fail_memory(context, "the check of an order", d->count * sizeof *m.results);
}
