// SPDX-License-Identifier: MIT
// Functions that work with any engine: all distances of an array of keys, and last-access orders.
#include "engine/registry.h"

#include <stdlib.h>
#include <string.h>

int dj_distances(dj_context *context, const dj_engine_ops *engine, const uint64_t *keys, size_t count,
                 uint64_t *distances)
{
    if (!engine)
        engine = dj_engine_get(0);
    dj_engine_params params = {.use = DJ_CAN_PER_ACCESS, .options = engine->default_options};
    dj_work work = {.count = count, .key = keys, .distance = distances};
    dj_work *answered = NULL;
    void *state = NULL;
    int err = engine->create(context, &params, &state);
    if (err != DJ_OK)
        return err;
    err = engine->push(state, context, &work);
    if (err == DJ_OK)
        err = engine->drain(state, context);
    if (err == DJ_OK)
        err = engine->pull(state, context, &answered);
    engine->destroy(state);
    return err;
}

int dj_order_create(dj_context *context, size_t count, uint32_t use, dj_order *out)
{
    *out = (dj_order){.count = count};
    size_t capacity = count ? count : 1;
    out->key = calloc(capacity, sizeof *out->key);
    bool complete = out->key != NULL;
    if (use & DJ_CAN_TAGS)
        complete &= (out->tag = calloc(capacity, sizeof *out->tag)) != NULL;
    if (use & DJ_CAN_TIMES)
        complete &= (out->time = calloc(capacity, sizeof *out->time)) != NULL;
    if (use & DJ_CAN_WEIGHTS)
        complete &= (out->weight = calloc(capacity, sizeof *out->weight)) != NULL;
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
