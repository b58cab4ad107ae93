// SPDX-License-Identifier: MIT
// All distances of one array of keys, over any engine.
#include <deja/engine.h>

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
