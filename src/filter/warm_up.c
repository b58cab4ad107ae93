// SPDX-License-Identifier: MIT
// The first accesses fill the stack and are not counted, so that data in use before the trace began
// does not look cold.
#include "filter/filters.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct warm_up {
    uint64_t left; // accesses that still have to fill
    bool filling;  // whether the last access filled
} warm_up;

typedef struct warm_up_options {
    uint64_t accesses;
} warm_up_options;

static const dj_option table[] = {
    {"warm-up", 0, DJ_OPTION_UINT, offsetof(warm_up_options, accesses), "N",
     "use the first N accesses only to fill the LRU stack. They are not counted, and later accesses to the "
     "blocks that they touched are not cold misses",
     NULL},
    {NULL, 0, 0, 0, NULL, NULL, NULL},
};

static const warm_up_options defaults = {0};

static void describe(const void *options, char *text, size_t capacity)
{
    const warm_up_options *o = options;
    text[0] = 0;
    if (o->accesses)
        snprintf(text, capacity, "after a warm-up of %" PRIu64 " access%s", o->accesses,
                 o->accesses == 1 ? "" : "es");
}

static int create(dj_context *context, const dj_filter_setup *setup, void **state)
{
    warm_up *w = calloc(1, sizeof *w);
    if (!w)
        return dj_fail_memory(context, "a filter", sizeof *w);
    w->left = ((const warm_up_options *)setup->options)->accesses;
    *state = w;
    return DJ_OK;
}

static int judge(void *state, dj_context *context, const dj_batch *batch, uint8_t *verdicts)
{
    (void)context;
    warm_up *w = state;
    const uint8_t *continuation = batch->column.continuation;
    for (uint32_t i = 0; (w->left > 0 || w->filling) && i < batch->count; i++) {
        if (!dj_verdict_accesses(verdicts[i]))
            continue;
        // All pieces of a split access get the same verdict.
        if (!continuation || !continuation[i]) {
            w->filling = w->left > 0;
            w->left -= w->filling;
        }
        if (w->filling)
            verdicts[i] = DJ_VERDICT_FILL;
    }
    return DJ_OK;
}

const dj_filter_ops dj_filter_warm_up = {
    .name = "warm-up",
    .summary = "the first accesses fill the stack and are not counted",
    .options = table,
    .options_bytes = sizeof(warm_up_options),
    .default_options = &defaults,
    .verdicts = 1u << DJ_VERDICT_FILL,
    .fills_first = true,
    .by_position = true,
    .describe = describe,
    .create = create,
    .destroy = free,
    .judge = judge,
};
