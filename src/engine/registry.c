// SPDX-License-Identifier: MIT
#include "engine/registry.h"

#include <string.h>

// The first one is the default.
static const dj_engine_ops *const engines[] = {
    &dj_engine_fast,         &dj_engine_parallel,  &dj_engine_shadow, &dj_engine_tree,
    &dj_engine_count_blocks, &dj_engine_stack,     &dj_engine_scale,  &dj_engine_aet,
    &dj_engine_hprda,        &dj_engine_hprda_gpu, &dj_engine_gpu,
};

size_t dj_engine_count(void)
{
    return sizeof engines / sizeof engines[0];
}

const dj_engine_ops *dj_engine_get(size_t index)
{
    return index < dj_engine_count() ? engines[index] : NULL;
}

const dj_engine_ops *dj_engine_find(const char *name)
{
    for (size_t i = 0; i < dj_engine_count(); i++)
        if (strcmp(engines[i]->name, name) == 0)
            return engines[i];
    return NULL;
}

// What has no exact meaning together with operations on keys: a hole has no size, and blocks of different
// sizes would share one operation.
static int check_operations(dj_context *context, const dj_engine_ops *engine, const dj_engine_params *params)
{
    if (params->use & DJ_CAN_INVALIDATE && params->use & DJ_CAN_WEIGHTS)
        return dj_fail(context, DJ_ERR_UNSUPPORTED,
                       "engine %s: byte distances are undefined where keys are invalidated; leave out one of "
                       "them",
                       engine->name);
    if (params->use & (DJ_CAN_INVALIDATE | DJ_CAN_REMOVE) && params->coarser > 0)
        return dj_fail(context, DJ_ERR_UNSUPPORTED,
                       "engine %s: keys that are invalidated or removed need a separate engine for each "
                       "block size",
                       engine->name);
    return DJ_OK;
}

int dj_engine_check(dj_context *context, const dj_engine_ops *engine, const dj_engine_params *params)
{
    static const struct {
        uint32_t bit;
        const char *name;
    } needs[] = {{DJ_CAN_EXACT, "exact distances"},
                 {DJ_CAN_PER_ACCESS, "a distance for each access"},
                 {DJ_CAN_TAGS, "tags"},
                 {DJ_CAN_TIMES, "times"},
                 {DJ_CAN_SUMMARY, "the last-access order"},
                 {DJ_CAN_BOUNDED, "bounded memory"},
                 {DJ_CAN_WEIGHTS, "byte distances"},
                 {DJ_CAN_INVALIDATE, "invalidation of keys"},
                 {DJ_CAN_REMOVE, "removal of keys"}};
    if (params->coarser > engine->coarser)
        return dj_fail(context, DJ_ERR_UNSUPPORTED,
                       "engine %s cannot answer %u coarser block sizes along with each key", engine->name,
                       params->coarser);
    for (size_t i = 0; i < sizeof needs / sizeof needs[0]; i++)
        if (params->use & ~engine->can & needs[i].bit)
            return dj_fail(context, DJ_ERR_UNSUPPORTED, "engine %s cannot provide %s; choose another engine",
                           engine->name, needs[i].name);
    return check_operations(context, engine, params);
}
