// SPDX-License-Identifier: MIT
// The columns of a last-access order.
#include "engine/registry.h"

#include <stdlib.h>
#include <string.h>

int dj_order_create(dj_context *context, size_t count, uint32_t use, dj_order *out)
{
    *out = (dj_order){.count = count};
    size_t room = count ? count : 1;
    out->key = calloc(room, sizeof *out->key);
    bool complete = out->key != NULL;
    if (use & DJ_CAN_TAGS)
        complete &= (out->tag = calloc(room, sizeof *out->tag)) != NULL;
    if (use & DJ_CAN_TIMES)
        complete &= (out->time = calloc(room, sizeof *out->time)) != NULL;
    if (use & DJ_CAN_WEIGHTS)
        complete &= (out->weight = calloc(room, sizeof *out->weight)) != NULL;
    if (complete)
        return DJ_OK;
    dj_order_free(out);
    return dj_fail_memory(context, "the last-access order of the keys", 0);
}

void dj_order_free(dj_order *order)
{
    free(order->key);
    free(order->tag);
    free(order->time);
    free(order->weight);
    memset(order, 0, sizeof *order);
}
